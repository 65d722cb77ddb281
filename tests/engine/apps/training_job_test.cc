// A training on the learner's thread: what it answers when it is done, stopped, short of memory, or
// on a device that is gone. The trainer's clock fails as calls to the device do.
#include "engine/apps/training_job.h"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/files.h"
#include "engine/net/capped_cpu_allocator.h"
#include "tests/engine/train/trainer_fixture.h"

namespace az {
namespace {

constexpr std::uint32_t kAttempt = 7;

// Asked for the time, throws for the first `faults` times.
class FaultyClock final : public Clock {
 public:
  FaultyClock(int faults, std::function<void()> fault)
      : faults_(faults), fault_(std::move(fault)) {}
  TimePoint Now() const override {
    if (faults_.fetch_sub(1) > 0) fault_();
    return SteadyClock().Now();
  }

 private:
  mutable std::atomic<int> faults_;
  const std::function<void()> fault_;
};

// Does `on_call` at each call, which it counts from 1.
class ScriptedClock final : public Clock {
 public:
  explicit ScriptedClock(std::function<void(int)> on_call) : on_call_(std::move(on_call)) {}
  TimePoint Now() const override {
    on_call_(++calls_);
    return SteadyClock().Now();
  }

 private:
  const std::function<void(int)> on_call_;
  mutable int calls_ = 0;  // of the learner's thread alone
};

// The threads that asked for the time, by a number that no other thread gets.
class ThreadClock final : public Clock {
 public:
  TimePoint Now() const override {
    static std::atomic<int> threads = 0;
    thread_local const int number = ++threads;
    askers.insert(number);
    return SteadyClock().Now();
  }
  mutable std::set<int> askers;
};

class CountingMemory final : public DeviceMemory {
 public:
  bool is_lost = false;
  std::atomic<int> caches_emptied = 0;

  MemorySnapshot Snapshot() const override { return {}; }
  std::optional<MemoryRefusal> LastRefusal() const override { return std::nullopt; }
  Result<void> SetCap(std::optional<Bytes>) override { return {}; }
  Bytes EmptyCache() override {
    ++caches_emptied;
    return Bytes(0);
  }
  void ResetPeaks() override {}
  void Synchronize() override {
    if (is_lost) throw std::runtime_error("CUDA error: an illegal memory access was encountered");
  }
  DeviceIdentity Identity() const override { return {}; }
  bool simulated() const override { return true; }
};

class TrainingJobTest : public TrainerTest {
 protected:
  void SetUp() override {
    Play(0, 100);
    MakeFirstNetwork();
  }

  static void NoMemory() { TORCH_CHECK_WITH(OutOfMemoryError, false, "tried to allocate 1 MiB"); }
  static void Broken() { throw std::runtime_error("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"); }

  // Trains iteration 0 to its end. Returns what was told, without progress.
  std::vector<ControlMessage> Run(const Clock& clock) {
    Trainer trainer(game_, shape_, identity_, options_, log_, clock);
    TrainMessage message = MessageFor(0);
    message.attempt = kAttempt;
    TrainingJob job(PartsWith(trainer), message);
    while (!job.is_done()) std::this_thread::yield();
    lost_ = job.lost_device();
    return Told();
  }
  TrainingJob::Parts PartsWith(Trainer& trainer) {
    return {.thread = thread_, .trainer = trainer, .memory = memory_, .outbox = outbox_};
  }
  std::vector<ControlMessage> Told() {
    std::vector<ControlMessage> told;
    for (ControlMessage& message : outbox_.Take()) {
      if (const auto* progress = std::get_if<TrainProgressMessage>(&message)) {
        EXPECT_EQ(progress->attempt, kAttempt);
      } else {
        told.push_back(std::move(message));
      }
    }
    return told;
  }
  void ExpectError(const ControlMessage& message, Errc code, const char* words) {
    const auto* error = std::get_if<ErrorMessage>(&message);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->code, ErrcName(code));
    EXPECT_NE(error->message.find(words), std::string::npos) << error->message;
    EXPECT_FALSE(error->fatal);
    EXPECT_EQ(error->attempt, kAttempt);
  }

  CountingMemory memory_;
  LearnerThread thread_;
  Outbox outbox_{UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))};
  std::optional<Error> lost_;
};

TEST_F(TrainingJobTest, AnswersOnceWithTheCheckpointOfItsAttempt) {
  const std::vector<ControlMessage> told = Run(clock_);
  ASSERT_EQ(told.size(), 1u);
  const auto* trained = std::get_if<TrainedMessage>(&told[0]);
  ASSERT_NE(trained, nullptr);
  EXPECT_EQ(trained->path, checkpoint(1));
  EXPECT_EQ(trained->attempt, kAttempt);
  EXPECT_FALSE(lost_.has_value());
  EXPECT_EQ(memory_.caches_emptied, 0);
}

