#include "engine/ipc/segment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <vector>

#include "tests/support/segment_fixture.h"

namespace az {
namespace {

using fakes::MakeSegment;
using fakes::TestSpec;

SegmentExpectation Expected(const SegmentSpec& spec) {
  return {.run_id = spec.run_id,
          .game_hash = spec.game_hash,
          .in_words = spec.shape.in_words,
          .num_actions = spec.shape.num_actions,
          .lane = 0};
}

UniqueFd Duplicate(const Segment& segment) { return UniqueFd(::dup(segment.fd())); }

TEST(Segment, StartsEmptyAndSealed) {
  const auto segment = MakeSegment(TestSpec(3));
  EXPECT_EQ(segment->CountBlocks(BlockState::kFree), 12);
  EXPECT_EQ(segment->stop(), StopWord::kRun);
  EXPECT_NE(::ftruncate(segment->fd(), 100), 0);
  EXPECT_NE(::ftruncate(segment->fd(), 1 << 24), 0);
  EXPECT_TRUE((::fcntl(segment->fd(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST(Segment, AnotherMappingSeesTheSameBytes) {
  const SegmentSpec spec = TestSpec(2);
  const auto mine = MakeSegment(spec);
  auto theirs = Segment::Open(Duplicate(*mine), Expected(spec));
  ASSERT_TRUE(theirs.has_value()) << theirs.error().message;
  EXPECT_EQ((*theirs)->shape(), spec.shape);
  for (std::uint32_t lane = 0; lane < 2; ++lane) {
    for (std::uint32_t k = 0; k < 4; ++k) {
      mine->planes(lane, k).back() = 100 * lane + k;
      mine->logits(lane, k).back() = static_cast<float>(k);
      mine->values(lane, k).front() = -1;
    }
  }
  for (std::uint32_t lane = 0; lane < 2; ++lane) {
    for (std::uint32_t k = 0; k < 4; ++k) {
      EXPECT_EQ((*theirs)->planes(lane, k).back(), 100 * lane + k);
      EXPECT_EQ((*theirs)->logits(lane, k).back(), static_cast<float>(k));
      EXPECT_EQ((*theirs)->values(lane, k).front(), -1.0f);
    }
  }
}

TEST(Segment, EachBrokenFieldIsRefusedAndNothingIsWritten) {
  struct Case {
    const char* named;
    std::function<void(Header&, SegmentExpectation&)> spoil;
  };
  const std::vector<Case> cases = {
      {"magic", [](Header& h, auto&) { h.magic ^= 1; }},
      {"layout version", [](Header& h, auto&) { ++h.abi; }},
      {"layout hash", [](Header& h, auto&) { h.layout_hash ^= 1; }},
      {"total bytes", [](Header& h, auto&) { h.total_bytes += 4096; }},
      {"size",
       [](Header& h, auto&) {
         h.shape.lanes = 1;
         h.total_bytes = ComputeLayout(h.shape).total_bytes;
       }},
      {"shape", [](Header& h, auto&) { h.shape.rows = 65; }},
      {"ready", [](Header& h, auto&) { h.ready = 0; }},
      {"game hash", [](Header& h, auto&) { ++h.game_hash; }},
      {"run id", [](Header& h, auto&) { h.run_id.bytes[15] ^= 1; }},
      {"words a row", [](Header&, SegmentExpectation& e) { ++e.in_words; }},
      {"actions", [](Header&, SegmentExpectation& e) { ++e.num_actions; }},
      {"lane", [](Header&, SegmentExpectation& e) { e.lane = 2; }},
  };
  for (const Case& broken : cases) {
    const SegmentSpec spec = TestSpec(2);
    const auto segment = MakeSegment(spec);
    SegmentExpectation expected = Expected(spec);
    broken.spoil(segment->header(), expected);
    std::vector<std::byte> before(segment->layout().total_bytes);
    std::memcpy(before.data(), &segment->header(), before.size());
    const auto opened = Segment::Open(Duplicate(*segment), expected);
    ASSERT_FALSE(opened.has_value()) << broken.named;
    EXPECT_EQ(opened.error().code, Errc::kIncompatible) << broken.named;
    EXPECT_NE(opened.error().message.find(broken.named), std::string::npos)
        << opened.error().message;
    EXPECT_NE(opened.error().message.find("expected"), std::string::npos);
    EXPECT_EQ(std::memcmp(before.data(), &segment->header(), before.size()), 0) << broken.named;
  }
}

TEST(Segment, FilesThatAreNoSealedSegmentAreRefused) {
  const SegmentExpectation expected = Expected(TestSpec(1));
  UniqueFd unsealed(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.get(), 1 << 20), 0);
  UniqueFd tiny(::memfd_create("tiny", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(tiny.get(), 100), 0);
  ASSERT_EQ(::fcntl(tiny.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  const auto no_seals = Segment::Open(std::move(unsealed), expected);
  ASSERT_FALSE(no_seals.has_value());
  EXPECT_NE(no_seals.error().message.find("seals"), std::string::npos);
  const auto too_small = Segment::Open(std::move(tiny), expected);
  ASSERT_FALSE(too_small.has_value());
  EXPECT_NE(too_small.error().message.find("size"), std::string::npos);
  const auto closed = Segment::Open(UniqueFd(), expected);
  ASSERT_FALSE(closed.has_value());
}

TEST(Segment, ProcessLinesSayWhoAndWhen) {
  const auto segment = MakeSegment(TestSpec(1));
  const TimePoint now = std::chrono::steady_clock::now();
  EXPECT_FALSE(Segment::SinceBeat(segment->device(), now).has_value());
  segment->Register(segment->device(), 7, ProcessState::kRunning);
  EXPECT_EQ(segment->device().pid.load(), static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(segment->device().epoch.load(), 7u);
  const auto age = Segment::SinceBeat(segment->device(), now + std::chrono::seconds(30));
  ASSERT_TRUE(age.has_value());
  EXPECT_GT(*age, std::chrono::seconds(20));
}

TEST(Segment, StopAndNoticesReachEveryLane) {
  const auto segment = MakeSegment(TestSpec(2));
  segment->SetStop(StopWord::kDrain);
  EXPECT_EQ(segment->stop(), StopWord::kDrain);
  segment->NotifyLane(1);
  EXPECT_EQ(segment->lane(0).notices.load(), 1u);
  EXPECT_EQ(segment->lane(1).notices.load(), 2u);
}

}  // namespace
}  // namespace az
