#pragma once
// The players that az_bench yardstick measures.

#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/players/player_settings.h"
#include "games/solvers/yardstick_measure.h"

namespace az {

struct YardstickPlayer {
  std::string name;  // "uniform?sims=400&c_puct=3"
  ChooseMove choose;
};

// Makes a player from `text`. As engine/players/player_spec.h reads it: random, mcts (UCT with one
// random game per leaf) or a checkpoint. Besides: uniform (the engine's search with a uniform prior
// and leaves worth 0) and playouts (the same with one random game per leaf). Settings follow the
// name: "playouts?sims=2000&c_puct=3"; without sims the player makes `simulations`. Fails with
// kInvalid for an unknown player or setting, with kNotFound for a game without a solver, and as
// LoadCheckpointRows does.
Result<YardstickPlayer> MakeYardstickPlayer(std::string_view text, std::string_view entry,
                                            int simulations);

struct TrainedPlayer {
  std::string name;
  const GameOps* game = nullptr;
  PlayerSearch search;
  AskPlayer ask;
};
// Makes a trained player of any game with a solver. Fails with kInvalid for a player that is no
// checkpoint, and as MakeYardstickPlayer does.
Result<TrainedPlayer> MakeTrainedPlayer(std::string_view text, int simulations);

}  // namespace az
