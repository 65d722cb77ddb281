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

// `text`: a player as engine/players/player_spec.h reads it, random, mcts (UCT, one random game a
// leaf) or a trained network's; and beside those uniform (the engine's search, uniform prior,
// leaves worth 0) and playouts (the same, a random game a leaf). Settings stand behind:
// "playouts?sims=2000&c_puct=3"; without sims it searches `simulations`. kInvalid: no such player
// or setting; kNotFound: a game without a solver; and the errors of LoadCheckpointRows.
Result<YardstickPlayer> MakeYardstickPlayer(std::string_view text, std::string_view entry,
                                            int simulations);

struct TrainedPlayer {
  std::string name;
  const GameOps* game = nullptr;
  PlayerSearch search;
  AskPlayer ask;
};
// A trained player of any game with a solver. kInvalid: no checkpoint player. Fails as
// MakeYardstickPlayer.
Result<TrainedPlayer> MakeTrainedPlayer(std::string_view text, int simulations);

}  // namespace az
