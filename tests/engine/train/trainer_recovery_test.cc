#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/train/trainer.h"
#include "tests/engine/train/trainer_fixture.h"

namespace az {
namespace {

TEST_F(TrainerTest, RecoversFromARateAThousandTimesTooHigh) {
  options_.learner.train.lr = 10.0f;
  options_.learner.train.warmup_fraction = 0.0f;
  Play(0, 300);
  MakeFirstNetwork();
  Trainer trainer = MakeTrainer();
  const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
  ASSERT_TRUE(trained) << trained.error().message;
  const auto metrics = nlohmann::json::parse(trained->metrics_json);
  EXPECT_GE(metrics.at("restores"), 1);
  EXPECT_NE(metrics.at("restore_reason").get<std::string>().find("loss"), std::string::npos);
  EXPECT_LT(metrics.at("lr_factor"), 0.51);
  EXPECT_LT(metrics.at("held_out_latest_loss"), 10.0) << trained->metrics_json;

  Play(1, 300);  // and learns on at what is left of the rate
  ASSERT_TRUE(Train(trainer, MessageFor(1)));
  Play(2, 300);
  const Result<TrainedMessage> later = Train(trainer, MessageFor(2));
  ASSERT_TRUE(later) << later.error().message;
  const auto then = nlohmann::json::parse(later->metrics_json);
  EXPECT_LT(then.at("loss"), LossOfIgnorance(LossWeights::Of(options_.learner.train), 9))
      << later->metrics_json;
}

// However few the steps, weights that diverged are not what is written.
TEST_F(TrainerTest, ATrainingOfAFewStepsIsJudgedToo) {
  options_.learner.train.lr = 10.0f;
  options_.learner.train.warmup_fraction = 0.0f;
  Play(0, 100);
  MakeFirstNetwork();
  const CheckpointIdentity identity = CheckpointIdentity::Of(shape_, game_.info());
  const LearnerState start = LoadCheckpoint(checkpoint(0), identity)->state;
  for (const int steps : {1, 2, 5}) {
    options_.learner.train.samples_per_position = 0.12f * static_cast<float>(steps);
    Trainer trainer = MakeTrainer();
    const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
    ASSERT_TRUE(trained) << trained.error().message;
    const auto metrics = nlohmann::json::parse(trained->metrics_json);
    EXPECT_GE(metrics.at("restores"), 1) << trained->metrics_json;
    EXPECT_LT(metrics.at("held_out_latest_loss"),
              LossOfIgnorance(LossWeights::Of(options_.learner.train), 9));
    if (steps > 1) continue;
    const LearnerState end = LoadCheckpoint(checkpoint(1), identity)->state;
    EXPECT_TRUE(end.weights.equal(start.weights));
    EXPECT_TRUE(end.average.equal(start.average));
    EXPECT_EQ(end.rate, (RateGuard{.factor = 0.5, .returns = 1}));
  }
}

TEST_F(TrainerTest, ReturnsToOneCheckpointEndTheRunThoughEachTakesAnIteration) {
  options_.learner.train.lr = 1e30f;
  options_.learner.train.warmup_fraction = 0.0f;
  options_.learner.train.samples_per_position = 0.13f;
  options_.iterations = 10;
  MakeFirstNetwork();
  Trainer trainer = MakeTrainer();
  for (std::uint32_t iteration = 0; iteration < RateGuard::kMostReturns; ++iteration) {
    Play(iteration, 100);
    const Result<TrainedMessage> trained = Train(trainer, MessageFor(iteration));
    ASSERT_TRUE(trained) << iteration << ": " << trained.error().message;
  }
  Play(RateGuard::kMostReturns, 100);
  const Result<TrainedMessage> last = Train(trainer, MessageFor(RateGuard::kMostReturns));
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, Errc::kNotFinite);
  EXPECT_NE(last.error().message.find("5 returns"), std::string::npos) << last.error().message;
  EXPECT_NE(last.error().message.find("lower train.lr"), std::string::npos);
}

TEST_F(TrainerTest, AGoodEndIsRememberedByTheRate) {
  Play(0, 100);
  MakeFirstNetwork();
  const CheckpointIdentity identity = CheckpointIdentity::Of(shape_, game_.info());
  LearnerCheckpoint start = LoadCheckpoint(checkpoint(0), identity).value();
  start.state.rate = {.factor = 0.5, .good_trainings = RateGuard::kGoodTrainings - 1};
  ASSERT_TRUE(SaveCheckpoint(checkpoint(0), identity, start));
  Trainer trainer = MakeTrainer();
  const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
  ASSERT_TRUE(trained) << trained.error().message;
  const auto metrics = nlohmann::json::parse(trained->metrics_json);
  const RateGuard rate = LoadCheckpoint(checkpoint(1), identity)->state.rate;
  EXPECT_EQ(rate, (RateGuard{.known = rate.known}));
  const double ignorance = LossOfIgnorance(LossWeights::Of(options_.learner.train), 9);
  EXPECT_DOUBLE_EQ(rate.known, KnownShare(metrics.at("judged_loss_after"), ignorance));
  EXPECT_GT(rate.known, 0.0);
  EXPECT_EQ(metrics.at("lr_factor"), 1.0);
  EXPECT_LT(metrics.at("judged_loss_after"), metrics.at("judged_loss_before"));
}

// Steps with the game's positions are skipped; where three come in a row, training starts over.
TEST_F(TrainerTest, GoesOnPastRecordsThatAreNotFinite) {
  Play(0, 100);
  std::uint32_t bad = 100;
  while (IsHeldOut(GameId::Make(GameKind::kSelfPlay, 0, bad), 0.1)) ++bad;
  GameRecord record = RandomGame(game_, GameId::Make(GameKind::kSelfPlay, 0, bad));
  for (MoveRecord& move : record.moves) move.root_value = std::nanf("");
  {
    JournalWriter lane = JournalWriter::Open(journal(), identity_).value();
    ASSERT_TRUE(lane.StartGame(record.id));
    for (const MoveRecord& move : record.moves) ASSERT_TRUE(lane.Move(record.id, move));
    ASSERT_TRUE(lane.EndGame({record.id, record.outcome, record.reason,
                              static_cast<std::uint16_t>(record.moves.size())}));
  }
  MakeFirstNetwork();
  Trainer trainer = MakeTrainer();
  const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
  ASSERT_TRUE(trained) << trained.error().message;
  const auto metrics = nlohmann::json::parse(trained->metrics_json);
  EXPECT_GT(metrics.at("skipped_steps"), 3);
  EXPECT_GE(metrics.at("restores"), 1);
  EXPECT_NE(metrics.at("restore_reason").get<std::string>().find("not finite"), std::string::npos);
  EXPECT_LT(metrics.at("loss"), 5.0);
  EXPECT_LT(metrics.at("held_out_latest_loss"), 5.0);
}

TEST_F(TrainerTest, GivesUpWhenStepsKeepFailing) {
  options_.learner.train.lr = 1e30f;  // everything overflows at the second step
  options_.learner.train.warmup_fraction = 0.0f;
  Play(0, 100);
  MakeFirstNetwork();
  Trainer trainer = MakeTrainer();
  const Result<TrainedMessage> trained = Train(trainer, MessageFor(0));
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code, Errc::kNotFinite);
  EXPECT_NE(trained.error().message.find("train.lr"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(checkpoint(1)));
}

}  // namespace
}  // namespace az
