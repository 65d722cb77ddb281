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

}  // namespace
}  // namespace az
