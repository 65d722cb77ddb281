// The same positions through the inference server of a process of its own and by Search<S> driven
// here, one leaf after the other: equal to the last bit.

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/strings.h"
#include "base/temp_folder.h"
#include "engine/config/plan_request.h"
#include "engine/net/checkpoint.h"
#include "engine/net/cpu_runner.h"
#include "engine/net/inference_device.h"
#include "engine/net/net_spec.h"
#include "engine/play/play_service.h"
#include "engine/play/position_pool.h"
#include "engine/play/thought_of_search.h"
#include "games/registry.h"
#include "mcts/search.h"
#include "tests/engine/net/net_testing.h"
#include "tests/engine/play/positions.h"
#include "tests/support/local_evaluator.h"

namespace az {
namespace {

constexpr int kPositions = 1000;
constexpr int kSimulations = 12;
constexpr WeightsVersion kVersion = 1;

const SteadyClock kClock;

std::vector<std::string> Entries() {
  if (std::getenv("AZ_EVERY_GAME") != nullptr) return GameEntries();
  return {"hex5", "connect_four", "go5"};
}

RunConfig ConfigOf(const std::string& entry) {
  RunConfig config;
  config.game = {.name = entry, .board_size = std::nullopt};
  // A size for our own kernels, where the processor has bf16: sums of oneDNN may depend on the
  // batch (docs/adr/0011).
  config.net = {.num_filters = 32,
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

// Nothing but the search: no pool, no cache, one row a forward.
template <GameState S>
Thought SearchOf(const PositionTask& task, const SearchOptions& options, Evaluator& evaluator) {
  S state{};
  for (const Action action : task.moves) state.Apply(action);
  Search<S> search(options, SearchMode::kPlay, task.simulations, task.seed, {});
  search.SetModel(kBestModel.value(), kVersion);
  search.SetRoot(state, Rng(task.seed), {.ply = static_cast<int>(task.moves.size())});
  while (!search.Done()) {
    Result<EvalBatch> batch = evaluator.Reserve(kBestModel, 1, Deadline::Never());
    AZ_CHECK(batch.has_value()) << batch.error().message;
    EvalRow row = batch->row(0);
    if (search.Gather(std::span(&row, 1)) == 0) continue;
    AZ_CHECK(evaluator.Submit(*batch).has_value());
    const Result<void> answered = evaluator.Wait(*batch, Deadline::Never());
    AZ_CHECK(answered.has_value()) << answered.error().message;
    search.Absorb(std::span(&row, 1));
  }
  AZ_CHECK(!search.Failed());
  Rng rng(task.seed);
  return ThoughtOf(search, search.ChooseMove(0.0f, rng));
}

std::vector<Thought> InProcess(const GameOps& game, const RunConfig& config,
                               const std::filesystem::path& folder, const Plan& plan) {
  auto device = InferenceDevice::Open("cpu", {.shape = NetShapeFor(config.net, game.info()),
                                              .game = game.info().entry,
                                              .precision = plan.inference_precision});
  AZ_CHECK(device.has_value()) << device.error().message;
  AZ_CHECK((*device)->Load(kBestModel, folder / kWeightsFile, kVersion).has_value());
  auto runner = (*device)->MakeRunner(1);
  AZ_CHECK(runner.has_value()) << runner.error().message;
  LocalEvaluator evaluator(
      {.shape = game.info().shape, .actions = game.info().num_actions, .rows = 1, .bucket = 1},
      **runner);
  SearchOptions options = config.search;
  options.max_in_flight = 1;
  auto thoughts = WithGame(game.info().entry, [&]<GameState S>() -> Result<std::vector<Thought>> {
    std::vector<Thought> all;
    for (const PositionTask& task : Tasks(game)) {
      all.push_back(SearchOf<S>(task, options, evaluator));
    }
    return all;
  });
  return std::move(thoughts).value();
}

TEST(AnalysisEquality, ServedSearchesAreThoseOfSearchItself) {
  if (!CpuHasFastBf16()) GTEST_SKIP() << "no kernels here whose answers are free of the batch";
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
