// Same seed and rows => same tree, whatever the cache, the scratch and the other slots of the
// thread do.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "games/registry.h"
#include "mcts/search.h"
#include "tests/mcts/support/drive.h"

namespace az {
namespace {

constexpr std::uint64_t kSeed = 31;

template <GameState S>
std::uint64_t TreeHashOf(SearchMode mode, int visits) {
  Search<S> search({}, mode, visits, kSeed, {});
  search.SetRoot({}, Rng(kSeed));
  RunSearch(search, AnswerByHash);
  return search.TreeHash();
}

// A change of these values is a change of behaviour: say so in the commit.
TEST(Determinism, GoldenTreeHashes) {
  EXPECT_EQ(TreeHashOf<TicTacToe>(SearchMode::kPlay, 200), 7786662335291188512u);
  EXPECT_EQ(TreeHashOf<ConnectFour>(SearchMode::kPlay, 200), 4037852565617150906u);
  EXPECT_EQ(TreeHashOf<Hex<5>>(SearchMode::kPlay, 200), 15776476973212169507u);
}

// One self-play game as a slot of a thread.
template <GameState S>
class Slot {
 public:
  Slot(std::uint64_t game, SearchResources resources)
      : rng_(Rng(kSeed).Fork(game)), search_({}, SearchMode::kSelfPlay, 40, kSeed, resources) {
    search_.SetRoot(state_, rng_.Fork(0));
  }
  bool over() const { return state_.Result().has_value(); }
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  // One Gather and Absorb; plays a move when the search is done.
  void Step() {
    if (search_.Done()) {
      hashes_.push_back(search_.TreeHash());
      state_.Apply(search_.ChooseMove(0.8f, rng_));
      if (!over()) search_.SetRoot(state_, rng_.Fork(hashes_.size()));
      return;
    }
    OneRow<S> memory;
    std::array<EvalRow, 1> rows = {memory.row()};
    const auto gathered = static_cast<std::size_t>(search_.Gather(rows));
    if (gathered == 1) AnswerByHash(rows[0]);
    search_.Absorb(std::span<const EvalRow>(rows).first(gathered));
  }

 private:
  Rng rng_;
  S state_;
  Search<S> search_;
  std::vector<std::uint64_t> hashes_;
};

template <GameState S>
std::vector<std::vector<std::uint64_t>> PlaySlots(int count, SearchResources resources) {
  std::vector<std::unique_ptr<Slot<S>>> slots;
  for (int i = 0; i < count; ++i) {
    slots.push_back(std::make_unique<Slot<S>>(static_cast<std::uint64_t>(i), resources));
  }
  for (bool any = true; any;) {
    any = false;
    for (auto& slot : slots) {
      if (slot->over()) continue;
      slot->Step();
      any = true;
    }
  }
  std::vector<std::vector<std::uint64_t>> hashes;
  for (auto& slot : slots) hashes.push_back(slot->hashes());
  return hashes;
}

template <GameState S>
void ExpectSlotsDoNotMatter() {
  const auto alone = PlaySlots<S>(1, {});
  const auto together = PlaySlots<S>(32, {});
  EXPECT_EQ(together.front(), alone.front());
  EXPECT_NE(together[0], together[1]) << "games differ";
  for (const Bytes size : {Bytes(1), KiB(8), MiB(4)}) {
    EvalCache cache(size, S::kNumActions);
    TreeScratch scratch;
    EXPECT_EQ(PlaySlots<S>(32, {.cache = &cache, .scratch = &scratch}), together);
    if (size == MiB(4)) {
      EXPECT_GT(cache.stats().hits, 1000u);
    }
  }
}

TEST(Determinism, SlotsCacheAndScratchDoNotMatter) {
  ExpectSlotsDoNotMatter<TicTacToe>();
  ExpectSlotsDoNotMatter<ConnectFour>();
  ExpectSlotsDoNotMatter<Hex<4>>();
}

TEST(Determinism, SelfPlayRepeats) {
  ForEachGame([]<GameState S>() {
    EXPECT_EQ(TreeHashOf<S>(SearchMode::kSelfPlay, 50), TreeHashOf<S>(SearchMode::kSelfPlay, 50))
        << S::kName;
  });
}

}  // namespace
}  // namespace az
