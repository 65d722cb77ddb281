#pragma once
// Labelled positions of Connect Four for bench/learning: random play, judged move by move by the
// exact solver. For measuring players only: nothing in training reads them.

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

// By stones on the board: end above 28, middle above 14, begin; and by plies to the end under best
// play: easy below 14, medium up to 28, hard. These six can be.
inline constexpr std::array<std::string_view, 6> kConnectFourClasses = {
    "end-easy", "middle-easy", "middle-medium", "begin-easy", "begin-medium", "begin-hard"};

// A running position, reached by `moves` (columns from 0).
struct LabelledPosition {
  std::string_view in_class;  // of kConnectFourClasses
  std::vector<Action> moves;
  int plies_left = 0;  // under best play: who wins hurries, who loses delays
  // For the side to move, by column: +1 wins, 0 draws, -1 loses; unset where the column is full.
  std::array<std::optional<int>, 7> values{};
};

// The class of a position with so many stones and plies to the end.
std::string_view ConnectFourClass(int stones, int plies_left);
// Plies to the end of a position with so many stones and that ConnectFourSolver::Score.
int PliesLeft(int stones, int score);

// Fails as the solver does.
Result<LabelledPosition> Label(ConnectFourSolver& solver, std::span<const Action> moves);

// `per_class` positions of each class, no two of them equal or mirror images; `found` is called for
// each at once. They begin after 10 plies: earlier ones cost the solver seconds. Same seed, same
// positions.
Result<void> FindLabelled(ConnectFourSolver& solver, int per_class, std::uint64_t seed,
                          const std::function<void(const LabelledPosition&)>& found);

// One JSON object: {"class":"end-easy","moves":"4435...","plies_left":3,"values":[1,-1,null,...]};
// columns are counted from 1 in "moves".
std::string ToJson(const LabelledPosition& position);
// Labels the moves of such a line again. kInvalid: no such object, or it says something else.
Result<void> CheckLabel(ConnectFourSolver& solver, std::string_view line);

}  // namespace az
