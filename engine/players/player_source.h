#pragma once
// From a checkpoint player's text to its files: which weights, of which run, playing which game.
// Reads the file system; needs no LibTorch.

#include <filesystem>
#include <string>

#include "base/result.h"
#include "engine/players/player_spec.h"
#include "engine/players/weights_info.h"
#include "games/game_ops.h"

namespace az {

// Its paths are absolute and normal: they do not depend on how the player was written.
struct PlayerSource {
  std::filesystem::path weights;  // the file
  std::filesystem::path run;      // its run directory, with config.yaml; empty: of none
  WeightsInfo info;               // game, network, iteration
  const GameOps* game = nullptr;  // of this build; never null
  // What a LoadMessage names: the checkpoint folder, or the file when it has a name of its own.
  std::filesystem::path load_path() const;
};

// Finds and checks the weights of a checkpoint player: a weights file, a folder that holds one, a
// run (its best network), `run/best`, `run/latest`, `run@iter=N`. The message names the player.
// kNotFound: nothing there (with what there is beside it), no such iteration (with those there
// are), a run without a network. kCorrupt: truncated or damaged. kIncompatible: no weights of this
// engine, or of a game that this build does not have. What a working directory that is gone gives
// for a relative path. REQUIRES: spec.kind is kCheckpoint.
Result<PlayerSource> FindPlayer(const PlayerSpec& spec);

// Whether the player can play that game. kIncompatible says both games.
Result<void> CheckPlayerFor(const PlayerSpec& spec, const PlayerSource& source,
                            const GameInfo& game);

}  // namespace az
