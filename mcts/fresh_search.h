#pragma once
// FreshSearch: names moves of single positions, each by a search of its own that the caller's
// function answers row by row. For yardsticks and baselines; games are played by slots.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "base/rng.h"
#include "base/strings.h"
#include "mcts/search.h"

namespace az {

// Deterministic, where the answers are. Thread-compatible.
template <GameState S>
class FreshSearch {
 public:
  // REQUIRES: visits > 0.
  FreshSearch(const SearchOptions& options, int visits)
      : search_(options, SearchMode::kPlay, visits, /*run_seed=*/0, {}) {}

  // The best move. answer(row, leaf) writes the network's answer for the position `leaf` and
  // returns Result<void>; its error ends the search. kNotFinite: an answer that no search can use.
  // REQUIRES: the game is not over.
  template <class Answer>
  Result<Action> Choose(const S& state, Answer&& answer) {
    search_.Clear();
    search_.SetRoot(state, Rng(0));
    std::array<EvalRow, 1> rows = {EvalRow{.planes = planes_, .logits = logits_, .value = &value_}};
    while (!search_.Done()) {
      const auto gathered = static_cast<std::size_t>(search_.Gather(rows));
      if (gathered == 1) AZ_RETURN_IF_ERROR(answer(rows[0], search_.RowState(0)));
      search_.Absorb(std::span<const EvalRow>(rows).first(gathered));
    }
    if (search_.Failed()) {
      return Error{Errc::kNotFinite,
                   StrCat("search: the answer for\n", state.ToString(),
                          "\nor a position after it is not finite or not in [-1, 1]")};
    }
    Rng unused(0);
    return search_.ChooseMove(0.0f, unused);
  }

 private:
  Search<S> search_;
  std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())> planes_{};
  std::array<float, S::kNumActions> logits_{};
  float value_ = 0.0f;
};

}  // namespace az
