#include "engine/tournament/arena_identity.h"

#include <gtest/gtest.h>

namespace az {
namespace {

ArenaIdentity Example() {
  ArenaIdentity identity;
  identity.game = "hex5";
  identity.format = "round_robin";
  identity.players = {{"runs/x@iter=3", 0xdeadbeef}, {"gtp:a \"b\"", 0}};
  identity.openings = "plies=4";
  identity.sprt = "elo0=0,elo1=10,alpha=0.05,beta=0.05";
  identity.search = "visits 100";
  identity.seed = ~std::uint64_t{0};
  identity.games = 40;
  identity.stopped[3] = "elo1";
  return identity;
}

TEST(ArenaIdentityTest, ReadsWhatItWrites) {
  const Result<ArenaIdentity> read = ArenaIdentityFromJson(ToJson(Example()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToJson(*read), ToJson(Example()));
  EXPECT_EQ(read->players, Example().players);
  EXPECT_EQ(read->stopped.at(3), "elo1");
}

TEST(ArenaIdentityTest, DamagedTextIsSaid) {
  const std::string text = ToJson(Example());
  for (std::size_t cut = 0; cut + 2 < text.size(); cut += 7) {
    const Result<ArenaIdentity> read = ArenaIdentityFromJson(text.substr(0, cut));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::kCorrupt);
  }
  EXPECT_EQ(ArenaIdentityFromJson(R"({"format": 2})").error().code, Errc::kIncompatible);
}

TEST(ArenaIdentityTest, GamesMayGrowAndNothingElse) {
  ArenaIdentity more = Example();
  more.games = 60;
  EXPECT_TRUE(CheckGoesOn(Example(), more, "out"));
  EXPECT_EQ(more.Digest(), Example().Digest());
  const Result<void> fewer = CheckGoesOn(more, Example(), "out");
  ASSERT_FALSE(fewer);
  EXPECT_EQ(fewer.error().code, Errc::kIncompatible);
  EXPECT_NE(fewer.error().message.find("only grow"), std::string::npos);
  const std::vector<std::pair<std::string, void (*)(ArenaIdentity&)>> changes = {
      {"game: ", [](ArenaIdentity& i) { i.game = "hex6"; }},
      {"format: ", [](ArenaIdentity& i) { i.format = "gauntlet"; }},
      {"players: 2 there, 3 now",
       [](ArenaIdentity& i) {
         i.players.push_back({"random", 0});
       }},
      {"player 2: ", [](ArenaIdentity& i) { i.players[1].text = "random"; }},
      {"other weights", [](ArenaIdentity& i) { i.players[0].weights_crc = 1; }},
      {"openings: ", [](ArenaIdentity& i) { i.openings = "plies=2"; }},
      {"none now", [](ArenaIdentity& i) { i.sprt = ""; }},
      {"search: ", [](ArenaIdentity& i) { i.search = "visits 200"; }},
      {"seed: ", [](ArenaIdentity& i) { i.seed = 1; }},
  };
  for (const auto& [words, change] : changes) {
    ArenaIdentity other = Example();
    change(other);
    const Result<void> check = CheckGoesOn(Example(), other, "out");
    ASSERT_FALSE(check) << words;
    EXPECT_NE(check.error().message.find(words), std::string::npos) << check.error().message;
    EXPECT_NE(other.Digest(), Example().Digest()) << words;
  }
}

}  // namespace
}  // namespace az
