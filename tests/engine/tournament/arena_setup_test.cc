#include "engine/tournament/arena_setup.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/strings.h"
#include "base/temp_folder.h"
#include "engine/config/plan_request.h"
#include "engine/players/player_settings.h"
#include "games/registry.h"
#include "scheduler/bill.h"
#include "scheduler/worker_bytes.h"
#include "tests/support/weights_text.h"

namespace az {
namespace {

// What a worker of the tournament is billed, with one game at a time or as many as `slots` says.
Bytes WorkerOf(std::vector<std::string> players, int slots = 0) {
  ArenaRequest request;
  request.players = std::move(players);
  request.games = 2;
  request.game = "hex";
  request.board_size = 5;
  if (slots > 0) request.sets = {StrCat("self_play.slots=", slots)};
  const Result<ArenaSetup> setup = SetUpArena(request);
  EXPECT_TRUE(setup) << setup.error().message;
  if (!setup) return Bytes();
  PlanInput input = PlanInputFor(setup->config, setup->game->info(), DeviceFacts());
  AddNeeds(setup->needs, input);
  Plan plan;
  plan.slots = setup->config.self_play.slots.value_or(1);
  return WorkerBytes(input, plan);
}

TEST(ArenaSetup, TreesOfRolloutsAreBilledOnceAWorker) {
  const Bytes random = WorkerOf({"random", "random"});
  const Bytes rollouts(32 * (1 + std::int64_t{1'000'001} * 25));
  const Bytes billed = WorkerOf({"random", "mcts:sims=1000000"});
  EXPECT_GT(billed, rollouts);
  EXPECT_LT(billed, rollouts + random);
  EXPECT_EQ(WorkerOf({"mcts:sims=1000000", "mcts:sims=1000"}), billed);
}

TEST(ArenaSetup, TreesOfTimedPlayersAreBilled) {
  const Bytes random = WorkerOf({"random", "random"});
  const Bytes billed = WorkerOf({"random", "mcts:seconds=1"});
  EXPECT_GT(billed, kTimedTree);
  EXPECT_LT(billed, kTimedTree + random);
}

// Two trees of a game and one that the worker keeps for reuse.
TEST(ArenaSetup, ANetworkByTimeIsBilledTheTreeItHas) {
  PlayerSpec spec;
  spec.kind = PlayerKind::kCheckpoint;
  spec.settings.seconds = 1;
  const SearchOptions run;
  ASSERT_GT(run.MostVisits(100, SearchMode::kPlay), 100) << "the test could not tell";
  PlanInput input;
  input.game.branching = 25;
  input.wishes.visits = 1;
  input.wishes.arena_visits =
      run.MostVisits(BilledVisits(spec, run, 25).value(), SearchMode::kPlay);
  Plan plan;
  plan.slots = 1;
  const Bytes trees = WorkerBytes(input, plan) - WorkerBytes({}, plan);
  EXPECT_GT(trees, kTimedTree * 3 - MiB(1));
  EXPECT_LT(trees, kTimedTree * 3 + MiB(1));
  spec.settings.sims = 50;
  EXPECT_EQ(BilledVisits(spec, run, 25).value(), 50);
}

// However many slots are written, a worker has one game by time open.
TEST(ArenaSetup, TheTreesOfANetworkByTimeAreThoseOfOneGame) {
  const TempFolder folder = TempFolder::Make("arena").value();
  const GameInfo& game = (*FindGame("hex5"))->info();
  const std::string net = (folder.path() / "net").string();
  ASSERT_TRUE(
      WriteFileAtomic(net, WeightsText(MetadataOf({.shape = NetShapeFor(RunConfig().net, game),
                                                   .game = game.entry,
                                                   .game_hash = game.Hash()}))));
  const Bytes one = WorkerOf({net + "?seconds=1", "random"}, 1);
  EXPECT_GT(one, kTimedTree * 3);
  EXPECT_EQ(WorkerOf({net + "?seconds=1", "random"}), one);
  EXPECT_EQ(WorkerOf({net + "?seconds=1", net + "?seconds=2"}, 32), one);
  EXPECT_GT(WorkerOf({net + "?sims=100000", "random"}, 32), one) << "the test could not tell";
}

// Its own options decide how large its tree is, the run's how the plan counts it.
TEST(ArenaSetup, APlayersOwnOptionsAreInItsTree) {
  PlayerSpec spec;
  spec.kind = PlayerKind::kCheckpoint;
  spec.settings.sims = 400;
  SearchOptions run;
  run.tree_reuse = false;
  ASSERT_EQ(BilledVisits(spec, run, 25).value(), 400);
  spec.settings.search = {{"tree_reuse", "true"}};
  EXPECT_EQ(BilledVisits(spec, run, 25).value(), 800);
  spec.settings.search.push_back({"c_puct_stdev_scale", "0.85"});
  EXPECT_NEAR(BilledVisits(spec, run, 25).value(), 1000, 1);
  run.c_puct_stdev_scale = 0.85f;
  EXPECT_EQ(BilledVisits(spec, run, 25).value(), 800);
}

class ArenaSetupOfARun : public testing::Test {
 protected:
  // A run of Hex 5x5 with a network and this config.
  void MakeRun(std::string_view config) {
    const GameInfo& game = (*FindGame("hex5"))->info();
    ASSERT_TRUE(MakeDirectories(std::filesystem::path(network_).parent_path()));
    ASSERT_TRUE(WriteFileAtomic(folder_.path() / "run" / "config.yaml", config));
    ASSERT_TRUE(WriteFileAtomic(folder_.path() / "run" / "state.json", "{}"));
    ASSERT_TRUE(WriteFileAtomic(network_,
                                WeightsText(MetadataOf({.shape = NetShapeFor(RunConfig().net, game),
                                                        .game = game.entry,
                                                        .game_hash = game.Hash()}))));
  }
  ArenaRequest Request(std::vector<std::string> sets = {}) const {
    ArenaRequest request;
    request.players = {folder_.path() / "run" / "checkpoints" / "iter_000000", "random"};
    request.games = 2;
    request.sets = std::move(sets);
    return request;
  }

