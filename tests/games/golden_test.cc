// Freezes, for every entry, what outlives a process or is read by people: the game's hash, position
// hashes, encoded planes and printed boards along one fixed line of play.

#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "games/registry.h"
#include "tests/support/random_play.h"

namespace az {
namespace {

std::string Hex16(std::uint64_t value) {
  std::ostringstream text;
  text << std::hex << std::setw(16) << std::setfill('0') << value;
  return text.str();
}

template <GameState S>
std::string Describe(const S& state) {
  std::vector<std::uint64_t> planes(static_cast<std::size_t>(S::kShape.words()));
  state.Encode(planes);
  std::string text = StrCat("hash ", Hex16(state.Hash()), "\nplanes");
  for (const std::uint64_t word : planes) text += StrCat(' ', Hex16(word));
  return StrCat(text, '\n', state.ToString());
}

template <RegisteredGame S>
std::string Story() {
  const GameInfo info = MakeGameInfo<S>();
  const std::string text =
      StrCat(info.entry, " game hash ", Hex16(info.Hash()), '\n', Describe(S{}));
  Rng rng(7);
  std::string middle;
  std::string moves = "moves";
  const S end = testing::PlayRandomGame<S>(rng, [&](const S& before, Action a, const S& after) {
    moves += StrCat(' ', before.MoveText(a));
    if (middle.empty() && Index(a) % 7 == 3) middle = StrCat(moves, '\n', Describe(after));
  });
  return StrCat(text, middle, moves, '\n', Describe(end));
}

TEST(Golden, HashesPlanesAndBoardsOfEveryGame) {
  ForEachGame([]<RegisteredGame S>() {
    testing::ExpectGolden("games/" + std::string(S::kName) + ".txt", Story<S>());
  });
}

}  // namespace
}  // namespace az
