#pragma once
// PlayerSource: the files of a checkpoint player: which weights, of which run, for which game.
// Finding them reads the file system but needs no LibTorch.

#include <filesystem>
#include <string>

#include "base/result.h"
#include "engine/players/player_spec.h"
#include "engine/players/weights_info.h"
#include "games/game_ops.h"

namespace az {

// The paths are absolute and normal, so they do not depend on how the player was written.
struct PlayerSource {
  std::filesystem::path weights;  // the weights file
  std::filesystem::path run;      // its run directory, with config.yaml; empty: it is in none
  WeightsInfo info;               // game, network, iteration
  const GameOps* game = nullptr;  // the game in this build; never null
  // The path for a LoadMessage: the checkpoint folder, or the file when its name is not the usual
  // one.
  std::filesystem::path load_path() const;
};

// Finds and checks the weights of a checkpoint player: a weights file, a folder that holds one, a
// run (its best network), `run/best`, `run/latest`, `run@iter=N`. Errors name the player. Fails
// with kNotFound when there is nothing (naming what is beside it), no such iteration (naming those
// there are), or a run without a network; with kCorrupt when the file is truncated or damaged; with
// kIncompatible when it has no weights of this engine, or those of a game that this build lacks;
// and as the system does for a relative path in a working directory that no longer exists.
// REQUIRES: spec.kind is kCheckpoint.
Result<PlayerSource> FindPlayer(const PlayerSpec& spec);

// Fails with kIncompatible, naming both games, when the player plays another game.
Result<void> CheckPlayerFor(const PlayerSpec& spec, const PlayerSource& source,
                            const GameInfo& game);

}  // namespace az
