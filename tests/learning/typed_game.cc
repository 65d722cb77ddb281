#include "tests/learning/typed_game.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/worker/worker_inl.h"
#include "games/game_ops_impl.h"
#include "games/hex/hex.h"
#include "games/tic_tac_toe/tic_tac_toe.h"
#include "mcts/search_inl.h"
#include "tests/learning/wrong_end.h"

namespace az {
namespace {

using WrongSign = WrongEnd<TicTacToe, Fault::kTerminalSign>;
using DrawsWon = WrongEnd<TicTacToe, Fault::kDrawIsWin>;
static_assert(GameState<WrongSign> && GameState<DrawsWon>);

template <GameState S>
Result<void> Run(const WorkerSetup& setup) {
  return Worker<S>(setup).Run();
}

// The network's answers in place of a network.
template <GameState S>
void RunSearch(Search<S>& search, const NetworkAnswers& answers) {
  std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())> planes{};
  std::array<float, S::kNumActions> logits{};
  float value = 0;
  std::array<EvalRow, 1> rows = {EvalRow{.planes = planes, .logits = logits, .value = &value}};
  while (!search.Done()) {
    const auto gathered = static_cast<std::size_t>(search.Gather(rows));
    if (gathered == 1) {
      const NetworkAnswer& known = answers.at(search.RowState(0).Hash());
      std::ranges::copy(known.logits, logits.begin());
      value = known.value;
    }
    search.Absorb(std::span<const EvalRow>(rows).first(gathered));
  }
}

template <GameState S>
SearchFindings Findings(std::span<const ExactPosition> positions, const NetworkAnswers& answers,
                        int visits) {
  SearchOptions options;
  options.root = RootRule::kAuto;
  options.symmetry = SymmetryMode::kNone;  // the answers are of the positions as they stand
  Search<S> search(options, SearchMode::kPlay, visits, /*run_seed=*/0, {});
  SearchFindings findings;
  for (const ExactPosition& position : positions) {
    S state;
    for (const Action action : position.actions) state.Apply(action);
    search.Clear();
    search.SetRoot(state, Rng(0));
    RunSearch(search, answers);
    Rng unused(0);
    findings[position.hash] = {search.ChooseMove(0.0f, unused), search.Report().target};
  }
  return findings;
}

}  // namespace

Result<void> RunWorker(const GameOps& game, Fault fault, const WorkerSetup& setup) {
  const bool is_hex = game.info().entry == Hex<3>::kName;
  if (is_hex) return Run<Hex<3>>(setup);
  if (fault == Fault::kTerminalSign || fault == Fault::kTerminalInSearch) {
    return Run<WrongSign>(setup);
  }
  if (fault == Fault::kDrawIsWin) return Run<DrawsWon>(setup);
  return Run<TicTacToe>(setup);
}

std::unique_ptr<GameOps> WithWrongEnd(const GameOps& game, Fault fault) {
  if (fault == Fault::kTerminalSign) return std::make_unique<GameOpsOf<WrongSign>>(game.info());
  if (fault == Fault::kDrawIsWin) return std::make_unique<GameOpsOf<DrawsWon>>(game.info());
  return nullptr;
}

SearchFindings SearchAll(const GameOps& game, std::span<const ExactPosition> positions,
                         const NetworkAnswers& answers, int visits) {
  if (game.info().entry == Hex<3>::kName) return Findings<Hex<3>>(positions, answers, visits);
  return Findings<TicTacToe>(positions, answers, visits);
}

}  // namespace az
