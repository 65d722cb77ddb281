#pragma once
// Labelled positions of Connect Four for bench/learning: positions of random play whose every move
// the exact solver has judged. For measuring players only; training never reads them.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "games/solvers/connect_four_solver.h"

namespace az {

// The classes. Stones on the board: end above 28, middle above 14, begin below. Plies to the end
// under best play: easy below 14, medium up to 28, hard above. Only these six combinations are
// possible.
inline constexpr std::array<std::string_view, 6> kConnectFourClasses = {
    "end-easy", "middle-easy", "middle-medium", "begin-easy", "begin-medium", "begin-hard"};

// A running position, reached by `moves` (columns from 0).
struct LabelledPosition {
  std::string_view in_class;  // one of kConnectFourClasses
  std::vector<Action> moves;
  int plies_left = 0;  // under best play: the winner hurries, the loser delays
  // For the side to move, by column: +1 wins, 0 draws, -1 loses; unset where the column is full.
  std::array<std::optional<int>, 7> values{};
};

// The class of a position with this many stones and plies to the end.
std::string_view ConnectFourClass(int stones, int plies_left);
// The plies to the end of a position with this many stones and this ConnectFourSolver::Score.
int PliesLeft(int stones, int score);

// Labels a position. Fails as the solver does.
Result<LabelledPosition> Label(ConnectFourSolver& solver, std::span<const Action> moves);

// Finds `per_class` positions of each class, no two of them equal or mirror images, and calls
// `found` for each at once. None has fewer than 10 plies, as those cost the solver seconds. The
// same seed gives the same positions.
Result<void> FindLabelled(ConnectFourSolver& solver, int per_class, std::uint64_t seed,
                          const std::function<void(const LabelledPosition&)>& found);

// One JSON object: {"class":"end-easy","moves":"4435...","plies_left":3,"values":[1,-1,null,...]};
// columns are counted from 1 in "moves".
std::string ToJson(const LabelledPosition& position);
// Labels the moves of such a line again. Fails with kInvalid when the line is no such object or has
// other labels.
Result<void> CheckLabel(ConnectFourSolver& solver, std::string_view line);

}  // namespace az
