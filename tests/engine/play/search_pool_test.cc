#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "engine/play/position_pool.h"
#include "engine/play/search_thinker.h"
#include "games/registry.h"
#include "tests/engine/play/hash_evaluator.h"
#include "tests/engine/play/positions.h"

namespace az {
namespace {

using testing::HashEvaluator;
using testing::RandomMoves;

const SteadyClock kClock;

std::map<std::uint64_t, Result<Thought>> Answers(PositionPool& pool,
                                                 const std::vector<PositionTask>& tasks) {
  std::map<std::uint64_t, Result<Thought>> answers;
  std::size_t next = 0;
  while (next < tasks.size() || !pool.is_empty()) {
    while (next < tasks.size() && pool.HasRoomFor(tasks[next].simulations)) pool.Add(tasks[next++]);
    const Result<void> run = pool.Run(Deadline::Never());
    EXPECT_TRUE(run) << run.error().message;
    for (PositionAnswer& answer : pool.Take()) {
      EXPECT_TRUE(answers.emplace(answer.ticket, std::move(answer.thought)).second);
    }
  }
  return answers;
}

std::vector<PositionTask> Tasks(const GameOps& game, int count, Rng rng) {
  std::vector<PositionTask> tasks;
  for (int i = 0; i < count; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    tasks.push_back({.ticket = number,
                     .start = {},
                     .moves = RandomMoves(game, rng.Fork(number)),
                     .simulations = 20 + i % 3,
                     .seed = number % 2});
  }
  return tasks;
}

TEST(SearchPool, AnswersAsIfEachPositionWereSearchedAlone) {
  for (const std::string entry : {"hex5", "connect_four", "othello6", "go5", "breakthrough5"}) {
    const GameOps& game = **FindGame(entry);
    HashEvaluator evaluator(game.info());
    const std::vector<PositionTask> tasks = Tasks(game, 60, Rng(1));
    const auto together = Answers(
        *MakeSearchPool(game, {.search = {}, .slots = 16, .evaluator = evaluator, .clock = kClock}),
        tasks);
    ASSERT_EQ(together.size(), tasks.size());
    EXPECT_EQ(evaluator.largest_batch(), 8) << "positions share batches";
    SearchOptions no_cache;
    no_cache.cache = Bytes(0);
    for (const PositionTask& task : tasks) {
      const auto alone = MakeSearchPool(
          game, {.search = no_cache, .slots = 1, .evaluator = evaluator, .clock = kClock});
      const auto answer = Answers(*alone, {task});
      const Result<Thought>& thought = together.at(task.ticket);
      ASSERT_TRUE(thought) << thought.error().message;
      testing::ExpectSame(*thought, *answer.at(task.ticket), StrCat(entry, " ", task.ticket));
    }
  }
}

TEST(SearchPool, AnswersBadPositionsWithTheirFault) {
  const GameOps& game = **FindGame("tic_tac_toe");
  HashEvaluator evaluator(game.info());
  const auto pool =
      MakeSearchPool(game, {.search = {}, .slots = 4, .evaluator = evaluator, .clock = kClock});
  const auto moves = [](std::vector<int> numbers) {
    std::vector<Action> actions;
    for (const int number : numbers) actions.push_back(static_cast<Action>(number));
    return actions;
  };
  const auto answers =
      Answers(*pool, {{.ticket = 0, .moves = moves({0, 0})},
                      {.ticket = 1, .moves = moves({0, 3, 1, 4, 2})},
                      {.ticket = 2, .moves = moves({0, 3, 1, 4, 2, 5})},
                      {.ticket = 3, .moves = moves({0, 3, 1, 4}), .simulations = 50},
                      {.ticket = 4, .start = {.komi = 6.5}, .moves = {}}});
  EXPECT_NE(answers.at(0).error().message.find("not legal"), std::string::npos);
  EXPECT_NE(answers.at(1).error().message.find("the game is over"), std::string::npos);
  EXPECT_NE(answers.at(2).error().message.find("after the end"), std::string::npos);
  EXPECT_EQ(answers.at(3)->best, Action{2});
  EXPECT_EQ(answers.at(3)->proven, 1);
  EXPECT_EQ(answers.at(4).error().code, Errc::kInvalid);
}

TEST(SearchPool, NumbersThatAreNotFiniteEndTheirPositionAlone) {
  const GameOps& game = **FindGame("hex5");
  HashEvaluator evaluator(game.info());
  const std::vector<PositionTask> tasks = Tasks(game, 20, Rng(2));
  const auto want = Answers(
      *MakeSearchPool(game, {.search = {}, .slots = 8, .evaluator = evaluator, .clock = kClock}),
      tasks);
  const auto bad = game.Replay(tasks[5].moves);
  std::vector<std::uint64_t> planes(static_cast<std::size_t>(game.info().shape.words()));
  SearchOptions plain;
  plain.symmetry = SymmetryMode::kNone;
  (*bad)->Encode(planes);
  evaluator.Spoil(planes);
  const auto have = Answers(
      *MakeSearchPool(game, {.search = plain, .slots = 8, .evaluator = evaluator, .clock = kClock}),
      tasks);
  ASSERT_FALSE(have.at(5));
  EXPECT_EQ(have.at(5).error().code, Errc::kNotFinite);
  int answered = 0;
  for (const auto& [ticket, thought] : have) answered += thought.has_value();
  EXPECT_GE(answered, 15) << "those that never meet the position";
}

TEST(SearchPool, LargeSearchesTakeTheRoomOfSmallOnes) {
  const GameOps& game = **FindGame("hex5");
  HashEvaluator evaluator(game.info());
  SearchOptions search;
  search.visits = 10;
  const auto pool =
      MakeSearchPool(game, {.search = search, .slots = 4, .evaluator = evaluator, .clock = kClock});
  EXPECT_TRUE(pool->HasRoomFor(100'000));
  pool->Add({.ticket = 1, .moves = {}, .simulations = 10});
  EXPECT_TRUE(pool->HasRoomFor(10));
  EXPECT_FALSE(pool->HasRoomFor(100'000));
  ASSERT_TRUE(pool->Run(Deadline::Never()));
  EXPECT_EQ(pool->Take().size(), 1u);
  EXPECT_TRUE(pool->HasRoomFor(100'000));
  pool->Add({.ticket = 2, .moves = {}, .simulations = 100'000});
  EXPECT_FALSE(pool->HasRoomFor(10));
  ASSERT_TRUE(pool->Run(Deadline::Never()));
  EXPECT_EQ(pool->Take().at(0).thought->simulations, 100'000u);
}

}  // namespace
}  // namespace az
