#include "engine/apps/release_caches.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/files.h"

namespace az {
namespace {

class FakeMemory final : public DeviceMemory {
 public:
  std::function<void()> on_synchronize = [] {};
  int caches_emptied = 0;

  MemorySnapshot Snapshot() const override { return {.reserved = MiB(8 - 2 * caches_emptied)}; }
  std::optional<MemoryRefusal> LastRefusal() const override { return std::nullopt; }
  Result<void> SetCap(std::optional<Bytes>) override { return {}; }
  Bytes EmptyCache() override {
    ++caches_emptied;
    return MiB(2);
  }
  void ResetPeaks() override {}
  void Synchronize() override { on_synchronize(); }
  DeviceIdentity Identity() const override { return {}; }
  bool simulated() const override { return true; }
};

class ReleaseTest : public ::testing::Test {
 protected:
  std::vector<ControlMessage> Release(CleanupLevel level) {
    auto answered = AnswerRelease({.phase = 3, .level = level}, memory_, outbox_);
    EXPECT_TRUE(answered);
    return answered ? *std::move(answered) : std::vector<ControlMessage>();
  }
  static std::string WhereOf(const ControlMessage& message) {
    const auto* oom = std::get_if<OomMessage>(&message);
    return oom == nullptr ? "no failure" : oom->where;
  }

  FakeMemory memory_;
  Outbox outbox_{UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))};
};

TEST_F(ReleaseTest, TellsWhatWasFreedAndWhatIsLeft) {
  const std::vector<ControlMessage> told = Release(CleanupLevel::kFull);
  ASSERT_EQ(told.size(), 1u);
  const auto& released = std::get<ReleasedMessage>(told[0]);
  EXPECT_EQ(released.phase, 3u);
  EXPECT_EQ(released.freed_device_bytes, MiB(2).count());
  EXPECT_EQ(released.before.reserved_bytes, MiB(8).count());
  EXPECT_EQ(released.after.reserved_bytes, MiB(6).count());
}

// A batch in flight that is refused while the release waits for it is still of the phase before.
TEST_F(ReleaseTest, AllFailuresBeforeItAreToldBeforeIt) {
  outbox_.Put(OomMessage{.where = "train"});
  memory_.on_synchronize = [this] { outbox_.Put(OomMessage{.where = "inference"}); };
  const std::vector<ControlMessage> told = Release(CleanupLevel::kFull);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(WhereOf(told[0]), "train");
  EXPECT_EQ(WhereOf(told[1]), "inference");
  EXPECT_TRUE(std::holds_alternative<ReleasedMessage>(told[2]));
}

TEST_F(ReleaseTest, InTheMiddleOfAPhaseNobodyWaits) {
  memory_.on_synchronize = [] { FAIL() << "waited"; };
  outbox_.Put(OomMessage{.where = "train"});
  EXPECT_EQ(Release(CleanupLevel::kLight).size(), 2u);
  EXPECT_EQ(memory_.caches_emptied, 1);
}

// The process ends with 75 then, and its successor is asked again.
TEST_F(ReleaseTest, ALostDeviceIsAnErrorAndAPassingFailureIsNone) {
  int failures = 1;
  memory_.on_synchronize = [&failures] {
    if (--failures >= 0) throw std::runtime_error("CUDA error: unspecified launch failure");
  };
  outbox_.Put(OomMessage{.where = "train"});
  EXPECT_EQ(Release(CleanupLevel::kFull).size(), 2u);

  failures = 2;
  outbox_.Put(OomMessage{.where = "train"});
  const auto answered = AnswerRelease({.phase = 4}, memory_, outbox_);
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, Errc::kUnavailable);
  EXPECT_EQ(outbox_.Take().size(), 1u) << "still to be told";
}

}  // namespace
}  // namespace az
