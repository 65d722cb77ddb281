#include "games/go/go.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "tests/support/plain_go.h"
#include "tests/support/random_play.h"

namespace az {
namespace {

template <int N>
std::set<std::string> LegalTexts(const Go<N>& state) {
  std::set<std::string> texts;
  state.LegalActions().ForEach([&](Action a) { texts.insert(state.MoveText(a)); });
  return texts;
}

// Plays moves such as "a1 pass b2", which all must be legal.
template <int N>
Go<N> After(std::string_view moves, Go<N> state = Go<N>{}) {
  for (const std::string_view move : Split(moves, ' ')) {
    std::optional<Action> action;
    state.LegalActions().ForEach([&](Action a) {
      if (state.MoveText(a) == move) action = a;
    });
    EXPECT_TRUE(action.has_value()) << move << " of " << moves << "\n" << state.ToString();
    if (!action.has_value()) return state;
    state.Apply(*action);
  }
  return state;
}

template <int N>
bool MayPlay(const Go<N>& state, std::string_view move) {
  return LegalTexts(state).contains(std::string(move));
}

struct Bans {
  int all = 0;
  int quiet = 0;  // plays that take nothing
};

// Random games, passes cut down so that boards fill up and repetitions come.
template <int N>
Bans ExpectSameRules(int games, double pass_share) {
  Rng rng(23);
  Bans bans;
  for (int game = 0; game < games && !::testing::Test::HasFatalFailure(); ++game) {
    const GoKomi komi{static_cast<std::int16_t>(rng.Below(20))};
    Go<N> state(komi);
    testing::PlainGo plain(N, komi.half_points / 2.0);
    while (!state.Result().has_value()) {
      const std::set<std::string> legal = plain.LegalMoves();
      const auto check = [&] { ASSERT_EQ(LegalTexts(state), legal) << state.ToString(); };
      check();
      if (::testing::Test::HasFatalFailure()) return bans;
      Action action = testing::RandomAction(state, rng);
      if (legal.size() > 1 && rng.Uniform() > pass_share) {
        action = state.LegalActions().Nth(static_cast<int>(rng.Below(legal.size() - 1)));
      }
      plain.Play(state.MoveText(action));
      state.Apply(action);
    }
    const double margin = plain.Margin();
    const Outcome expected = margin > 0    ? Outcome::kFirstWins
                             : margin == 0 ? Outcome::kDraw
                                           : Outcome::kSecondWins;
    EXPECT_TRUE(plain.over());
    EXPECT_EQ(state.Result(), expected) << state.ToString();
    bans.all += plain.bans();
    bans.quiet += plain.quiet_bans();
  }
  return bans;
}

TEST(Go, SameRulesAsThePlainBoard) {
  // The smallest boards repeat most.
  const Bans on2 = ExpectSameRules<2>(1000, 0.1);
  EXPECT_GT(on2.all, 300);
  const Bans on5 = ExpectSameRules<5>(1000, 0.02);
  EXPECT_GT(on5.all, 100);
  EXPECT_GT(on5.quiet, 20);
  ExpectSameRules<3>(1000, 0.05);
  ExpectSameRules<7>(120, 0.02);
  ExpectSameRules<9>(30, 0.02);
}

TEST(Go, TakesAChainWithoutLiberties) {
  const Go<5> state = After<5>("b1 a1 pass a2 b2 pass a3");
  EXPECT_EQ(state.AreaMargin(), 25);
  EXPECT_TRUE(MayPlay(state, "a1") && MayPlay(state, "a2"));
}

TEST(Go, TakesTwoChainsAtOnceAndThenIsNoSuicide) {
  // o at a1 and c1 stand alone; x closes both from b1, whose own liberties are all taken.
  const Go<5> state = After<5>("a2 a1 c2 c1 d1 b2 b1");
  EXPECT_EQ(state.ToString(),
            "5 . . . . .\n4 . . . . .\n3 . . . . .\n2 x o x . .\n1 . x . x .\n  a b c d e\n"
            "o to move\n");
}

TEST(Go, SuicideIsIllegalForOneStoneAndForMany) {
  EXPECT_FALSE(MayPlay(After<5>("a2 e5 b1"), "a1"));
  const Go<5> chain = After<5>("a3 a1 b2 b1 c1 e5 e4");
  EXPECT_FALSE(MayPlay(chain, "a2"));  // joins a1 and b1, and all three have no liberty
  EXPECT_TRUE(MayPlay(After<5>("a3 a1 b2 b1 c1 e5"), "a2"));  // x takes them there
}

TEST(Go, SimpleKo) {
  // x takes at c2 with b2; o may not take back at once, but after an exchange elsewhere.
  const Go<5> ko = After<5>("b3 c3 a2 d2 b1 c1 e5 b2 c2");
  EXPECT_FALSE(MayPlay(ko, "b2"));
  const Go<5> later = After<5>("e1 e4", ko);
  EXPECT_TRUE(MayPlay(later, "b2"));
}

TEST(Go, PassesAreNeverBanned) {
  Rng rng(5);
  for (int game = 0; game < 200; ++game) {
    testing::PlayRandomGame<Go<5>>(rng, [](const Go<5>&, Action, const Go<5>& after) {
      ASSERT_EQ(after.LegalActions().Contains(Go<5>::kPass), !after.Result().has_value());
    });
  }
}

TEST(Go, SendTwoReturnOneIsARepetition) {
  // o at b1 sends a1 after it, x takes both from c1; taking c1 back would leave b1 as it was.
  const Go<5> sent = After<5>("a2 c2 b2 d1 e5 b1 pass a1 c1");
  EXPECT_FALSE(MayPlay(sent, "b1"));
  EXPECT_TRUE(MayPlay(sent, "a1"));
  EXPECT_TRUE(MayPlay(After<5>("e1 e4", sent), "b1"));
}

TEST(Go, TripleKoCannotGoRound) {
  const Go<9> start = After<9>("a1 c2 b2 d1 f1 h2 g2 j1 a9 c8 b8 d9 c1 g1 e5 b9");
  const Go<9> round = After<9>("h1 b1 c9 g1 c1", start);
  EXPECT_FALSE(MayPlay(round, "b9"));  // the sixth taking makes the start again
  EXPECT_FALSE(MayPlay(round, "b1"));  // a simple ko
  EXPECT_TRUE(MayPlay(After<9>("e4 e3", round), "b9"));
}

TEST(Go, PassPassAtTheStartIsSecondPlayersWin) {
  EXPECT_EQ(After<5>("pass pass").Result(), Outcome::kSecondWins);
  EXPECT_EQ(After<9>("pass pass").Result(), Outcome::kSecondWins);
  EXPECT_EQ(After<5>("pass pass", Go<5>(GoKomi{0})).Result(), Outcome::kDraw);
  EXPECT_EQ(After<5>("pass pass", Go<5>(GoKomi{-1})).Result(), Outcome::kFirstWins);
}

TEST(Go, DeadStonesCountUntilTheyAreTaken) {
  // x owns the whole board but for a lone o stone in its area, which spoils the region it is in.
  const Go<5> before = After<5>("c1 pass c2 pass c3 pass c4 pass c5 a1");
  EXPECT_EQ(before.AreaMargin(), 5 + 10 - 1);
  EXPECT_EQ(After<5>("pass pass", before).Result(), Outcome::kFirstWins);
  const Go<5> taken = After<5>("a2 pass b1", before);
  EXPECT_EQ(taken.AreaMargin(), 25);
}

TEST(Go, KomiDecides) {
  // x 15 points, o 10: margin 5.
  constexpr std::string_view kGame = "c1 d1 c2 d2 c3 d3 c4 d4 c5 d5 pass pass";
  EXPECT_EQ(After<5>(kGame, Go<5>(GoKomi{9})).Result(), Outcome::kFirstWins);
  EXPECT_EQ(After<5>(kGame, Go<5>(GoKomi{10})).Result(), Outcome::kDraw);
  EXPECT_EQ(After<5>(kGame, Go<5>(GoKomi{11})).Result(), Outcome::kSecondWins);
}

TEST(Go, KomiIsAMultipleOfOneHalfThatTheBoardCanOutweigh) {
  EXPECT_EQ(*Go<7>::WithKomi(7.5), Go<7>{});
  EXPECT_NE(Go<7>::WithKomi(6.5)->Hash(), Go<7>{}.Hash());
  for (const double bad : {0.25, 50.0, -49.5, 1e30, -1e30}) {
    const auto refused = Go<7>::WithKomi(bad);
    ASSERT_FALSE(refused.has_value()) << bad;
    EXPECT_EQ(refused.error().code, Errc::kInvalid);
    EXPECT_NE(refused.error().message.find("multiple of 0.5 from -49 to 49"), std::string::npos);
  }
}

TEST(Go, TheLastPlyEndsTheGame) {
  // Passes broken by a play now and then never follow each other.
  Rng rng(29);
  int longest = 0;
  for (int game = 0; game < 300; ++game) {
    Go<5> state;
    int plies = 0;
    while (!state.Result().has_value()) {
      const auto legal = state.LegalActions();
      const int plays = legal.Count() - 1;
      state.Apply(plays == 0
                      ? Go<5>::kPass
                      : legal.Nth(static_cast<int>(rng.Below(static_cast<std::uint64_t>(plays)))));
      ++plies;
    }
    longest = std::max(longest, plies);
    ASSERT_LE(plies, Go<5>::kMaxPlies);
  }
  EXPECT_EQ(longest, Go<5>::kMaxPlies);
}

TEST(Go, PlanesTellBansPassesAndSides) {
  std::vector<std::uint64_t> planes(5);
  const Go<5> ko = After<5>("b3 c3 a2 d2 b1 c1 e5 b2 c2");
  ko.Encode(planes);
  EXPECT_EQ(planes[2], std::uint64_t{1} << 6 | 1u) << "the ko at b2, suicide at a1";
  EXPECT_EQ(planes[3], 0u);
  EXPECT_EQ(planes[4], (std::uint64_t{1} << 25) - 1);
  After<5>("pass", ko).Encode(planes);
  EXPECT_EQ(planes[3], (std::uint64_t{1} << 25) - 1);
  EXPECT_EQ(planes[4], 0u);
}

// Boards alike but for their past differ in legal plays, and so in hash.
TEST(Go, HashTellsBansApart) {
  const Go<5> banned = After<5>("b3 c3 a2 d2 b1 c1 e5 b2 c2");
  const Go<5> free = After<5>("b3 c3 a2 d2 b1 c1 c2 pass e5");
  std::vector<std::uint64_t> a(5);
  std::vector<std::uint64_t> b(5);
  banned.Encode(a);
  free.Encode(b);
  EXPECT_EQ(a[0], b[0]);
  EXPECT_EQ(a[1], b[1]);
  EXPECT_NE(banned.Hash(), free.Hash());
}

TEST(Go, ColumnsLeaveOutI) {
  EXPECT_EQ(Go<9>{}.MoveText(Action{8}), "j1");
  EXPECT_EQ(Go<9>{}.MoveText(Action{7}), "h1");
  EXPECT_EQ(Go<9>{}.MoveText(Action{81}), "pass");
}

}  // namespace
}  // namespace az