TEST_F(TrainingJobTest, StoppedItSaysNothingAndWritesNothing) {
  options_.learner.train.samples_per_position = 1e4f;  // minutes, were it not stopped
  Trainer trainer = MakeTrainer();
  TrainMessage message = MessageFor(0);
  message.attempt = kAttempt;
  { const TrainingJob job(PartsWith(trainer), message); }
  EXPECT_TRUE(Told().empty());
  EXPECT_FALSE(std::filesystem::exists(checkpoint(1)));
}

TEST_F(TrainingJobTest, OutOfMemoryOnceIsToldAndTheSameIsWritten) {
  ASSERT_EQ(Run(clock_).size(), 1u);
  const std::string undisturbed = Bytes(1, "weights.safetensors");
  std::filesystem::remove_all(checkpoint(1));

  const std::vector<ControlMessage> told = Run(FaultyClock(1, NoMemory));
  ASSERT_EQ(told.size(), 2u);
  const auto* oom = std::get_if<OomMessage>(&told[0]);
  ASSERT_NE(oom, nullptr);
  EXPECT_EQ(oom->where, "train");
  EXPECT_NE(oom->text.find("tried to allocate"), std::string::npos) << oom->text;
  EXPECT_EQ(memory_.caches_emptied, 1);
  EXPECT_TRUE(std::holds_alternative<TrainedMessage>(told[1]));
  EXPECT_EQ(Bytes(1, "weights.safetensors"), undisturbed);
}

TEST_F(TrainingJobTest, OutOfMemoryTwiceFailsTheTrainingNotTheProcess) {
  const std::vector<ControlMessage> told = Run(FaultyClock(2, NoMemory));
  ASSERT_EQ(told.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<OomMessage>(told[0]));
  ExpectError(told[1], Errc::kNoMemory, "tried to allocate");
  EXPECT_EQ(memory_.caches_emptied, 1);
  EXPECT_FALSE(std::filesystem::exists(checkpoint(1)));
}

TEST_F(TrainingJobTest, AFailureOfADeviceThatAnswersIsTheTrainings) {
  const std::vector<ControlMessage> told = Run(FaultyClock(1, Broken));
  ASSERT_EQ(told.size(), 1u);
  ExpectError(told[0], Errc::kUnavailable, "CUDNN_STATUS_EXECUTION_FAILED");
  EXPECT_FALSE(lost_.has_value());
}

// Nothing is answered: a new process is sent the training again.
TEST_F(TrainingJobTest, ALostDeviceIsNoFailureOfTheTraining) {
  memory_.is_lost = true;
  EXPECT_TRUE(Run(FaultyClock(1, Broken)).empty());
  ASSERT_TRUE(lost_.has_value());
  EXPECT_EQ(lost_->code, Errc::kUnavailable);
}

// Each rung that is told of is taken off the plan: a second attempt from the top would tell the same
// ones again. Memory runs out twice in the first step of either attempt, and once after it.
TEST_F(TrainingJobTest, ASecondAttemptBeginsWithTheSizesOfTheFirst) {
  CappedHeap& heap = InstallCappedCpuAllocator();
  std::vector<StepSizes> rungs;
  options_.learner.on_out_of_memory = [&](const LearnerOom& oom) {
    if (oom.rung == StepRung::kCleanUp) {
      heap.FailAt(1);
    } else {
      rungs.push_back(oom.sizes);
    }
  };
  constexpr int kBeforeSteps =
      3;  // the trainer asks: at the start, when the journals are read, here
  const ScriptedClock clock([&](int call) {
    if (call == kBeforeSteps || call == kBeforeSteps + 1 + kBeforeSteps) heap.FailAt(1);
    if (call == kBeforeSteps + 1) NoMemory();
  });
  const std::vector<ControlMessage> told = Run(clock);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<OomMessage>(told[0]));
  EXPECT_TRUE(std::holds_alternative<TrainedMessage>(told[1]));
  ASSERT_EQ(rungs.size(), 2u);
  EXPECT_NE(rungs[0], rungs[1]) << "told twice";
  EXPECT_LE(rungs[1].micro_batch, rungs[0].micro_batch);
}

// cuDNN keeps its plans for each thread, and for good.
TEST_F(TrainingJobTest, AllTrainingsRunOnOneThread) {
  const ThreadClock clock;
  for (int training = 0; training < 3; ++training) {
    std::filesystem::remove_all(checkpoint(1));
    ASSERT_EQ(Run(clock).size(), 1u);
  }
  EXPECT_EQ(clock.askers.size(), 1u);
}

}  // namespace
}  // namespace az
