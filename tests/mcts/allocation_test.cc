// A simulation allocates nothing. A program of its own, because bench/allocation_counter.cc
// replaces operator new.

#include <gtest/gtest.h>

#include "bench/allocation_counter.h"
#include "games/registry.h"
#include "mcts/search.h"
#include "tests/mcts/support/drive.h"

namespace az {
namespace {

TEST(Allocation, NoneIn100000Simulations) {
  EvalCache cache(MiB(1), Hex<5>::kNumActions);
  TreeScratch scratch;
  Search<Hex<5>> search({}, SearchMode::kSelfPlay, 500, 1, {.cache = &cache, .scratch = &scratch});
  std::uint64_t simulations = 0;
  std::uint64_t allocations = 0;
  Rng rng(1);
  OneRow<Hex<5>> memory;
  std::array<EvalRow, 1> rows = {memory.row()};
  for (std::uint64_t game = 0; simulations < 100'000; ++game) {
    Hex<5> state;
    while (!state.Result().has_value()) {
      search.SetRoot(state, rng.Fork(game));
      const std::uint64_t before = AllocationCount();
      const std::uint32_t visits = search.tree().root().visits;
      while (!search.Done()) {
        const auto gathered = static_cast<std::size_t>(search.Gather(rows));
        if (gathered == 1) AnswerByHash(rows[0]);
        search.Absorb(std::span<const EvalRow>(rows).first(gathered));
      }
      simulations += search.tree().root().visits - visits;
      allocations += AllocationCount() - before;
      state.Apply(search.ChooseMove(1.0f, rng));
    }
  }
  EXPECT_EQ(allocations, 0u) << "in " << simulations << " simulations";
}

TEST(Allocation, IsCounted) {
  const std::uint64_t before = AllocationCount();
  ::operator delete(::operator new(100));  // a call that the compiler may not leave out
  EXPECT_EQ(AllocationCount(), before + 1);
}

}  // namespace
}  // namespace az
