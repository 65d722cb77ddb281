#include "tests/learning/learning_run.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/temp_folder.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/net/cpu_runner.h"
#include "engine/net/model_store.h"
#include "engine/server/inference_server.h"
#include "engine/train/trainer.h"
#include "games/registry.h"
#include "tests/learning/typed_game.h"

namespace az {
namespace {

constexpr std::uint32_t kRows = 64;  // of a block, and of a batch

NetShape ShapeFor(const GameInfo& game) {
  return {.planes = game.shape.planes,
          .rows = game.shape.rows,
          .cols = game.shape.cols,
          .actions = game.num_actions,
          .filters = 32,
          .res_blocks = 1,
          .policy_filters = 8,
          .value_filters = 8,
          .value_hidden = 32};
}

SearchOptions SearchFor() {
  SearchOptions search;
  search.visits =
      32;  // PUCT: visits, as a policy target, tell a wrong temperature from a right one
  return search;
}

TrainerOptions TrainingFor(const LearningSetup& setup) {
  TrainerOptions options;
  options.iterations = setup.iterations;
  options.seed = setup.seed;
  TrainOptions& train = options.learner.train;
  train.batch = 128;
  train.lr = 4e-3f;
  train.ema_span = 10'000.0f;
  train.min_positions = 500;
  train.window_start = 4'000;
  train.value_mix = 0.5f;
  return options;
}

SegmentSpec SpecFor(const GameInfo& game) {
  return {.shape = {.lanes = 1,
                    .blocks = 2,
                    .rows = kRows,
                    .in_words = static_cast<std::uint32_t>(game.shape.words()),
                    .num_actions = static_cast<std::uint32_t>(game.num_actions),
                    .models = 2},
          .game_hash = game.Hash()};
}

// The worker's supervisor: plays, trains and publishes in turn, whenever the worker has nothing to
// do. Confined to one thread.
class LearningRun final : public WorkerControl {
 public:
  LearningRun(const LearningSetup& setup, const GameOps& game, std::filesystem::path folder)
      : setup_(setup),
        game_(game),
        folder_(std::move(folder)),
        identity_{.game_hash = game.info().Hash(), .entry = game.info().entry},
        shape_(ShapeFor(game.info())),
        store_({.shape = shape_, .game = game.info().entry, .inference = {}}) {}

  Result<LearningReport> Run(std::span<const ExactPosition> positions);

  // WorkerControl
  Result<std::vector<ControlMessage>> Poll() override { return std::exchange(messages_, {}); }
  bool StopAsked() override { return stop_; }
  Result<void> Send(const ControlMessage&) override { return {}; }
  WeightsVersion Published(ModelId) override { return version_; }
  void Idle(Duration) override {
    if (Result<void> next = NextPhase(); !next) failure_ = std::move(next).error();
    stop_ = failure_.has_value() || iteration_ == setup_.iterations;
  }

 private:
  std::filesystem::path Checkpoint(int number) const { return folder_ / StrCat("iter_", number); }
  std::filesystem::path PlayedJournal() const { return folder_ / "lane_000.journal"; }
  std::filesystem::path ReadJournal() const {
    return copy_ ? folder_ / "spoiled.journal" : PlayedJournal();
  }
  Result<void> PlayAndTrain();
  Result<void> Prepare();
  Result<void> StartServer(std::unique_ptr<BatchRunner> runner);
  std::unique_ptr<BatchRunner> SelfPlayRunner() const;
  Result<void> NextPhase();
  void Grant();
  Result<void> Train();
  Result<void> Publish();
  Result<LearningReport> JudgeIt(std::span<const ExactPosition> positions);

  const LearningSetup& setup_;
  const GameOps& game_;  // by the right rules
  const std::filesystem::path folder_;
  const JournalIdentity identity_;
  const NetShape shape_;
  Log log_{2, "learning_test", LogLevel::kWarn};
  SteadyClock clock_;
  std::unique_ptr<GameOps> spoiled_;  // null: training sees game_
  std::optional<SpoilingCopy> copy_;
  std::optional<Trainer> trainer_;
  ModelStore store_;
  std::unique_ptr<Segment> segment_;
  std::unique_ptr<InferenceServer> server_;  // after what it uses

