#include "engine/config/plan_request.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/strings.h"
#include "engine/config/config_reader.h"
#include "engine/config/plan_json.h"
#include "engine/config/validate.h"
#include "games/registry.h"
#include "scheduler/bill.h"
#include "scheduler/planner.h"
#include "scheduler/report.h"

namespace az {
namespace {

DeviceFacts TwoCores() {
  DeviceFacts device;
  device.cores = 2;
  device.ram = GiB(4);
  return device;
}

PlanInput InputFor(const RunConfig& config) {
  const GameOps* game = GameOf(config.game).value();
  return PlanInputFor(config, game->info(), TwoCores());
}

// Every file of configs/ can be run as it is, and says what each of its keys is.
TEST(Configs, LoadFitTwoCoresAndExplainEveryKey) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("configs")) {
    ++files;
    const std::string path = entry.path().string();
    const Result<LoadedConfig> loaded = LoadConfig({path, {}, {}});
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->config.run.name, entry.path().stem().string()) << "runs would share a folder";
    const Result<Plan> plan = MakePlan(InputFor(loaded->config));
    ASSERT_TRUE(plan) << path << ": " << plan.error().message;
    EXPECT_EQ(plan->host_rungs + plan->train_rungs, 0) << path;
    std::ifstream lines(path);
    for (std::string line; std::getline(lines, line);) {
      const std::string_view text = Trim(line);
      const bool is_key = !text.empty() && !text.starts_with('#') && !text.ends_with(':');
      EXPECT_TRUE(!is_key || text.find(" # ") != std::string_view::npos) << path << ": " << line;
    }
  }
  EXPECT_GE(files, 7);
}

// Of a network that anybody may train, on any machine: what depends on it is the scheduler's to
// say.
TEST(Configs, LeaveWhatDependsOnTheMachineToTheScheduler) {
  for (const char* name :
       {"5x5", "hex5_small", "connect_four", "go5", "othello6", "breakthrough5", "tictactoe"}) {
    const Result<LoadedConfig> loaded = LoadConfig({StrCat("configs/", name, ".yaml"), {}, {}});
    ASSERT_TRUE(loaded) << loaded.error().message;
    const RunConfig& config = loaded->config;
    EXPECT_FALSE(config.num_workers) << name;
    EXPECT_FALSE(config.arena.num_workers) << name;
    EXPECT_FALSE(config.self_play.slots) << name;
    EXPECT_FALSE(config.engine.runners) << name;
    EXPECT_FALSE(config.engine.max_batch) << name;
    EXPECT_FALSE(config.train.accumulate_grad_batches) << name;
    EXPECT_FALSE(config.memory.vram_budget) << name;
    EXPECT_EQ(config.engine.device, RunConfig().engine.device) << name;
  }
}

// Heads that only training has are in the bill when they are trained, and cost nothing else.
TEST(PlanRequest, TrainsTheHeadsThatHaveAWeight) {
  RunConfig config;
  const PlanInput plain = InputFor(config);
  EXPECT_EQ(plain.net, plain.net.Playing());
  config.train.opponent_weight = 0.15f;
  EXPECT_TRUE(InputFor(config).net.opponent_head);
  EXPECT_FALSE(InputFor(config).net.short_term_head);
  config.train.short_term_weight = 0.25f;
  EXPECT_TRUE(InputFor(config).net.short_term_head);
  EXPECT_EQ(InputFor(config).net.Playing(), plain.net);
}

// In matches kept visits do not count, so their trees grow beyond one search.
TEST(PlanRequest, BillsTheTreesThatSearchesLeaveEachOther) {
  RunConfig config;
  config.search.visits = 100;
  EXPECT_EQ(InputFor(config).wishes.visits, 100);
  EXPECT_EQ(InputFor(config).wishes.arena_visits, 200);
  config.arena.visits = 40;
  EXPECT_EQ(InputFor(config).wishes.arena_visits, 80);
  config.search.reuse_counts = KeptVisits::kNever;
  EXPECT_EQ(InputFor(config).wishes.visits, 200);
  config.search.tree_reuse = false;
  EXPECT_EQ(InputFor(config).wishes.visits, 100);
  EXPECT_EQ(InputFor(config).wishes.arena_visits, 40);
}

TEST(PlanRequest, BillsWhatASearchKeepsBesideItsNodes) {
  RunConfig config;
  EXPECT_EQ(InputFor(config).wishes.node_bytes, 32);
  config.search.c_puct_stdev_scale = 0.85f;
  EXPECT_EQ(InputFor(config).wishes.node_bytes, 40);
}

// The tree of a million simulations is larger than all else of a worker.
TEST(PlanRequest, BillsThePureMctsOpponentWhereItPlays) {
  RunConfig config;
  config.arena.final_mcts_visits = 1'000'000;
  EXPECT_EQ(InputFor(config).wishes.rollout_visits, 1'000'000);
  config.arena.final_games = 0;
  EXPECT_EQ(InputFor(config).wishes.rollout_visits, 0);
}