  const TempFolder folder_ = TempFolder::Make("arena").value();
  const std::string network_ =
      folder_.path() / "run" / "checkpoints" / "iter_000000" / "weights.safetensors";
};

// A player without a limit is told none, and takes what the config has.
TEST_F(ArenaSetupOfARun, WithoutALimitANetworkHasTheVisitsOfTheRunsMatches) {
  MakeRun("{game: {name: hex, board_size: 5}, search: {visits: 20}, arena: {visits: 90}}");
  const auto visits = [&](ArenaRequest request) {
    const Result<ArenaSetup> setup = SetUpArena(request);
    EXPECT_TRUE(setup) << setup.error().message;
    return setup ? setup->config.search.visits : 0;
  };
  EXPECT_EQ(visits(Request()), 90);
  EXPECT_EQ(visits(Request({"arena.visits=5"})), 5);
  EXPECT_EQ(visits(Request({"arena.visits=auto"})), 20);
  ArenaRequest asked = Request();
  asked.sims = 7;
  EXPECT_EQ(visits(asked), 7);
}

TEST_F(ArenaSetupOfARun, ABoardSizeThatIsNotTheNetworksIsRefused) {
  MakeRun("{game: {name: hex, board_size: 5}}");
  ArenaRequest request = Request();
  request.board_size = 5;
  EXPECT_TRUE(SetUpArena(request));
  request.board_size = 7;
  const Result<ArenaSetup> other = SetUpArena(request);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::kIncompatible);
}

TEST_F(ArenaSetupOfARun, AKeyThatDoesNothingIsRefused) {
  MakeRun("{game: {name: hex, board_size: 5}}");
  for (const char* set :
       {"game.board_size=7", "run.seed=9", "arena.opening_plies=0", "train.batch=2"}) {
    const Result<ArenaSetup> setup = SetUpArena(Request({set}));
    ASSERT_FALSE(setup) << set;
    EXPECT_EQ(setup.error().code, Errc::kInvalid);
    EXPECT_NE(setup.error().message.find("does nothing in az_arena"), std::string::npos)
        << setup.error().message;
  }
  EXPECT_TRUE(SetUpArena(Request({"search.c_puct=2", "self_play.slots=3", "num_workers=1"})));
}

TEST(ArenaSetup, ATestNamesBothOfItsEloDifferences) {
  const Result<Sprt> sprt = ParseSprt("elo1=5, elo0=-5");
  ASSERT_TRUE(sprt) << sprt.error().message;
  EXPECT_EQ(sprt->options().elo0, -5);
  EXPECT_EQ(sprt->options().elo1, 5);
  EXPECT_EQ(sprt->options().alpha, 0.05);
  for (const char* text : {"elo0=5", "elo1=5", "alpha=0.1", " ", ""}) {
    const Result<Sprt> half = ParseSprt(text);
    ASSERT_FALSE(half) << text;
    EXPECT_EQ(half.error().code, Errc::kInvalid);
    EXPECT_NE(half.error().message.find("is missing"), std::string::npos) << half.error().message;
  }
}

TEST(ArenaSetup, ARunsSearchThatContradictsAPlayersIsRefused) {
  PlayerSpec spec;
  spec.kind = PlayerKind::kCheckpoint;
  spec.settings.search = {{"gumbel.full", "true"}};
  const Result<int> billed = BilledVisits(spec, {}, 25);
  ASSERT_FALSE(billed);
  EXPECT_EQ(billed.error().code, Errc::kInvalid);
}

}  // namespace
}  // namespace az