  std::vector<ControlMessage> messages_;
  int iteration_ = -1;  // that was granted last
  int checkpoint_ = 0;  // the newest
  WeightsVersion version_ = 0;
  double served_value_rmse_ = 0;  // of the last training
  bool stop_ = false;
  std::optional<Error> failure_;
};

Result<void> LearningRun::Prepare() {
  const bool wrong_end = setup_.fault == Fault::kTerminalSign || setup_.fault == Fault::kDrawIsWin;
  if (wrong_end) {
    spoiled_ = WithWrongEnd(game_, setup_.fault);
  } else if (setup_.fault != Fault::kNone) {
    spoiled_ = SpoilGame(game_, setup_.fault);
  }
  if (SpoilsRecords(setup_.fault)) {
    AZ_ASSIGN_OR_RETURN(SpoilingCopy copy,
                        SpoilingCopy::Open(game_, identity_, PlayedJournal(),
                                           folder_ / "spoiled.journal", setup_.fault));
    copy_.emplace(std::move(copy));
  }
  trainer_.emplace(spoiled_ ? *spoiled_ : game_, shape_, identity_, TrainingFor(setup_), log_,
                   clock_);
  TrainMessage first;
  first.to = Checkpoint(0);
  AZ_RETURN_IF_ERROR(trainer_->Train(first, [](const TrainProgressMessage&) {}, {}));
  AZ_RETURN_IF_ERROR(store_.Load(StaleRunner::kFirstWeights, Checkpoint(0) / kWeightsFile, 1));
  AZ_RETURN_IF_ERROR(StartServer(SelfPlayRunner()));
  return Publish();
}

std::unique_ptr<BatchRunner> LearningRun::SelfPlayRunner() const {
  auto runner = std::make_unique<CpuRunner>(store_);
  if (setup_.fault == Fault::kStaleWeights) {
    return std::make_unique<StaleRunner>(std::move(runner), store_);
  }
  if (setup_.fault == Fault::kValuesServedTurned) {
    return std::make_unique<TurningRunner>(std::move(runner));
  }
  return runner;
}

Result<void> LearningRun::StartServer(std::unique_ptr<BatchRunner> runner) {
  server_.reset();
  AZ_ASSIGN_OR_RETURN(segment_, Segment::Create(SpecFor(game_.info())));
  std::vector<std::unique_ptr<BatchRunner>> runners;
  runners.push_back(std::move(runner));
  AZ_ASSIGN_OR_RETURN(server_, InferenceServer::Start(*segment_, 1, std::move(runners),
                                                      {.buckets = {kRows}}, log_));
  return {};
}

Result<void> LearningRun::NextPhase() {
  if (iteration_ >= 0) {
    AZ_RETURN_IF_ERROR(Train());
    AZ_RETURN_IF_ERROR(Publish());
  }
  if (++iteration_ < setup_.iterations) Grant();
  return {};
}

void LearningRun::Grant() {
  const auto iteration = static_cast<std::uint32_t>(iteration_);
  const std::uint64_t phase = iteration + 1;
  GrantMessage grant{.phase = phase};
  for (std::uint32_t i = 0; i < setup_.games; ++i) {
    grant.games.push_back({.id = GameId::Make(GameKind::kSelfPlay, iteration, i).packed});
  }
  messages_ = {PhaseMessage{.phase = phase,
                            .kind = GameKind::kSelfPlay,
                            .iteration = iteration,
                            .players = {PlayerMessage{}}},
               std::move(grant)};
}

Result<void> LearningRun::Train() {
  if (copy_) AZ_RETURN_IF_ERROR(copy_->CatchUp());
  TrainMessage message;
  message.iteration = static_cast<std::uint32_t>(iteration_);
  message.from = Checkpoint(checkpoint_);
  message.to = Checkpoint(checkpoint_ + 1);
  message.journals = {{ReadJournal(), static_cast<std::int64_t>(file_size(ReadJournal()))}};
  message.games_before_iteration = message.iteration + 1;
  AZ_ASSIGN_OR_RETURN(const TrainedMessage trained,
                      trainer_->Train(message, [](const TrainProgressMessage&) {}, {}));
  if (!trained.path.empty()) ++checkpoint_;
  const auto metrics = nlohmann::json::parse(trained.metrics_json);
  served_value_rmse_ = metrics.value("served_value_rmse", 0.0);
  return {};
}

Result<void> LearningRun::Publish() {
  ++version_;
  AZ_RETURN_IF_ERROR(store_.Load(kBestModel, Checkpoint(checkpoint_) / kWeightsFile, version_));
  server_->SetModel(kBestModel, ModelState::kReady, version_);
  return {};
}

// Asks a sound server: the fault has to show in what was learned, not in who answers the judge.
Result<LearningReport> LearningRun::JudgeIt(std::span<const ExactPosition> positions) {
  AZ_RETURN_IF_ERROR(StartServer(std::make_unique<CpuRunner>(store_)));
  server_->SetModel(kBestModel, ModelState::kReady, version_);
  ShmEvaluator evaluator(*segment_, 0, 1);
  AZ_ASSIGN_OR_RETURN(const NetworkAnswers answers, AskNetwork(game_, positions, evaluator));
  LearningReport report =
      Judge(game_, positions, answers, SearchAll(game_, positions, answers, setup_.judged_visits));
  report.served_value_rmse = served_value_rmse_;
  return report;
}

Result<void> LearningRun::PlayAndTrain() {
  AZ_ASSIGN_OR_RETURN(JournalWriter journal, JournalWriter::Open(PlayedJournal(), identity_));
  AZ_RETURN_IF_ERROR(Prepare());
  ShmEvaluator evaluator(*segment_, 0, 1);
  const SearchOptions search = SearchFor();
  AZ_RETURN_IF_ERROR(RunWorker(game_, setup_.fault,
                               {.search = search,
                                .run_seed = setup_.seed,
                                .slots = 64,
                                .cache = MiB(4),
                                .evaluator = evaluator,
                                .control = *this,
                                .journal = journal,
                                .clock = clock_,
                                .log = log_}));
  if (failure_) return *failure_;
  return {};
}

Result<LearningReport> LearningRun::Run(std::span<const ExactPosition> positions) {
  AZ_RETURN_IF_ERROR(PlayAndTrain());
  return JudgeIt(positions);
}

}  // namespace

Result<LearningReport> LearnAndJudge(const LearningSetup& setup,
                                     std::span<const ExactPosition> positions) {
  AZ_ASSIGN_OR_RETURN(const GameOps* game, FindGame(setup.game));
  AZ_ASSIGN_OR_RETURN(const TempFolder folder, TempFolder::Make("az_learning_test_"));
  return LearningRun(setup, *game, folder.path()).Run(positions);
}

}  // namespace az
