// Games recorded from OpenSpiel (scripts/crosscheck_openspiel.py --record): mover, whole legal set
// and result at every ply.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "games/registry.h"

namespace az {
namespace {

// Actions as the digits of a hexadecimal number, highest first, without leading zeros.
std::string HexadecimalSet(const std::vector<Action>& actions) {
  std::string text;
  for (const Action a : actions) {
    const std::size_t digit = static_cast<std::size_t>(Index(a)) / 4;
    if (text.size() <= digit) text.resize(digit + 1, 0);
    text[digit] = static_cast<char>(text[digit] | 1 << (Index(a) % 4));
  }
  std::string digits;
  for (auto it = text.rbegin(); it != text.rend(); ++it) {
    digits += "0123456789abcdef"[static_cast<std::size_t>(*it)];
  }
  return digits;
}

void ExpectSameGame(const std::string& line) {
  std::istringstream fields(line);
  std::string entry;
  std::string result;
  fields >> entry >> result;
  const auto ops = FindGame(entry);
  ASSERT_TRUE(ops.has_value()) << ops.error().message;
  const std::unique_ptr<Position> position = (*ops)->Start();
  for (std::string ply; fields >> ply;) {
    ASSERT_FALSE(position->FinalOutcome().has_value()) << line << "\n" << position->ToString();
    const std::vector<std::string_view> parts = Split(ply, ':');
    ASSERT_EQ(parts.size(), 3u) << ply;
    EXPECT_EQ(position->ToMove() == Player::kFirst ? "0" : "1", parts[0]) << position->ToString();
    EXPECT_EQ(HexadecimalSet(position->LegalActions()), parts[1]) << position->ToString();
    const auto action = static_cast<Action>(std::atoi(std::string(parts[2]).c_str()));
    const auto applied = position->Apply(action);
    ASSERT_TRUE(applied.has_value()) << applied.error().message << "\n" << line;
  }
  ASSERT_TRUE(position->FinalOutcome().has_value()) << line << "\n" << position->ToString();
  EXPECT_EQ(StrCat(static_cast<int>(*position->FinalOutcome())), result) << line;
}

// It has no Othello but 8 x 8, and below six rows a Breakthrough with one row of pieces.
bool IsInOpenSpiel(const std::string& entry) {
  return entry != "othello6" && entry != "breakthrough5";
}

TEST(OpenSpielGames, AgreeAtEveryPly) {
  std::ifstream file("tests/golden/games/openspiel_games.txt");
  ASSERT_TRUE(file.is_open());
  std::set<std::string> entries;
  for (std::string line; std::getline(file, line);) {
    ExpectSameGame(line);
    entries.insert(line.substr(0, line.find(' ')));
  }
  for (const std::string& entry : GameEntries()) {
    EXPECT_EQ(entries.contains(entry), IsInOpenSpiel(entry)) << entry;
  }
}

}  // namespace
}  // namespace az
