// What az_device answers, trains and serves.

#include "tests/engine/apps/device_fixture.h"

namespace az {
namespace {

TEST_F(DeviceTest, AnswersProbesOfBothKinds) {
  Start();
  const auto first = MakeFirstNetwork();
  ASSERT_TRUE(first);
  Load(0, 1);
  for (const char* phase : {"train", "inference"}) {
    for (const int rows : {8, 32, 64}) {  // the last above the largest bucket of the plan
      ASSERT_TRUE(channel_->Send(ProbeMessage{.phase = phase, .rows = rows, .steps = 2}));
      const auto probed = Await<ProbedMessage>();
      ASSERT_TRUE(probed);
      EXPECT_EQ(probed->phase, phase);
      EXPECT_EQ(probed->rows, rows);
      EXPECT_FALSE(probed->out_of_memory);
      EXPECT_GT(probed->step_us, 0);
      EXPECT_GT(probed->process_bytes, 1 << 20);
      EXPECT_GT(probed->peak_bytes, probed->state_bytes);
      EXPECT_EQ(probed->context_bytes, -1) << "a processor has none";
    }
  }
}

// The same rows of a step in one piece, in two, and in one with checkpointing.
TEST_F(DeviceTest, ProbesTrainingWithARungTaken) {
  std::string config(kConfig);
  const std::string_view one_block = "num_filters: 8, num_res_blocks: 1";
  config.replace(config.find(one_block), one_block.size(), "num_filters: 32, num_res_blocks: 4");
  WriteConfig(config);
  Start();
  const auto took = [&](const ProbeMessage& message) {
    EXPECT_TRUE(channel_->Send(message));
    const ProbedMessage probed = Await<ProbedMessage>().value_or(ProbedMessage{});
    EXPECT_FALSE(probed.out_of_memory);
    EXPECT_GT(probed.step_us, 0);
    return probed.peak_bytes - probed.state_bytes;
  };
  const std::int64_t whole = took({.phase = "train", .rows = 512, .steps = 2});
  const std::int64_t halved = took({.phase = "train", .rows = 256, .steps = 2, .micro_batches = 2});
  const std::int64_t checkpointed =
      took({.phase = "train", .rows = 512, .steps = 2, .checkpoint_blocks = 1});
  EXPECT_GT(halved, whole / 4);
  EXPECT_LT(halved, whole * 3 / 4);
  EXPECT_GT(checkpointed, whole / 4);
  EXPECT_LT(checkpointed, whole * 3 / 4);
}

TEST_F(DeviceTest, RefusesAProbeItDoesNotKnow) {
  Start();
  const std::pair<ProbeMessage, std::string> cases[] = {
      {{.phase = "tea", .rows = 8, .steps = 2}, "'tea'"},
      {{.phase = "train", .rows = 8, .steps = 2, .micro_batches = 0}, "probe 0 times 8 rows"},
      {{.phase = "train", .rows = 8, .steps = 2, .checkpoint_blocks = -1}, "-1"}};
  for (const auto& [message, why] : cases) {
    ASSERT_TRUE(channel_->Send(message));
    const auto error = Await<ErrorMessage>();
    ASSERT_TRUE(error);
    EXPECT_FALSE(error->fatal);
    EXPECT_NE(error->message.find(why), std::string::npos) << error->message;
  }
}

TEST_F(DeviceTest, ServesTrainsAndStops) {
  Start();
  ASSERT_TRUE(MakeFirstNetwork());
  Load(0, 7);
  ShmEvaluator worker(*segment_, 0, 1);
  EvalBatch batch = Submit(worker, 5);
  ASSERT_TRUE(worker.Wait(batch, Deadline::In(seconds(10))));
  EXPECT_EQ(batch.version(), 7U);
  for (int row = 0; row < 5; ++row) {
    EXPECT_LE(std::abs(*batch.row(row).value), 0.2f);  // a new network knows nothing
    for (const float logit : batch.row(row).logits) EXPECT_LE(std::abs(logit), 1.0f);
  }

  ASSERT_TRUE(channel_->Send(TrainOnRandomGames(150)));
  EvalBatch meanwhile = Submit(worker, 3);
  EXPECT_TRUE(worker.Wait(meanwhile, Deadline::In(seconds(10))));
  const auto trained = Await<TrainedMessage>();
  ASSERT_TRUE(trained);
  EXPECT_EQ(trained->path, checkpoint(1));
  EXPECT_NE(trained->metrics_json.find("samples_per_s"), std::string::npos);
  EXPECT_GT(progress_, 0);
  EXPECT_TRUE(std::filesystem::exists(checkpoint(1) + "/weights.safetensors"));

  ASSERT_TRUE(channel_->Send(ReleaseMessage{.phase = 3}));
  const auto released = Await<ReleasedMessage>();
  ASSERT_TRUE(released);
  EXPECT_EQ(released->phase, 3U);
  EXPECT_EQ(released->freed_device_bytes,
            released->before.reserved_bytes - released->after.reserved_bytes);
  const auto stats = Await<DeviceStatsMessage>();
  ASSERT_TRUE(stats);
  ASSERT_TRUE(channel_->Send(StopMessage{}));
  EXPECT_EQ(ExitStatus(), 0);
}

TEST_F(DeviceTest, AnUnloadedSlotAnswersNothingUntilItIsLoadedAgain) {
  Start();
  ASSERT_TRUE(MakeFirstNetwork());
  ShmEvaluator worker(*segment_, 0, 1);
  for (const std::uint64_t version : {7u, 8u}) {
    Load(0, version);
    EvalBatch served = Submit(worker, 2);
    ASSERT_TRUE(worker.Wait(served, Deadline::In(seconds(10))));
    EXPECT_EQ(served.version(), version);
    ASSERT_TRUE(channel_->Send(UnloadMessage{.slot = 0}));
    ASSERT_TRUE(channel_->Send(ReleaseMessage{.phase = 1, .level = CleanupLevel::kFull}));
    ASSERT_TRUE(Await<ReleasedMessage>());
    EvalBatch refused = Submit(worker, 2);
    const Result<void> answer = worker.Wait(refused, Deadline::In(seconds(10)));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::kNoModel);
  }
}

TEST_F(DeviceTest, ASuccessorAnswersWhatTheDeadOneLeft) {
  Start(1);
  ASSERT_TRUE(MakeFirstNetwork());
  Load(0, 7);  // from now on blocks of the slot wait for its weights instead of failing
  ShmEvaluator worker(*segment_, 0, 1);
  kill(pid_, SIGKILL);
  EXPECT_EQ(ExitStatus(), 128 + SIGKILL);
  EvalBatch batch = Submit(worker, 4);  // nobody is there
  Start(2);
  Load(0, 9);
  ASSERT_TRUE(worker.Wait(batch, Deadline::In(seconds(10))));
  EXPECT_EQ(batch.version(), 9U);
}

TEST_F(DeviceTest, AnswersABadLoadAndAFailedTrainingAndGoesOn) {
  Start();
  ASSERT_TRUE(MakeFirstNetwork());
  const auto refusal = [&]() -> std::optional<ErrorMessage> {
    const Deadline deadline = Deadline::In(seconds(20));
    while (true) {
      const Result<ControlMessage> message = channel_->Await(deadline);
      if (!message) return std::nullopt;
      if (const auto* error = std::get_if<ErrorMessage>(&*message)) return *error;
    }
  };
  ASSERT_TRUE(channel_->Send(LoadMessage{.slot = 0, .path = checkpoint(55), .version = 1}));
  const std::optional<ErrorMessage> load = refusal();
  ASSERT_TRUE(load);
  EXPECT_FALSE(load->fatal);
  EXPECT_EQ(load->code, "not_found");
  EXPECT_EQ(load->attempt, 0u);

  TrainMessage train = TrainOnRandomGames(20);
  train.from = checkpoint(55);
  train.attempt = 3;
  ASSERT_TRUE(channel_->Send(train));
  const std::optional<ErrorMessage> training = refusal();
  ASSERT_TRUE(training);
  EXPECT_FALSE(training->fatal);
  EXPECT_EQ(training->attempt, 3u) << "it may have been given up meanwhile";
  Load(0, 2);
}

TEST_F(DeviceTest, SigtermEndsATrainingWithoutATrace) {
  Start();
  ASSERT_TRUE(MakeFirstNetwork());
  TrainMessage train = TrainOnRandomGames(4000);
  ASSERT_TRUE(channel_->Send(train));
  while (progress_ == 0) {  // it is under way
    const Result<ControlMessage> message = channel_->Await(Deadline::In(seconds(20)));
    ASSERT_TRUE(message);
    ASSERT_FALSE(std::holds_alternative<TrainedMessage>(*message)) << "trained too fast to stop";
    progress_ += std::holds_alternative<TrainProgressMessage>(*message);
  }
  kill(pid_, SIGTERM);
  EXPECT_EQ(ExitStatus(seconds(5)), 0);
  EXPECT_FALSE(std::filesystem::exists(checkpoint(1)));
}

TEST_F(DeviceTest, EndsWithItsSupervisor) {
  Start();
  lifeline_[1].Reset();
  channel_.reset();
  EXPECT_GT(ExitStatus(seconds(5)), 0);
}

TEST_F(DeviceTest, RefusesTheSegmentOfAnotherRun) {
  Spawn(1, NewRunId().value());
  EXPECT_EQ(ExitStatus(), static_cast<int>(ExitCode::kWrongSegment));
}

TEST_F(DeviceTest, SaysWhenThereIsNoGpu) {
  Spawn();
  SendPlan(/*memory_cap_bytes=*/0, "cuda:9");
  EXPECT_EQ(ExitStatus(), static_cast<int>(ExitCode::kEnvironment));
  EXPECT_NE(LogText().find("cuda:9"), std::string::npos) << LogText();
}

}  // namespace
}  // namespace az
