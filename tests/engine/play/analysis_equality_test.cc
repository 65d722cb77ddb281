// The same positions through the inference server of a process of its own and by a search in this
// process: equal to the last bit.

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/strings.h"
#include "base/temp_folder.h"
#include "engine/config/plan_request.h"
#include "engine/net/checkpoint.h"
#include "engine/net/cpu_runner.h"
#include "engine/net/inference_device.h"
#include "engine/net/local_evaluator.h"
#include "engine/play/play_service.h"
#include "engine/play/position_pool.h"
#include "games/registry.h"
#include "tests/engine/net/net_testing.h"
#include "tests/engine/play/positions.h"

namespace az {
namespace {

constexpr int kPositions = 1000;
constexpr int kSimulations = 12;

const SteadyClock kClock;

std::vector<std::string> Entries() {
  if (std::getenv("AZ_EVERY_GAME") != nullptr) return GameEntries();
  return {"hex5", "connect_four", "go5"};
}

RunConfig ConfigOf(const std::string& entry) {
  RunConfig config;
  config.game = {.name = entry, .board_size = std::nullopt};
  config.net = {.num_filters = 8,
                .num_res_blocks = 1,
                .num_heads = 2,
                .num_attention_blocks = 1,
                .policy_filters = 4,
                .value_filters = 4,
                .value_hidden = 8};
  config.search.visits = kSimulations;
  config.engine.device = "cpu";
  return config;
}

std::vector<PositionTask> Tasks(const GameOps& game) {
  std::vector<PositionTask> tasks;
  for (int i = 0; i < kPositions; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    tasks.push_back({.ticket = number,
                     .start = {},
                     .moves = testing::RandomMoves(game, Rng(9).Fork(number)),
                     .simulations = kSimulations,
                     .seed = number % 3});
  }
  return tasks;
}

std::vector<Thought> Answers(PositionPool& pool, const std::vector<PositionTask>& tasks) {
  std::vector<Thought> thoughts(tasks.size());
  std::size_t next = 0;
  while (next < tasks.size() || !pool.is_empty()) {
    while (next < tasks.size() && pool.HasRoomFor(kSimulations)) pool.Add(tasks[next++]);
    const Result<void> run = pool.Run(Deadline::Never());
    AZ_CHECK(run.has_value()) << run.error().message;
    for (PositionAnswer& answer : pool.Take()) {
      AZ_CHECK(answer.thought.has_value()) << answer.thought.error().message;
      thoughts[answer.ticket] = *std::move(answer.thought);
    }
  }
  return thoughts;
}

struct Served {
  std::vector<Thought> thoughts;
  Plan plan;
};

Served ThroughServer(const GameOps& game, const RunConfig& config,
                     const std::filesystem::path& folder) {
  auto service = PlayService::Start(
      {.config = config, .weights = folder, .programs = std::filesystem::path(AZ_PROGRAMS)});
  AZ_CHECK(service.has_value()) << service.error().message;
  const Plan& plan = (*service)->planned().plan;
  const auto pool = MakeSearchPool(game, {.search = config.search,
                                          .slots = plan.slots,
                                          .evaluator = (*service)->evaluator(),
                                          .clock = kClock});
  return {Answers(*pool, Tasks(game)), plan};
}

std::vector<Thought> InProcess(const GameOps& game, const RunConfig& config,
                               const std::filesystem::path& folder, const Plan& plan) {
  auto device = InferenceDevice::Open("cpu", {.shape = NetShapeFor(config.net, game.info()),
                                              .game = game.info().entry,
                                              .precision = plan.inference_precision});
  AZ_CHECK(device.has_value()) << device.error().message;
  AZ_CHECK((*device)->Load(kBestModel, folder / kWeightsFile, 1).has_value());
  auto runner = (*device)->MakeRunner();
  AZ_CHECK(runner.has_value()) << runner.error().message;
  LocalEvaluator evaluator(
      {.shape = game.info().shape, .actions = game.info().num_actions, .rows = 24, .bucket = 48},
      **runner);
  SearchOptions no_cache = config.search;
  no_cache.cache = Bytes(0);
  const auto pool = MakeSearchPool(
      game, {.search = no_cache, .slots = 60, .evaluator = evaluator, .clock = kClock});
  return Answers(*pool, Tasks(game));
}

TEST(AnalysisEquality, ServedSearchesAreThoseInThisProcess) {
  UseOneTorchThread();
  Result<TempFolder> folder = TempFolder::Make("az_equality");
  ASSERT_TRUE(folder);
  std::map<std::string, Served> served;
  for (const std::string& entry : Entries()) {
    const GameOps& game = **FindGame(entry);
    const RunConfig config = ConfigOf(entry);
    const NetShape shape = NetShapeFor(config.net, game.info());
    Network network = testing::TrainedLikeNetwork(shape, 5);
    const std::filesystem::path checkpoint = folder->path() / entry;
    ASSERT_TRUE(MakeDirectories(checkpoint));
    ASSERT_TRUE(SaveWeights(
        checkpoint / kWeightsFile,
        WeightsOf(*network, {.shape = shape, .game = entry, .game_hash = game.info().Hash()})));
    served[entry] = ThroughServer(game, config, checkpoint);
  }
  for (const auto& [entry, answers] : served) {
    const std::vector<Thought> local =
        InProcess(**FindGame(entry), ConfigOf(entry), folder->path() / entry, answers.plan);
    int different = 0;
    for (std::size_t i = 0; i < local.size() && different < 3; ++i) {
      testing::ExpectSame(answers.thoughts[i], local[i], StrCat(entry, " ", i));
      if (::testing::Test::HasFailure()) ++different;
    }
  }
}

}  // namespace
}  // namespace az
