#include "engine/players/player_settings.h"

#include <gtest/gtest.h>

namespace az {
namespace {

PlayerSettings Settings(std::string_view text) {
  const Result<PlayerSettings> settings = ParsePlayerSettings(PlayerKind::kCheckpoint, text);
  EXPECT_TRUE(settings) << text << ": " << (settings ? "" : settings.error().message);
  return settings ? *settings : PlayerSettings{};
}
std::string Fault(std::string_view text, PlayerKind kind = PlayerKind::kCheckpoint) {
  const Result<PlayerSettings> settings = ParsePlayerSettings(kind, text);
  EXPECT_FALSE(settings) << text;
  return settings ? "" : settings.error().message;
}

TEST(PlayerSettings, GoOverTheRunsSearch) {
  SearchOptions run;
  run.c_puct = 3.0f;
  run.fpu_reduction = 0.5f;
  const auto search =
      SearchFor(Settings("sims=50&c_puct=2&gumbel=1&gumbel.max_considered=4"), run, 200);
  ASSERT_TRUE(search) << search.error().message;
  EXPECT_EQ(search->visits, 50);
  EXPECT_EQ(search->options.c_puct, 2.0f);
  EXPECT_EQ(search->options.fpu_reduction, 0.5f);
  EXPECT_EQ(search->options.root, RootRule::kGumbel);
  EXPECT_EQ(search->options.gumbel.max_considered, 4);
}

// What self-play alone reads is no player's, and simulations are said elsewhere.
TEST(PlayerSettings, ASearchIsSaidByWhatIsNotItsDefault) {
  EXPECT_EQ(SearchText({}), "");
  SearchOptions search;
  search.visits = 50;
  search.noise_fraction = 0.5f;
  search.c_puct = 2.0f;
  search.root = RootRule::kGumbel;
  search.gumbel.max_considered = 4;
  const std::string text = SearchText(search);
  EXPECT_EQ(text, "root=gumbel&c_puct=2&gumbel.max_considered=4");
  const auto again = SearchFor(Settings(text), {}, 50);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(SearchText(again->options), text);
}

TEST(PlayerSettings, NoneLeaveTheRunsSearchAsItIs) {
  SearchOptions run;
  run.forced_playouts = 2.0f;  // with target_pruning off: a fault of the run, not of the player
  const auto search = SearchFor(Settings(""), run, 77);
  ASSERT_TRUE(search);
  EXPECT_EQ(search->visits, 77);
  EXPECT_EQ(search->options.forced_playouts, 2.0f);
}

TEST(PlayerSettings, ContradictionsAreRefused) {
  const auto full = SearchFor(Settings("gumbel.full=true"), SearchOptions{}, 200);
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("search.root"), std::string::npos) << full.error().message;
  EXPECT_TRUE(SearchFor(Settings("gumbel.full=true&gumbel=1"), SearchOptions{}, 200));
  EXPECT_FALSE(SearchFor(Settings("seconds=1&gumbel=1"), SearchOptions{}, 200));
  EXPECT_TRUE(SearchFor(Settings("seconds=1&gumbel=1&sims=64"), SearchOptions{}, 200));
}

TEST(PlayerSettings, TimedSearchesHaveNoNumberOfSimulations) {
  SearchOptions run;
  run.root = RootRule::kAuto;
  const auto search = SearchFor(Settings("seconds=0.5"), run, 16);
  ASSERT_TRUE(search);
  EXPECT_EQ(search->visits, kMostTimedVisits);
  EXPECT_EQ(search->options.root, RootRule::kPuct);
  EXPECT_TRUE(Settings("clock=60+1").is_timed());
  EXPECT_EQ(Settings("clock=60+1").time_control().increment, std::chrono::seconds(1));
}

// Of a network: a search is left its predecessor's tree, so that it may be twice as large.
TEST(PlayerSettings, PlansCountTheLargestTree) {
  SearchOptions run;
  run.visits = 7;
  const auto tree = [&](std::string_view settings) {
    return TreeBytes(PlayerKind::kCheckpoint, Settings(settings), run, 25).value();
  };
  const auto nodes = [](std::int64_t simulations) { return (simulations + 1) * 25 + 1; };
  EXPECT_EQ(tree(""), Bytes(nodes(2 * 7) * 32));
  EXPECT_EQ(tree("sims=50&seconds=1"), Bytes(nodes(2 * 50) * 32));
  EXPECT_EQ(tree("sims=50&tree_reuse=false"), Bytes(nodes(50) * 32));
  EXPECT_EQ(tree("sims=50&c_puct_stdev_scale=0.85"), Bytes(nodes(2 * 50) * 40));
  EXPECT_EQ(tree("seconds=1"), kTimedTree);
  EXPECT_EQ(tree("sims=900000&seconds=1"), Bytes(nodes(2 * 900'000) * 32));
  EXPECT_FALSE(TreeBytes(PlayerKind::kCheckpoint, Settings("gumbel.full=true"), run, 25));
}

TEST(PlayerSettings, PlansCountRolloutsByTimeUpToTheirLimit) {
  SearchOptions run;
  run.visits = 7;
  const auto tree = [&](std::string_view settings) {
    const Result<PlayerSettings> read = ParsePlayerSettings(PlayerKind::kMcts, settings);
    return TreeBytes(PlayerKind::kMcts, read.value(), run, 25).value();
  };
  EXPECT_EQ(tree(""), Bytes((8 * 25 + 1) * 32));
  EXPECT_EQ(tree("sims=50&seconds=1"), Bytes((51 * 25 + 1) * 32));
  EXPECT_EQ(tree("seconds=1"), kTimedTree);
  EXPECT_EQ(tree("sims=900000&seconds=1"), kTimedTree);
  EXPECT_GT(tree("sims=900000"), kTimedTree * 4);
  EXPECT_EQ(TreeBytes(PlayerKind::kRandom, {}, run, 25).value(), Bytes());
}

TEST(PlayerSettings, SayWhatIsWrong) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"sims", "has no '='"},
      {"sims=1&sims=2", "'sims' comes twice"},
      {"sims=1&visits=2", "'sims' comes twice"},
      {"sims=many", "sims = many is not an integer"},
      {"gumbel=2", "neither 1"},
      {"noise_fraction=0.1", "is of self-play or of the whole run"},
      {"cache=1MiB", "is of self-play or of the whole run"},
      {"timeout=3", "means nothing to a checkpoint player"},
      {"seconds=0", "out of range"},
      {"seconds=nan", "out of range"},
      {"clock=fast", "is not a time control"},
      {"seconds=1&clock=60", "cannot both be"},
      {"temprature=1", "did you mean 'temperature'"},
      {"&", "has no '='"},
  };
  for (const auto& [text, part] : cases) {
    const std::string fault = Fault(text);
    EXPECT_NE(fault.find(part), std::string::npos) << text << " -> " << fault;
  }
  EXPECT_NE(Fault("sims=3", PlayerKind::kGtp).find("timeout"), std::string::npos);
  EXPECT_NE(Fault("c_puct=3", PlayerKind::kMcts).find("sims"), std::string::npos);
}

}  // namespace
}  // namespace az
