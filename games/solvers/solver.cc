#include "games/solvers/solver.h"

#include <utility>

#include "base/strings.h"
#include "games/solvers/breakthrough_solver.h"
#include "games/solvers/connect_four_solver.h"
#include "games/solvers/hex_solver.h"
#include "games/solvers/line_solver.h"

namespace az {
namespace {

using Maker = std::unique_ptr<Solver> (*)(const SolverOptions&);

struct Entry {
  std::string_view name;
  Maker make;
};

template <int N>
std::unique_ptr<Solver> MakeHex(const SolverOptions& options) {
  return std::make_unique<HexSolver>(N, options);
}

constexpr Entry kEntries[] = {
    {"tic_tac_toe",
     [](const SolverOptions& o) -> std::unique_ptr<Solver> {
       return std::make_unique<LineSolver>(LineGame{.cols = 3, .rows = 3, .length = 3}, o);
     }},
    {"mnk_5_5_4",
     [](const SolverOptions& o) -> std::unique_ptr<Solver> {
       return std::make_unique<LineSolver>(LineGame{.cols = 5, .rows = 5, .length = 4}, o);
     }},
    {"connect_four",
     [](const SolverOptions& o) -> std::unique_ptr<Solver> {
       return std::make_unique<ConnectFourSolver>(o);
     }},
    {"hex3", MakeHex<3>},
    {"hex4", MakeHex<4>},
    {"hex5", MakeHex<5>},
    {"breakthrough5",
     [](const SolverOptions& o) -> std::unique_ptr<Solver> {
       return std::make_unique<BreakthroughSolver>(
           BreakthroughBoard{.rows = 5, .cols = 5, .piece_rows = 2}, o);
     }},
};

}  // namespace

std::vector<std::string> SolvedEntries() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) names.emplace_back(entry.name);
  return names;
}

Result<std::unique_ptr<Solver>> MakeSolver(std::string_view entry, const SolverOptions& options) {
  for (const Entry& known : kEntries) {
    if (known.name == entry) return known.make(options);
  }
  return Error{Errc::kNotFound, StrCat("no solver for game '", entry, "'; there are solvers for ",
                                       Join(SolvedEntries(), ", "))};
}

namespace solver_internal {

Error IllegalAction(std::size_t ply, Action action) {
  return {Errc::kInvalid, StrCat("solve: ply ", ply, ": action ", Index(action), " is not legal")};
}

}  // namespace solver_internal
}  // namespace az
