// A move of a search that is warm allocates nothing. A program of its own, because
// bench/allocation_counter.cc replaces operator new.

#include <gtest/gtest.h>

#include "bench/allocation_counter.h"
#include "games/registry.h"
#include "mcts/node_bytes.h"
#include "mcts/search.h"
#include "tests/mcts/support/drive.h"

namespace az {
namespace {

// Allocations of `wanted` simulations of self-play in their moves: SetRoot, the simulations and
// the choice, hot, cold and by policy. A first game is not counted: its reuse of the tree fills
// the scratch.
template <GameState S>
std::uint64_t AllocationsOf(const SearchOptions& options, std::uint64_t wanted) {
  EvalCache cache(MiB(1), S::kNumActions);
  TreeScratch scratch;
  Search<S> search(options, SearchMode::kSelfPlay, 500, 1, {.cache = &cache, .scratch = &scratch});
  std::uint64_t simulations = 0;
  std::uint64_t allocations = 0;
  Rng rng(1);
  std::array<OneRow<S>, 8> memory;
  std::array<EvalRow, 8> rows;
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = memory[i].row();
  for (std::uint64_t game = 0; simulations < wanted; ++game) {
    S state;
    const std::uint64_t before = AllocationCount();
    for (std::uint64_t ply = 0; !state.Result().has_value(); ++ply) {
      search.SetRoot(state, rng.Fork(game));
      const std::uint32_t visits = search.tree().root().visits;
      while (!search.Done()) {
        const auto gathered = static_cast<std::size_t>(search.Gather(rows));
        for (std::size_t i = 0; i < gathered; ++i) AnswerByHash(rows[i]);
        search.Absorb(std::span<const EvalRow>(rows).first(gathered));
      }
      if (game > 0) simulations += search.tree().root().visits - visits;
      search.DrawFromPolicy(rng);
      state.Apply(search.ChooseMove(ply % 2 == 0 ? 1.0f : 0.0f, rng));
    }
    if (game > 0) allocations += AllocationCount() - before;
  }
  return allocations;
}

TEST(Allocation, NoneInTheMovesOf100000Simulations) {
  EXPECT_EQ(AllocationsOf<Hex<5>>({}, 100'000), 0u);
}

TEST(Allocation, NoneInTheMovesOfGo) { EXPECT_EQ(AllocationsOf<Go<5>>({}, 20'000), 0u); }

TEST(Allocation, NoneWithAnyOfTheOptions) {
  SearchOptions options;
  options.forced_playouts = 2.0f;
  options.c_puct_stdev_scale = 0.85f;
  options.symmetry = SymmetryMode::kCanonical;
  options.canonical_plies = 100;
  EXPECT_EQ(AllocationsOf<Hex<5>>(options, 10'000), 0u);
  options.max_in_flight = 8;
  EXPECT_EQ(AllocationsOf<Hex<5>>(options, 10'000), 0u);
  options.root = RootRule::kGumbel;
  EXPECT_EQ(AllocationsOf<Hex<5>>(options, 10'000), 0u);
  options.max_in_flight = 1;
  options.gumbel.full = true;
  EXPECT_EQ(AllocationsOf<Hex<5>>(options, 10'000), 0u);
}

TEST(Allocation, IsCounted) {
  const std::uint64_t before = AllocationCount();
  const std::uint64_t bytes_before = AllocatedBytes();
  ::operator delete(::operator new(100));  // a call that the compiler may not leave out
  EXPECT_EQ(AllocationCount(), before + 1);
  EXPECT_EQ(AllocatedBytes(), bytes_before + 100);
}

// The plan bills trees by NodeBytes: a search with twice the nodes takes that much more.
TEST(Allocation, ANodeTakesWhatThePlanBills) {
  for (const float scale : {0.0f, 0.85f}) {
    SearchOptions options;
    options.c_puct_stdev_scale = scale;
    const auto bytes = [&options](std::uint32_t nodes) {
      const std::uint64_t before = AllocatedBytes();
      const Search<Hex<5>> search(options, SearchMode::kPlay, 500, 1, {.max_nodes = nodes});
      return static_cast<std::int64_t>(AllocatedBytes() - before);
    };
    EXPECT_EQ(bytes(20'000) - bytes(10'000), 10'000 * NodeBytes(options)) << scale;
  }
}

}  // namespace
}  // namespace az