TEST(PlanRequest, BillsTheYardsticksSolverAndSearch) {
  RunConfig config;
  config.game.name = "tic_tac_toe";
  config.loop.yardstick.sims = 900;
  const PlanInput off = InputFor(config);
  EXPECT_EQ(off.wishes.solver, Bytes(0));
  config.loop.yardstick.every = 5;
  const PlanInput on = InputFor(config);
  EXPECT_GE(on.wishes.solver, MiB(64));
  EXPECT_EQ(on.wishes.arena_visits, config.search.MostVisits(900, SearchMode::kPlay));
  const Plan plan = MakePlan(off).value();
  EXPECT_EQ(RamBill(on, plan).front().terms.front().bytes,
            RamBill(off, plan).front().terms.front().bytes + on.wishes.solver)
      << "the supervisor's";
}

TEST(PlanRequest, TakesTheShapeFromNetAndGame) {
  RunConfig config;
  config.game.board_size = 5;
  config.net.num_attention_blocks = 3;
  EXPECT_EQ(InputFor(config).net.attention_blocks, 0) << "no heads, no attention";
  config.net.num_heads = 8;
  config.net.global_pool_every = 2;
  const PlanInput input = InputFor(config);
  EXPECT_EQ(input.net.attention_blocks, 3);
  EXPECT_EQ(input.net.global_pool_every, 2);
  EXPECT_EQ(input.net.rows, 5);
  EXPECT_EQ(input.net.actions, 25);
}

TEST(PlanRequest, AShortRunDoesNotPayForAFullWindow) {
  RunConfig config;
  config.game.board_size = 5;
  EXPECT_EQ(InputFor(config).wishes.window_positions, config.train.window_max);
  config.self_play.games_per_iteration = 10;
  config.loop.iterations = 4;
  EXPECT_EQ(InputFor(config).wishes.window_positions, 10 * 4 * 25);
}

TEST(SetBudget, SetsTheBudgetOfTheMemoryThatNetworksAreIn) {
  RunConfig config;
  ASSERT_TRUE(SetBudget("3GiB", DeviceKind::kCpu, config));
  ASSERT_TRUE(SetBudget("2GiB", DeviceKind::kCuda, config));
  EXPECT_EQ(config.memory.ram_budget, MemorySize{.bytes = GiB(3)});
  EXPECT_EQ(config.memory.vram_budget, MemorySize{.bytes = GiB(2)});

  const Result<void> bad = SetBudget("3 apples", DeviceKind::kCpu, config);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Errc::kInvalid);
  EXPECT_TRUE(bad.error().message.starts_with("--budget = 3 apples ")) << bad.error().message;
  EXPECT_EQ(config.memory.ram_budget, MemorySize{.bytes = GiB(3)});
}

TEST(PlanJson, TermsAddUpAndSayTheirBasis) {
  RunConfig config;
  const PlanInput input = InputFor(config);
  const Plan plan = MakePlan(input).value();
  const auto json = nlohmann::json::parse(PlanJson(input, plan));
  EXPECT_EQ(json["schema"], 4);
  EXPECT_FALSE(json.contains("device_memory"));
  ASSERT_EQ(json["host_memory"]["phases"].size(), 4u);
  for (const auto& phase : json["host_memory"]["phases"]) {
    std::int64_t sum = 0;
    for (const auto& term : phase["terms"]) {
      sum += term["bytes"].get<std::int64_t>();
      const std::string basis = term["basis"];
      EXPECT_TRUE(basis == "measured" || basis == "predicted" || basis == "assumed") << basis;
    }
    EXPECT_EQ(sum, phase["total_bytes"].get<std::int64_t>());
  }
  EXPECT_EQ(json["plan"]["num_workers"], plan.num_workers);
}

TEST(PlanJson, ListsWhoElseIsOnARealCard) {
  RunConfig config;
  PlanInput input = InputFor(config);
  input.device.kind = DeviceKind::kCuda;
  input.device.vram = GiB(8);
  const auto co_tenants = [&] {
    const auto json = nlohmann::json::parse(PlanJson(input, MakePlan(input).value()));
    return json.at("device").value("co_tenants", nlohmann::json("absent"));
  };
  EXPECT_TRUE(co_tenants().is_null());  // the driver does not tell
  input.device.co_tenants = {{.pid = 812, .name = "python3", .bytes = MiB(3)}, {.pid = 77}};
  EXPECT_EQ(co_tenants(), nlohmann::json::parse(R"([{"pid":812,"name":"python3","bytes":3145728},
                                                    {"pid":77,"name":null,"bytes":null}])"));
  input.device.simulated = true;
  EXPECT_EQ(co_tenants(), "absent");
}

TEST(PlanReport, LabelsEveryNumberOfTheBillAndSaysWhatIsSimulated) {
  RunConfig config;
  PlanInput input = InputFor(config);
  input.device.kind = DeviceKind::kCuda;
  input.device.vram = GiB(8);
  input.device.simulated = true;
  input.device.cores = 8;
  const std::string report = PlanReport(input, MakePlan(input).value());
  EXPECT_NE(report.find("SIMULATED"), std::string::npos);
  EXPECT_NE(report.find("461 a"), std::string::npos) << report;  // the assumed context
}

}  // namespace
}  // namespace az
