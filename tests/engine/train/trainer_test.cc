#include "engine/train/trainer.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/train/trainer_fixture.h"

namespace az {
namespace {

TEST_F(TrainerTest, TrainsTheStepsThatAreDueAndSaysWhatItFound) {
  Play(0, 100);
  MakeFirstNetwork();
  Trainer trainer = MakeTrainer();
  const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
  ASSERT_TRUE(trained) << trained.error().message;
  EXPECT_EQ(trained->path, checkpoint(1));
  const auto metrics = nlohmann::json::parse(trained->metrics_json);
  const auto made = metrics.at("made_positions").get<std::int64_t>();
  EXPECT_EQ(metrics.at("steps"), made * 4 / 64);
  EXPECT_EQ(metrics.at("samples"), made * 4 / 64 * 64);
  EXPECT_EQ(metrics.at("self_play_games"), 100);
  for (const char* key :
       {"loss", "loss_policy_nats", "loss_value", "kl_policy_nats", "lr", "grad_norm",
        "samples_per_s", "window_positions", "held_out_latest_loss_policy_nats",
        "held_out_value_ece", "held_out_value_brier", "held_out_value_correlation",
        "update_weight_ratio", "duplicate_fraction", "weights_lag_mean_versions",
        "data_age_p95_iterations", "self_play_first_moves"}) {
    EXPECT_TRUE(metrics.contains(key)) << key << " in " << trained->metrics_json;
  }
  EXPECT_EQ(metrics.at("held_out_value_rows"), metrics.at("held_out_positions"));
  double counted = 0;
  for (const auto& bin : metrics.at("held_out_value_bins")) counted += bin.at(0).get<double>();
  EXPECT_EQ(counted, metrics.at("held_out_positions"));
  // The same values, by the loss's own sums: (v - z)² is four times the Brier score's square.
  EXPECT_NEAR(metrics.at("held_out_value_brier").get<double>() * 4,
              metrics.at("held_out_latest_outcome_mse").get<double>(), 1e-5);
  double by_quarter = 0;  // positions
  ASSERT_EQ(metrics.at("held_out_value_correlation_by_quarter").size(), 4u);
  for (const auto& quarter : metrics.at("held_out_value_correlation_by_quarter")) {
    EXPECT_GT(quarter.at(0).get<double>(), 0.0);
    EXPECT_LE(std::abs(quarter.at(1).get<double>()), 1.0);
    by_quarter += quarter.at(0).get<double>();
  }
  EXPECT_EQ(by_quarter, metrics.at("held_out_positions"));
  double share = 0;
  for (const auto& move : metrics.at("self_play_first_moves")) share += move.at(1).get<double>();
  EXPECT_NEAR(share, 1.0, 1e-9);
  EXPECT_EQ(metrics.at("restores"), 0);
  // Play() journals 0.5 for every root; a fresh network says about 0.
  EXPECT_NEAR(metrics.at("served_value_rmse").get<double>(), 0.5, 0.1);
  ASSERT_FALSE(progress_.empty());
  EXPECT_EQ(progress_.back().step, progress_.back().steps);
  EXPECT_EQ(LoadCheckpoint(checkpoint(1), CheckpointIdentity::Of(shape_, game_.info()))->iteration,
            1U);
}

// Each kind of game has a root value of its own, so the square of v - q says which it was asked of:
// a fresh network's v is about 0, and one step of this rate does not move it.
TEST_F(TrainerTest, HeldOutLossesAreOfHeldOutGamesOfTheirIterations) {
  options_.learner.train.min_positions = 1;
  options_.learner.train.max_steps = 1;
  options_.learner.train.lr = 1e-8f;
  const auto root_of = [this](const GameRecord& record) {
    if (!IsHeldOut(record.id, options_.learner.train.held_out_fraction)) return 0.1f;
    return record.id.iteration() == 0 ? 0.9f : 0.5f;
  };
  root_value_ = root_of;
  Play(0, 100);
  MakeFirstNetwork();
  Play(1, 100);
  Trainer trainer = MakeTrainer();
  ASSERT_TRUE(Train(trainer, MessageFor(0)));
  const Result<TrainedMessage> trained = Train(trainer, MessageFor(1));
  ASSERT_TRUE(trained) << trained.error().message;
  const auto metrics = nlohmann::json::parse(trained->metrics_json);
  const auto root = [&](const char* part) {
    return std::sqrt(metrics.at(StrCat(part, "root_value_mse")).get<double>());
  };
  EXPECT_NEAR(root(""), 0.1, 0.08);
  EXPECT_NEAR(root("held_out_latest_"), 0.5, 0.08);
  EXPECT_NEAR(root("held_out_older_"), 0.9, 0.08);
}

// The average has no say in what is trained, and all of it in what is measured.
TEST_F(TrainerTest, HeldOutLossesAreOfTheAveragedWeights) {
  Play(0, 100);
  MakeFirstNetwork();
  std::vector<nlohmann::json> found;
  for (const float span : {0.0f, 1e9f}) {
    options_.learner.train.ema_span = span;
    Trainer trainer = MakeTrainer();
    const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
    ASSERT_TRUE(trained) << trained.error().message;
    found.push_back(nlohmann::json::parse(trained->metrics_json));
  }
  EXPECT_EQ(found[0].at("loss"), found[1].at("loss"));
  EXPECT_GT(std::abs(found[0].at("held_out_latest_loss").get<double>() -
                     found[1].at("held_out_latest_loss").get<double>()),
            1e-3);
}

TEST_F(TrainerTest, ATrialTrainsFewStepsAndOwesNothing) {
  Play(0, 100);
  MakeFirstNetwork();
  options_.learner.train.max_steps = 3;
  std::int64_t made = 0;
  {
    Trainer trainer = MakeTrainer();
    const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
    ASSERT_TRUE(trained) << trained.error().message;
    const auto metrics = nlohmann::json::parse(trained->metrics_json);
    made = metrics.at("made_positions").get<std::int64_t>();
    EXPECT_EQ(metrics.at("steps"), 3);
    EXPECT_EQ(metrics.at("forgone_steps"), made * 4 / 64 - 3);
    EXPECT_EQ(metrics.at("samples_total"), 3 * 64);
    EXPECT_LT(metrics.at("ratio_debt_samples").get<double>(), 64);
  }
  Play(1, 50);
  options_.learner.train.max_steps = 0;  // the run goes on without the limit
  Trainer trainer = MakeTrainer();
  const Result<TrainedMessage> trained = Train(trainer, MessageFor(1));
  ASSERT_TRUE(trained) << trained.error().message;
  const auto metrics = nlohmann::json::parse(trained->metrics_json);
  const auto steps = metrics.at("made_positions").get<std::int64_t>() * 4 / 64 - made * 4 / 64;
  EXPECT_EQ(metrics.at("steps"), steps);
  EXPECT_FALSE(metrics.contains("forgone_steps"));
}

TEST_F(TrainerTest, WritesTheSameFilesWhateverCameBefore) {
  Play(0, 100);
  MakeFirstNetwork();
  {
    Trainer trainer = MakeTrainer();
    ASSERT_TRUE(Train(trainer, MessageFor(0)));
    Play(1, 50);
    ASSERT_TRUE(Train(trainer, MessageFor(1)));
  }
  const std::string weights = Bytes(2, "weights.safetensors");
  const std::string tensors = Bytes(2, "learner.safetensors");
  const std::string counters = Bytes(2, "learner.json");
  Trainer restarted = MakeTrainer();  // as after the death of the device process
  ASSERT_TRUE(Train(restarted, MessageFor(1)));
  EXPECT_EQ(Bytes(2, "weights.safetensors"), weights);
  EXPECT_EQ(Bytes(2, "learner.safetensors"), tensors);
  EXPECT_EQ(Bytes(2, "learner.json"), counters);
  TrainMessage again = MessageFor(0);  // and back to an earlier iteration
  again.to = checkpoint(7);
  ASSERT_TRUE(Train(restarted, again));
  EXPECT_EQ(Bytes(7, "weights.safetensors"), Bytes(1, "weights.safetensors"));
}

TEST_F(TrainerTest, HeadsAreTrainedOnTargetsOfTheGames) {
  shape_ = WithHeads(shape_);
  options_.learner.train.opponent_weight = 0.15f;
  options_.learner.train.short_term_weight = 0.25f;
  Play(0, 100);
  MakeFirstNetwork();
  std::string tensors;
  for (int run = 0; run < 2; ++run) {
    Trainer trainer = MakeTrainer();
    const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
    ASSERT_TRUE(trained) << trained.error().message;
    const auto metrics = nlohmann::json::parse(trained->metrics_json);
    for (const char* key : {"loss_opponent_nats", "short_term_mse", "kl_opponent_nats",
                            "held_out_latest_loss_opponent_nats"}) {
      EXPECT_GT(metrics.at(key).get<double>(), 0.0) << key;
    }
    if (run == 0) tensors = Bytes(1, "learner.safetensors");
    EXPECT_EQ(Bytes(1, "learner.safetensors"), tensors);
  }
}

TEST_F(TrainerTest, MergesAndWeighsTheSameEveryTime) {
  Play(0, 100);
  MakeFirstNetwork();
  std::string plain;
  for (const bool on : {false, true}) {
    options_.learner.train.merge_duplicates = on;
    options_.learner.train.surprise_weight = on ? 0.5f : 0.0f;
    options_.learner.train.surprise_value_weight = on ? 0.1f : 0.0f;
    std::string first;
    for (int run = 0; run < 2; ++run) {
      Trainer trainer = MakeTrainer();
      const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
      ASSERT_TRUE(trained) << trained.error().message;
      const std::string weights = Bytes(1, "weights.safetensors");
      if (run == 0) first = weights;
      EXPECT_EQ(weights, first);
    }
    if (!on) plain = first;
    EXPECT_EQ(first == plain, !on) << "it was not used";
  }
}

// What asks about one iteration's positions alone asks past the index of the whole window.
TEST_F(TrainerTest, LaterIterationsOfAWeighedWindowAreTrainedOnToo) {
  Play(0, 100);
  MakeFirstNetwork();
  Play(1, 50);
  const TrainerOptions plain = options_;
  void (*const keys[])(TrainOptions&) = {[](TrainOptions& o) { o.merge_duplicates = true; },
                                         [](TrainOptions& o) { o.surprise_weight = 0.5f; },
                                         [](TrainOptions& o) { o.surprise_value_weight = 0.1f; }};
  for (const auto& turn_on : keys) {
    options_ = plain;
    turn_on(options_.learner.train);
    Trainer trainer = MakeTrainer();
    ASSERT_TRUE(Train(trainer, MessageFor(0)));
    const Result<TrainedMessage> trained = Train(trainer, MessageFor(1));
    ASSERT_TRUE(trained) << trained.error().message;
    const auto metrics = nlohmann::json::parse(trained->metrics_json);
    EXPECT_GT(metrics.at("steps"), 0);
    EXPECT_GT(metrics.at("served_value_rmse"), 0.0);
  }
}

// Every key of the recipe has a meaning: with another value something else is learned from the same
// games. What only says how the work is cut up does not change it.
TEST_F(TrainerTest, EveryKeyOfTheRecipeIsUsed) {
  Play(0, 60);
  MakeFirstNetwork();
  options_.learner.train.min_positions = 50;
  const TrainerOptions plain = options_;
  const auto trained_with = [&](auto change) {
    options_ = plain;
    change(options_.learner.train);
    Trainer trainer = MakeTrainer();
    AZ_CHECK(Train(trainer, MessageFor(0)).has_value());
    return Bytes(1, "learner.safetensors") + Bytes(1, "weights.safetensors");
  };
  const std::string base = trained_with([](TrainOptions&) {});
  const std::pair<const char*, void (*)(TrainOptions&)> keys[] = {
      {"batch", [](TrainOptions& o) { o.batch = 32; }},
      {"lr", [](TrainOptions& o) { o.lr = 2e-3f; }},
      {"lr_schedule", [](TrainOptions& o) { o.lr_schedule = LrSchedule::kConstant; }},
      {"warmup_fraction", [](TrainOptions& o) { o.warmup_fraction = 0.2f; }},
      {"lr_final_fraction", [](TrainOptions& o) { o.lr_final_fraction = 0.5f; }},
      {"weight_decay", [](TrainOptions& o) { o.weight_decay = 0.1f; }},
      {"grad_clip", [](TrainOptions& o) { o.grad_clip = 0.1f; }},
      {"ema_span", [](TrainOptions& o) { o.ema_span = 0.0f; }},
      {"policy_weight", [](TrainOptions& o) { o.policy_weight = 0.5f; }},
      {"value_weight", [](TrainOptions& o) { o.value_weight = 0.5f; }},
      {"value_mix", [](TrainOptions& o) { o.value_mix = 0.75f; }},
      {"proven_targets", [](TrainOptions& o) { o.proven_targets = false; }},
      {"merge_duplicates", [](TrainOptions& o) { o.merge_duplicates = true; }},
      {"surprise_weight", [](TrainOptions& o) { o.surprise_weight = 0.5f; }},
      {"surprise_value_weight", [](TrainOptions& o) { o.surprise_value_weight = 0.1f; }},
      {"samples_per_position", [](TrainOptions& o) { o.samples_per_position = 2.0f; }},
      {"window_start", [](TrainOptions& o) { o.window_start = 100; }},
      {"window_max", [](TrainOptions& o) { o.window_max = 100; }},
      {"symmetries", [](TrainOptions& o) { o.symmetries = false; }},
      {"held_out_fraction", [](TrainOptions& o) { o.held_out_fraction = 0.3f; }},
      {"fast_plies", [](TrainOptions& o) { o.fast_plies = FastPlies::kValue; }}};
  for (const auto& [key, change] : keys) {
    const std::string other = trained_with(change);
    EXPECT_NE(other, base) << "train." << key << " changes nothing";
  }
  EXPECT_EQ(trained_with([](TrainOptions& o) { o.prefetch = 4; }), base);
}

TEST_F(TrainerTest, TheWindowStartsAndEndsAtItsKeys) {
  Play(0, 100);
  MakeFirstNetwork();
  options_.learner.train.held_out_fraction = 0;
  const auto window_of = [&](int start, int max) {
    options_.learner.train.window_start = start;
    options_.learner.train.window_max = max;
    Trainer trainer = MakeTrainer();
    const auto metrics = nlohmann::json::parse(Train(trainer, MessageFor(0)).value().metrics_json);
    return std::pair(metrics.at("made_positions").get<double>(),
                     metrics.at("window_positions").get<double>());
  };
  constexpr double kGame = 9;  // positions: a window keeps whole games
  const auto [made, grown] = window_of(100, 1'000'000);
  // 100 (1 + 0.4 ((made / 100)^0.75 - 1) / 0.75)
  EXPECT_NEAR(grown, 100 * (1 + 0.4 * (std::pow(made / 100, 0.75) - 1) / 0.75), kGame);
  EXPECT_NEAR(window_of(100, 120).second, 120, kGame);
  EXPECT_EQ(window_of(10'000, 1'000'000).second, made);
}

// The cosine of the whole run, by the share of its iterations that are behind.
TEST_F(TrainerTest, TheRateFallsOverTheIterationsOfTheRun) {
  constexpr int kIterations = 3;
  options_.iterations = kIterations;
  MakeFirstNetwork();
  Trainer trainer = MakeTrainer();
  const TrainOptions& train = options_.learner.train;
  for (std::uint32_t i = 0; i < kIterations; ++i) {
    Play(i, 60);
    const Result<TrainedMessage> trained = Train(trainer, MessageFor(i));
    ASSERT_TRUE(trained) << trained.error().message;
    const double warmup = train.warmup_fraction;
    const double past = ((i + 1.0) / kIterations - warmup) / (1.0 - warmup);
    const double wave = 0.5 * (1.0 + std::cos(3.14159265358979 * past));
    const double end = train.lr_final_fraction;
    EXPECT_NEAR(nlohmann::json::parse(trained->metrics_json).at("lr").get<double>(),
                train.lr * (end + (1.0 - end) * wave), 1e-9)
        << "iteration " << i;
  }
}

TEST_F(TrainerTest, SeveralShardsRepeatThemselvesToo) {
  options_.learner.shards = 2;
  options_.learner.micro_batch = 16;
  Play(0, 60);
  MakeFirstNetwork();
  std::string weights;
  for (int run = 0; run < 2; ++run) {
    Trainer trainer = MakeTrainer();
    ASSERT_TRUE(Train(trainer, MessageFor(0)));
    if (run == 0) weights = Bytes(1, "weights.safetensors");
    EXPECT_EQ(Bytes(1, "weights.safetensors"), weights);
  }
}

TEST_F(TrainerTest, WritesNothingBeforeThereAreEnoughPositions) {
  Play(0, 5);
  MakeFirstNetwork();
  Trainer trainer = MakeTrainer();
  const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
  ASSERT_TRUE(trained);
  EXPECT_EQ(trained->path, "");
  EXPECT_FALSE(std::filesystem::exists(checkpoint(1)));
  const auto metrics = nlohmann::json::parse(trained->metrics_json);
  EXPECT_EQ(metrics.at("steps"), 0);
  EXPECT_EQ(metrics.at("samples_total"), 0);
  for (const char* key : {"lr", "grad_norm", "clipped_fraction", "samples_per_s"}) {
    EXPECT_FALSE(metrics.contains(key)) << key << " was not measured";
  }
}

TEST_F(TrainerTest, StopsWithoutWriting) {
  Play(0, 100);
  MakeFirstNetwork();
  Trainer trainer = MakeTrainer();
  std::stop_source stop;
  stop.request_stop();
  const Result<TrainedMessage> trained = trainer.Train(
      MessageFor(0), [](const TrainProgressMessage&) {}, stop.get_token());
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code, Errc::kStopped);
  EXPECT_FALSE(std::filesystem::exists(checkpoint(1)));
}

TEST_F(TrainerTest, NamesADamagedJournal) {
  Play(0, 100);
  MakeFirstNetwork();
  std::string bytes = ReadFile(journal()).value();
  bytes[bytes.size() / 2] ^= 1;
  ASSERT_TRUE(WriteFileAtomic(journal(), bytes));
  Trainer trainer = MakeTrainer();
  const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code, Errc::kCorrupt);
  EXPECT_NE(trained.error().message.find("lane_000.journal"), std::string::npos);
}

}  // namespace
}  // namespace az
