#include "engine/data/replay_window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "games/registry.h"
#include "tests/engine/data/random_games.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

// A game of `plies` positions.
GameRecord Record(std::uint32_t iteration, std::uint32_t index, int plies = 10) {
  GameRecord record;
  record.id = GameId::Make(GameKind::kSelfPlay, iteration, index);
  record.outcome = index % 3 == 0 ? Outcome::kSecondWins : Outcome::kFirstWins;
  for (int ply = 0; ply < plies; ++ply) {
    record.moves.push_back(
        TestMove(ply, ply == 0 ? static_cast<int>(index % 4) : ply, {{Action{1}, 9}}));
  }
  return record;
}

TEST(ReplayWindow, SizeFollowsTheFormula) {
  const WindowOptions options;  // c 20,000
  EXPECT_EQ(WindowPositions(options, 0), 0);
  EXPECT_EQ(WindowPositions(options, 5'000), 5'000);
  EXPECT_EQ(WindowPositions(options, 20'000), 20'000);
  // The table of the learning document, to the digits it gives.
  EXPECT_NEAR(static_cast<double>(WindowPositions(options, 100'000)), 45e3, 500);
  EXPECT_NEAR(static_cast<double>(WindowPositions(options, 500'000)), 129e3, 500);
  EXPECT_NEAR(static_cast<double>(WindowPositions(options, 1'000'000)), 210e3, 500);
  EXPECT_NEAR(static_cast<double>(WindowPositions(options, 2'000'000)), 347e3, 500);
  EXPECT_NEAR(static_cast<double>(WindowPositions(options, 10'000'000)), 1.14e6, 5e3);
  EXPECT_EQ(WindowPositions({.max_positions = 100'000}, 10'000'000), 100'000);
}

TEST(ReplayWindow, NeverGrowsFasterThanPositionsAreMade) {
  // Else a dropped game would have to come back, and a restarted learner would see another window.
  const WindowOptions options{.start_positions = 1'000};
  for (std::int64_t made = 0; made < 100'000; made += 7) {
    ASSERT_LE(WindowPositions(options, made + 7) - WindowPositions(options, made), 7) << made;
  }
}

TEST(ReplayWindow, KeepsTheNewestGamesOfTheWindow) {
  const WindowOptions options{.start_positions = 100, .held_out_fraction = 0};
  ReplayWindow window(options);
  for (std::uint32_t iteration = 0; iteration < 20; ++iteration) {
    window.Open(iteration);
    for (std::uint32_t index = 0; index < 5; ++index) window.Add(Record(iteration, index));
    window.Settle();
    const std::int64_t made = 50 * (iteration + 1);
    EXPECT_EQ(window.made_positions(), made);
    EXPECT_GE(window.train().positions(), WindowPositions(options, made));
    EXPECT_LT(window.train().positions(), WindowPositions(options, made) + 10);
    EXPECT_EQ(window.train().games().back().id(), Record(iteration, 4).id);
  }
}

TEST(ReplayWindow, DependsOnTheGamesAndNotOnTheirOrder) {
  const WindowOptions options{
      .start_positions = 100, .max_positions = 150, .held_out_fraction = 0.1};
  constexpr std::uint32_t kIterations = 12;
  ReplayWindow stepwise(options);
  for (std::uint32_t iteration = 0; iteration < kIterations; ++iteration) {
    stepwise.Open(iteration);
    // The next iteration's first games come early, as stragglers' company.
    for (std::uint32_t index = iteration == 0 ? 0 : 3; index < 10; ++index) {
      stepwise.Add(Record(iteration, index));
    }
    for (std::uint32_t index = 0; index < 3; ++index) stepwise.Add(Record(iteration + 1, index));
    stepwise.Settle();
  }
  ReplayWindow at_once(options);  // a restarted learner, which reads lane by lane
  at_once.Open(kIterations - 1);
  for (std::uint32_t index = 0; index < 10; ++index) {
    for (std::uint32_t iteration = 0; iteration < kIterations; ++iteration) {
      at_once.Add(Record(iteration, index));
    }
    if (index < 3) at_once.Add(Record(kIterations, index));
  }
  at_once.Settle();
  EXPECT_EQ(stepwise.made_positions(), at_once.made_positions());
  for (const auto& [a, b] : {std::pair(&stepwise.train(), &at_once.train()),
                             std::pair(&stepwise.held_out(), &at_once.held_out())}) {
    ASSERT_EQ(a->games().size(), b->games().size());
    ASSERT_GT(a->games().size(), 0u);
    for (std::size_t i = 0; i < a->games().size(); ++i) {
      EXPECT_EQ(a->games()[i].id(), b->games()[i].id());
    }
  }
}

TEST(ReplayWindow, LaterIterationsWait) {
  ReplayWindow window({.held_out_fraction = 0});
  window.Open(3);
  window.Add(Record(4, 0));
  window.Add(Record(3, 0));
  window.Settle();
  EXPECT_EQ(window.made_positions(), 10);
  EXPECT_EQ(window.iteration(4), nullptr);
  EXPECT_GT(window.memory(), window.train().memory()) << "the waiting game counts";
  window.Open(4);
  window.Settle();
  EXPECT_EQ(window.made_positions(), 20);
  ASSERT_NE(window.iteration(4), nullptr);
  EXPECT_EQ(window.memory(), window.train().memory());
}

TEST(ReplayWindow, HoldsOutTheAskedShareById) {
  int held_out = 0;
  for (std::uint32_t index = 0; index < 100'000; ++index) {
    held_out += IsHeldOut(GameId::Make(GameKind::kSelfPlay, index % 50, index), 0.02) ? 1 : 0;
  }
  EXPECT_NEAR(held_out, 2'000, 5 * 44);
  EXPECT_FALSE(IsHeldOut(GameId{}, 0));
}

TEST(ReplayWindow, NeverSamplesAHeldOutGame) {
  const WindowOptions options{.held_out_fraction = 0.2};
  ReplayWindow window(options);
  window.Open(0);
  for (std::uint32_t index = 0; index < 500; ++index) window.Add(Record(0, index, 4));
  window.Settle();
  EXPECT_GT(window.held_out().games().size(), 50u);
  EXPECT_EQ(window.held_out().games().size() + window.train().games().size(), 500u);
  std::vector<Sample> samples(1'000'000);
  Rng rng(3);
  window.train().Draw({0, window.train().positions()}, 1, rng, samples);
  for (const Sample& sample : samples) {
    ASSERT_FALSE(IsHeldOut(window.train().games()[sample.game].id(), options.held_out_fraction));
  }
}

TEST(ReplayWindow, MemoryStaysBoundedWhileALongRunIsRead) {
  struct Case {
    double held_out_fraction;
    int most_games;
  };
  // Games of ten: 20 fill the window, 23 are an eighth more; held-out ones come on top.
  for (const Case& c : {Case{0, 23}, Case{0.3, 23 * 2}}) {
    const WindowOptions options{
        .start_positions = 100, .max_positions = 200, .held_out_fraction = c.held_out_fraction};
    ReplayWindow window(options);
    window.Open(1000);
    Bytes most;
    for (std::uint32_t iteration = 0; iteration < 1000; ++iteration) {
      window.Add(Record(iteration, 0));
      most = std::max(most, window.memory());
    }
    EXPECT_LE(most, PackedGame(Record(0, 0)).memory() * c.most_games) << c.held_out_fraction;
    EXPECT_EQ(window.made_positions() == 10'000, c.held_out_fraction == 0);
  }
}

TEST(ReplayWindow, CountsTheGamesOfAnIteration) {
  ReplayWindow window({.held_out_fraction = 0.3});
  window.Open(0);
  for (std::uint32_t index = 0; index < 12; ++index) window.Add(Record(0, index));
  window.Settle();
  const IterationGames* games = window.iteration(0);
  ASSERT_NE(games, nullptr);
  EXPECT_EQ(games->games, 12);
  EXPECT_EQ(games->mean_plies(), 10);
  EXPECT_EQ(games->positions, 120);
  EXPECT_EQ(games->second_player_wins, 4);
  EXPECT_EQ(games->from_start.games, 12);
  EXPECT_NEAR(games->from_start.first_player_score(), 8.0 / 12, 1e-12);
  EXPECT_EQ(games->from_start.first_moves, (std::vector<std::int64_t>{3, 3, 3, 3}));
  EXPECT_NEAR(games->from_start.first_move_entropy_nats(), std::log(4.0), 1e-12);
}

TEST(ReplayWindow, ADrawIsHalfAPointForWhoMovesFirst) {
  struct Ended {
    Outcome outcome;
    int from_start;
    int from_random_openings;
  };
  ReplayWindow window({.held_out_fraction = 0.3});
  window.Open(0);
  std::uint32_t index = 0;
  for (const Ended& ended :
       {Ended{Outcome::kFirstWins, 2, 4}, {Outcome::kDraw, 3, 2}, {Outcome::kSecondWins, 5, 3}}) {
    for (int game = 0; game < ended.from_start + ended.from_random_openings; ++game) {
      GameRecord record = Record(0, index++);
      record.outcome = ended.outcome;
      if (game >= ended.from_start) record.moves.front().flags |= kMoveRandomOpening;
      window.Add(record);
    }
  }
  const IterationGames* games = window.iteration(0);
  ASSERT_NE(games, nullptr);
  EXPECT_EQ(games->games, 19);
  EXPECT_EQ(games->first_player_wins, 6);
  EXPECT_EQ(games->draws, 5);
  EXPECT_EQ(games->second_player_wins, 8);
  EXPECT_EQ(games->from_start.games, 10);
  EXPECT_EQ(games->from_start.first_player_wins, 2);
  EXPECT_EQ(games->from_start.draws, 3);
  EXPECT_NEAR(games->from_start.first_player_score(), 0.35, 1e-12) << "2 and 3 halves of 10";
}

// A random opening says nothing of what the players make of the start.
TEST(ReplayWindow, RandomFirstMovesAreNoOpenings) {
  ReplayWindow window({.held_out_fraction = 0.3});
  window.Open(0);
  for (std::uint32_t index = 0; index < 12; ++index) {
    GameRecord record = Record(0, index);
    if (index >= 4) record.moves.front().flags |= kMoveRandomOpening;
    if (index < 4) record.moves.front().action = Action{2};
    record.outcome = index < 4 ? Outcome::kFirstWins : Outcome::kSecondWins;
    window.Add(record);
  }
  const IterationGames* games = window.iteration(0);
  ASSERT_NE(games, nullptr);
  EXPECT_EQ(games->games, 12);
  EXPECT_EQ(games->first_player_wins, 4);
  EXPECT_EQ(games->from_start.games, 4);
  EXPECT_EQ(games->from_start.first_player_score(), 1.0);
  EXPECT_EQ(games->from_start.first_moves, (std::vector<std::int64_t>{0, 0, 4}));
  EXPECT_EQ(games->from_start.first_move_entropy_nats(), 0.0);
}

TEST(CheckGame, AcceptsRealGamesAndNamesWhatIsWrong) {
  const GameOps& ops = *FindGame("hex4").value();
  const GameRecord good = RandomGame(ops, GameId::Make(GameKind::kSelfPlay, 6, 31));
  EXPECT_TRUE(CheckGame(ops, good).has_value());
  const auto fault = [&](auto change) {
    GameRecord bad = good;
    change(bad);
    const Result<PlyNotes> checked = CheckGame(ops, bad);
    EXPECT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().code, Errc::kCorrupt);
    EXPECT_NE(checked.error().message.find("iteration 6, index 31"), std::string::npos);
    return checked.error().message;
  };
  // The second player's view is transposed: its actions of one number are another cell.
  const auto repeat = [](GameRecord& bad) { bad.moves[2].action = bad.moves[0].action; };
  EXPECT_NE(fault(repeat).find("ply 2"), std::string::npos);
  EXPECT_NE(fault([](GameRecord& bad) {
              bad.moves[2].policy.push_back({Action{999}, 1});
            }).find("action 999"),
            std::string::npos);
  EXPECT_NE(fault([](GameRecord& bad) {
              bad.moves[1].policy = {{bad.moves[1].action, 0}};
            }).find("no weight"),
            std::string::npos);
  EXPECT_NE(fault([](GameRecord& bad) { bad.moves.pop_back(); }).find("outcome"),
            std::string::npos);
}

}  // namespace
}  // namespace az
