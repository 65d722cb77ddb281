#pragma once
// The players that az_bench yardstick measures.

#include <string>
#include <string_view>

#include "base/result.h"
#include "games/solvers/yardstick.h"

namespace az {

struct YardstickPlayer {
  std::string name;  // "uniform:sims=400"
  ChooseMove choose;
};

// `text`: random; mcts (UCT, one random game a leaf); uniform (the engine's search, uniform prior,
// leaves worth 0); playouts (the same, a random game a leaf); or a checkpoint's folder. The
// searching ones may end in ":sims=N"; else they search `simulations`. kInvalid: no such player;
// kNotFound: a game without a solver; and the errors of LoadCheckpointRows.
Result<YardstickPlayer> MakeYardstickPlayer(std::string_view text, std::string_view entry,
                                            int simulations);

}  // namespace az
