// Perft counts. First source: an independent plain implementation that agreed with OpenSpiel 2.0.2
// on 1.8 million plies. A finished game has no sequences beyond its end. Perft is blind before the
// first win is possible (Hex: 2N - 1 plies, m,n,k: 2K - 1, Connect Four: 7), so hex3 and
// tic_tac_toe are counted to their end, and boards that no one plays on find what those cannot:
// Mnk<5, 3, 3> is not square. Othello tables that read 24571284 at depth 10 count a game that ended
// early as one sequence for ever.

#include "games/perft.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "games/registry.h"

namespace az {
namespace {

using Counts = std::vector<std::uint64_t>;

template <GameState S>
void ExpectCounts(const Counts& by_depth) {
  for (std::size_t depth = 0; depth < by_depth.size(); ++depth) {
    EXPECT_EQ(Perft(S{}, static_cast<int>(depth)), by_depth[depth])
        << S::kName << " at depth " << depth;
  }
}

TEST(Perft, TicTacToeToTheEnd) {
  ExpectCounts<TicTacToe>({1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0});
}

TEST(Perft, ConnectFour) {
  ExpectCounts<ConnectFour>({1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572});
}

TEST(Perft, Hex3ToTheEnd) {
  ExpectCounts<Hex<3>>({1, 9, 72, 504, 3024, 15120, 54720, 146880, 207360, 120960, 0});
}

TEST(Perft, Hex4) { ExpectCounts<Hex<4>>({1, 16, 240, 3360, 43680, 524160, 5765760, 57657600}); }

TEST(Perft, Hex5) { ExpectCounts<Hex<5>>({1, 25, 600, 13800, 303600, 6375600}); }

TEST(Perft, Hex3WithSwapToTheEnd) {
  ExpectCounts<Hex<3, HexSwap::kYes>>(
      {1, 9, 81, 576, 3528, 18144, 69840, 201600, 354240, 328320, 120960, 0});
}

TEST(Perft, Hex5WithSwap) {
  ExpectCounts<Hex<5, HexSwap::kYes>>({1, 25, 625, 14400, 317400, 6679200});
}

TEST(Perft, MnkOnSmallBoards) {
  ExpectCounts<Mnk<5, 3, 3>>({1, 15, 210, 2730, 32760, 360360, 3445200, 29641464});
  ExpectCounts<Mnk<4, 4, 3>>({1, 16, 240, 3360, 43680, 524160, 5518656});
  ExpectCounts<Mnk<5, 5, 4>>({1, 25, 600, 13800, 303600, 6375600});
}

TEST(Perft, MnkAgreesWithTicTacToe) {
  ExpectCounts<Mnk<3, 3, 3>>({1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0});
}

TEST(Perft, Othello) {
  ExpectCounts<Othello<4>>({1, 4, 12, 44, 128, 424, 1256, 3624, 9112, 20032, 36412, 50268, 55112});
  ExpectCounts<Othello<6>>({1, 4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912, 14976684});
  ExpectCounts<Othello<8>>({1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288});
}

TEST(Perft, Breakthrough) {
  ExpectCounts<Breakthrough<5, 5, 1>>({1, 13, 169, 1911, 21514, 232478, 2467006});
  ExpectCounts<Breakthrough<5, 5>>({1, 13, 156, 1924, 23084, 289828, 3538840});
  ExpectCounts<Breakthrough<6, 6>>({1, 16, 256, 4308, 71478, 1248290, 21470998});
  ExpectCounts<Breakthrough<8, 8>>({1, 22, 484, 11132, 256036, 6182818});
}

// Before the first possible win every empty cell is legal: falling factorials.
TEST(Perft, LargerBoards) {
  ExpectCounts<Mnk<9, 9, 5>>({1, 81, 81 * 80, 81 * 80 * 79});
  ExpectCounts<Mnk<15, 15, 5>>({1, 225, 225 * 224, 225 * 224 * 223});
  ExpectCounts<Hex<6>>({1, 36, 36 * 35, 36 * 35 * 34});
  ExpectCounts<Hex<7>>({1, 49, 49 * 48, 49 * 48 * 47});
  ExpectCounts<Hex<8>>({1, 64, 64 * 63, 64 * 63 * 62});
  ExpectCounts<Hex<9>>({1, 81, 81 * 80, 81 * 80 * 79});
  ExpectCounts<Hex<10>>({1, 100, 100 * 99, 100 * 99 * 98});
  ExpectCounts<Hex<11>>({1, 121, 121 * 120, 121 * 120 * 119});
  ExpectCounts<Hex<11, HexSwap::kYes>>({1, 121, 121 * 121, 121 * 120 * 120});
}

TEST(Perft, Go) {
  ExpectCounts<Go<5>>({1, 26, 651, 15650, 361041, 7984104});
  ExpectCounts<Go<7>>({1, 50, 2451, 117698, 5536281});
  ExpectCounts<Go<9>>({1, 82, 6643, 531522});
}

}  // namespace
}  // namespace az
