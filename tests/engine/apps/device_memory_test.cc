// az_device under caps of its allocator: what does not fit is refused or made smaller.

#include <set>

#include "scheduler/oom_figures.h"
#include "tests/engine/apps/device_fixture.h"

namespace az {
namespace {

class DeviceMemoryTest : public DeviceTest {
 protected:
  // Nothing: published. Else the code of the answer, which follows a report of the first try.
  std::optional<std::string> LoadOrRefusal(int slot, std::uint64_t version) {
    EXPECT_TRUE(
        channel_->Send(LoadMessage{.slot = slot, .path = checkpoint(0), .version = version}));
    bool was_told = false;
    while (true) {
      const Result<ControlMessage> message = channel_->Await(Deadline::In(seconds(20)));
      if (!message) return message.error().message;
      if (const auto* oom = std::get_if<OomMessage>(&*message)) was_told = oom->where == "load";
      if (std::holds_alternative<PublishedMessage>(*message)) return std::nullopt;
      if (const auto* error = std::get_if<ErrorMessage>(&*message)) {
        EXPECT_TRUE(was_told);
        EXPECT_FALSE(error->fatal);
        return error->code;
      }
    }
  }
};

// Weights of some 2 MiB under caps that rise: each load is answered, a refused one leaves the slot
// as it was, and in the end all fit.
TEST_F(DeviceMemoryTest, ALoadWithoutRoomIsRefusedAndTheSlotStaysAsItWas) {
  std::string config(kConfig);
  config.replace(config.find("num_filters: 8"), 14, "num_filters: 96");
  WriteConfig(config + "engine: {max_deaths_per_minute: 0}\n");
  std::uint32_t epoch = 1;
  Start(epoch);
  ASSERT_TRUE(MakeFirstNetwork());
  const auto stop = [this] {
    ASSERT_TRUE(channel_->Send(StopMessage{}));
    EXPECT_EQ(ExitStatus(), 0);
  };
  stop();
  // Which of: into an empty slot, over the weights there, into the other slot.
  std::set<std::vector<bool>> outcomes;
  for (std::int64_t cap = 1 << 20; !outcomes.contains({true, true, true}); cap += 1 << 19) {
    ASSERT_LT(cap, 32 << 20);
    Start(++epoch, cap);
    std::vector<bool> fits;
    std::uint64_t held = 0;
    for (const auto& [slot, version] : {std::pair(0, 5u), std::pair(0, 6u), std::pair(1, 7u)}) {
      const std::optional<std::string> refused = LoadOrRefusal(slot, version);
      fits.push_back(!refused);
      EXPECT_EQ(refused.value_or("no_memory"), "no_memory");
      if (slot == 0 && !refused) held = version;
      if (held == 0) continue;
      ShmEvaluator worker(*segment_, 0, epoch);
      EvalBatch batch = Submit(worker, 3);
      ASSERT_TRUE(worker.Wait(batch, Deadline::In(seconds(10))));
      EXPECT_EQ(batch.version(), held) << "cap " << cap;
    }
    outcomes.insert(fits);
    stop();
  }
  EXPECT_TRUE(outcomes.contains({false, false, false}));
  EXPECT_TRUE(outcomes.contains({true, false, false})) << "over the old ones";
}

// Half of what the training took above its state: it goes down until it fits, tells so, and goes
// on.
TEST_F(DeviceMemoryTest, TrainsBelowACapByGivingUpSizes) {
  Start(1);
  ASSERT_TRUE(MakeFirstNetwork());
  const auto layers_after = [&](const TrainMessage& message) {
    EXPECT_TRUE(channel_->Send(message));
    EXPECT_TRUE(Await<TrainedMessage>());
    EXPECT_TRUE(channel_->Send(ReleaseMessage{.phase = 1}));
    const ReleasedMessage released = Await<ReleasedMessage>().value_or(ReleasedMessage{});
    EXPECT_GT(released.freed_device_bytes, 0);
    EXPECT_EQ(released.freed_device_bytes,
              released.before.reserved_bytes - released.after.reserved_bytes);
    return released.before;
  };
  TrainMessage message = TrainOnRandomGames(100);
  message.micro_batch = 2048;  // batch-norm statistics take the most: 4096 rows
  const MemoryLayersMessage plenty = layers_after(message);
  kill(pid_, SIGKILL);
  EXPECT_EQ(ExitStatus(), 128 + SIGKILL);

  const std::int64_t cap =
      plenty.allocated_bytes + (plenty.peak_allocated_bytes - plenty.allocated_bytes) / 2;
  Start(2, cap);
  message.to = checkpoint(2);
  ASSERT_TRUE(channel_->Send(message));
  int rungs = 0;
  while (true) {
    const Result<ControlMessage> said = channel_->Await(Deadline::In(seconds(30)));
    ASSERT_TRUE(said) << said.error().message;
    if (const auto* error = std::get_if<ErrorMessage>(&*said)) FAIL() << error->message;
    if (std::holds_alternative<TrainedMessage>(*said)) break;
    const auto* oom = std::get_if<OomMessage>(&*said);
    if (oom == nullptr) continue;
    EXPECT_EQ(oom->where, "train");
    EXPECT_GT(oom->requested_bytes, 0) << oom->text;
    EXPECT_GE(oom->memory.allocated_bytes, 0);
    // Below a cap nothing is cached when the heap refuses. After the unwinding there is.
    const OomFigures figures{
        .requested = Bytes(oom->requested_bytes),
        .allocated = Bytes(oom->memory.allocated_bytes),
        .cached = Bytes(oom->memory.reserved_bytes - oom->memory.allocated_bytes),
        .free = std::nullopt,
        .below_cap = Bytes(oom->below_cap_bytes),
        .rounding = Bytes(oom->rounding_bytes)};
    EXPECT_EQ(CauseOfOom(figures), OomCause::kTooLarge) << oom->text;
    EXPECT_GE(oom->below_cap_bytes, 0);
    EXPECT_EQ(oom->free_bytes, -1) << "nobody asked the system then";
    if (oom->rung.empty()) continue;
    ++rungs;
    EXPECT_LT(oom->micro_batch, 2048);
  }
  EXPECT_GT(rungs, 0);
  EXPECT_TRUE(std::filesystem::exists(checkpoint(2) + "/weights.safetensors"));
}

// Not even the learner's state has room, so that no step is come to.
TEST_F(DeviceMemoryTest, AProbeWithoutRoomForItsNetworkIsAnswered) {
  std::string config(kConfig);
  config.replace(config.find("num_filters: 8"), 14, "num_filters: 96");
  WriteConfig(config);
  Start(1, 1 << 20);
  ASSERT_TRUE(channel_->Send(ProbeMessage{.phase = "train", .rows = 8, .steps = 2}));
  const auto probed = Await<ProbedMessage>();
  ASSERT_TRUE(probed);
  EXPECT_TRUE(probed->out_of_memory);
  ASSERT_TRUE(channel_->Send(StopMessage{}));
  EXPECT_EQ(ExitStatus(), 0);
}

}  // namespace
}  // namespace az
