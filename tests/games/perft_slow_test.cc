// The deep rows of the perft tables: a minute of counting, run with ctest -L slow.

#include <gtest/gtest.h>

#include "games/perft.h"
#include "games/registry.h"

namespace az {
namespace {

TEST(PerftSlow, ConnectFourDepth10) { EXPECT_EQ(Perft(ConnectFour{}, 10), 268031646u); }

TEST(PerftSlow, Hex4SeesWins) {
  EXPECT_EQ(Perft(Hex<4>{}, 8), 513216000u);
  EXPECT_EQ(Perft(Hex<4>{}, 9), 4060108800u);
}

TEST(PerftSlow, Hex5Depth6) { EXPECT_EQ(Perft(Hex<5>{}, 6), 127512000u); }

TEST(PerftSlow, Go5Depth6) { EXPECT_EQ(Perft(Go<5>{}, 6), 168755200u); }

TEST(PerftSlow, Mnk) {
  EXPECT_EQ(Perft(Mnk<5, 5, 4>{}, 6), 127512000u);
  EXPECT_EQ(Perft(Mnk<4, 4, 3>{}, 7), 52817760u);
}

// Not the published table, which counts a game that ended early as one sequence for ever.
TEST(PerftSlow, Othello8) {
  EXPECT_EQ(Perft(Othello<8>{}, 10), 24571056u);
  EXPECT_EQ(Perft(Othello<8>{}, 11), 212258216u);
}

TEST(PerftSlow, Breakthrough5Depth7) { EXPECT_EQ(Perft(Breakthrough<5, 5>{}, 7), 43719470u); }

}  // namespace
}  // namespace az
