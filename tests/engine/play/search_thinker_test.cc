#include "engine/play/search_thinker.h"

#include <gtest/gtest.h>

#include <vector>

#include "games/registry.h"
#include "tests/engine/play/hash_evaluator.h"
#include "tests/engine/play/positions.h"

namespace az {
namespace {

using testing::HashEvaluator;

const SteadyClock kClock;

// A millisecond passes between two looks at it, however busy the machine is.
class CountingClock final : public Clock {
 public:
  TimePoint Now() const override { return now_ += std::chrono::milliseconds(1); }

 private:
  mutable TimePoint now_;
};

std::unique_ptr<Thinker> MakeThinker(const GameOps& game, Evaluator& evaluator, int visits = 100,
                                     const Clock& clock = kClock) {
  SearchOptions search;
  search.visits = visits;
  return MakeSearchThinker(game, {.search = search, .evaluator = evaluator, .clock = clock});
}

TEST(SearchThinker, UsesBatchesAndRepeats) {
  const GameOps& game = **FindGame("hex5");
  HashEvaluator evaluator(game.info(), 3);
  const auto one = MakeThinker(game, evaluator, 200);
  const auto two = MakeThinker(game, evaluator, 200);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const std::vector<Action> moves = testing::RandomMoves(game, Rng(i));
    const auto a = one->Think(moves, {}, {});
    const auto b = two->Think(moves, {}, {});
    ASSERT_TRUE(a && b);
    testing::ExpectSame(*a, *b, StrCat(i));
    EXPECT_EQ(a->moves[0].action, a->best);
  }
  EXPECT_EQ(evaluator.largest_batch(), 3) << "8 leaves in blocks of 3";
}

TEST(SearchThinker, KeepsTheTreeWhileTheGameGoesOn) {
  const GameOps& game = **FindGame("hex5");
  HashEvaluator evaluator(game.info());
  const auto thinker = MakeThinker(game, evaluator);
  const auto first = thinker->Think({}, {}, {});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->simulations, 100u);
  const std::vector<Action> line = {first->moves[0].variation.begin(),
                                    first->moves[0].variation.begin() + 2};
  const auto next = thinker->Think(line, {}, {});
  ASSERT_TRUE(next);
  std::uint32_t visits = 0;
  for (const MoveInfo& move : next->moves) visits += move.visits;
  EXPECT_GT(visits, next->simulations) << "some were there before";
  // Taking a move back starts afresh; a new game begins as the first one.
  const auto back = thinker->Think({}, {}, {});
  ASSERT_TRUE(back);
  EXPECT_EQ(back->simulations, 100u);
  ASSERT_TRUE(thinker->NewGame({}));
  const auto again = thinker->Think({}, {}, {});
  ASSERT_TRUE(again);
  testing::ExpectSame(*again, *first, "again");
}

TEST(SearchThinker, EndsByTimeAndWhenToldTo) {
  const GameOps& game = **FindGame("hex9");
  HashEvaluator evaluator(game.info());
  const CountingClock clock;
  const auto thinker = MakeThinker(game, evaluator, 100, clock);
  std::uint32_t last = 0;
  for (const int milliseconds : {5, 20, 80}) {
    ASSERT_TRUE(thinker->NewGame({}));
    const auto timed = thinker->Think({}, {.time = std::chrono::milliseconds(milliseconds)}, {});
    ASSERT_TRUE(timed);
    EXPECT_GT(timed->simulations, last) << milliseconds;
    EXPECT_LT(timed->simulations, static_cast<std::uint32_t>(kMostSimulations));
    last = timed->simulations;
  }
  const auto stopped = thinker->Think({}, {.goes_on = [] { return false; }}, {});
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->rows, 1u) << "the position itself";
  int reports = 0;
  const auto reported =
      thinker->Think({}, {.progress_every = Duration::zero()}, [&](const Thought& so_far) {
        EXPECT_FALSE(so_far.moves.empty());
        return ++reports < 3;
      });
  ASSERT_TRUE(reported);
  EXPECT_EQ(reports, 3);
}

TEST(SearchThinker, RefusesWhatCannotBeThoughtAbout) {
  const GameOps& game = **FindGame("tic_tac_toe");
  HashEvaluator evaluator(game.info());
  const auto thinker = MakeThinker(game, evaluator);
  EXPECT_EQ(thinker->Think(std::vector<Action>{Action{0}, Action{0}}, {}, {}).error().code,
            Errc::kInvalid);
  const std::vector<Action> over = {Action{0}, Action{3}, Action{1}, Action{4}, Action{2}};
  EXPECT_EQ(thinker->Think(over, {}, {}).error().code, Errc::kInvalid);
  EXPECT_EQ(thinker->NewGame({.komi = 1.5}).error().code, Errc::kInvalid);
  EXPECT_TRUE(thinker->Think({}, {}, {}));
}

}  // namespace
}  // namespace az
