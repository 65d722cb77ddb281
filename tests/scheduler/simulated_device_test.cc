#include "scheduler/simulated_device.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "scheduler/oom_classifier.h"
#include "scheduler/oom_figures.h"
#include "scheduler/watch.h"

namespace az {
namespace {

SimulatedCardSpec Card() {
  return {.name = "rtx4070-12GB", .total = GiB(12), .context = MiB(450), .others = MiB(256)};
}

TEST(SimulatedDevice, SaysThatItIsSimulated) {
  const SimulatedDevice device(Card());
  EXPECT_TRUE(device.simulated());
  EXPECT_TRUE(device.Identity().simulated);
  EXPECT_NE(device.Identity().device.find("simulated"), std::string::npos);
}

TEST(SimulatedDevice, LayersAreInsideOneAnother) {
  SimulatedDevice device(Card());
  ASSERT_TRUE(device.Allocate(Bytes(1000)));
  ASSERT_TRUE(device.Allocate(MiB(3)));
  ASSERT_TRUE(device.Allocate(MiB(11)));
  const MemorySnapshot seen = device.Snapshot();
  EXPECT_EQ(seen.requested, MiB(14) + Bytes(1000));
  EXPECT_EQ(seen.allocated, MiB(14) + Bytes(1024));
  EXPECT_EQ(seen.reserved, MiB(2) + MiB(20)) << "11 MiB are left beside the 3";
  EXPECT_EQ(seen.ours, *seen.reserved + MiB(450));
  EXPECT_EQ(seen.co_tenants(), MiB(256));
  EXPECT_EQ(seen.outside_allocator(), MiB(450));
  EXPECT_EQ(seen.total, GiB(12));
}

TEST(SimulatedDevice, FreedMemoryIsCachedUntilItGoesBack) {
  SimulatedDevice device(Card());
  const auto piece = device.Allocate(MiB(64)).value();
  device.Free(piece);
  EXPECT_EQ(device.Snapshot().cached(), MiB(64));
  EXPECT_EQ(device.Snapshot().inactive_split, Bytes()) << "all of it can go back";
  EXPECT_EQ(device.EmptyCache(), MiB(64));
  EXPECT_EQ(device.Snapshot().reserved, Bytes());
  EXPECT_EQ(device.Snapshot().reserved_peak, MiB(64));
  device.ResetPeaks();
  EXPECT_EQ(device.Snapshot().reserved_peak, Bytes());
}

// Why the usual design dies in epoch 5: sizes that vary leave holes that nothing fits.
TEST(SimulatedDevice, VaryingSizesFragmentUntilARequestFailsThatWouldFit) {
  SimulatedDevice device(Card());
  ASSERT_TRUE(device.SetCap(MiB(400)));
  std::vector<SimulatedDevice::Piece> pieces;
  while (true) {  // segments of 20 MiB with 4 pieces each
    const auto piece = device.Allocate(MiB(5));
    if (!piece) break;
    pieces.push_back(*piece);
  }
  EXPECT_EQ(pieces.size(), 80u);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i % 4 != 0) device.Free(pieces[i]);
  }
  const MemorySnapshot seen = device.Snapshot();
  EXPECT_EQ(seen.cached(), MiB(300));
  EXPECT_DOUBLE_EQ(Fragmentation(seen.inactive_split, seen.reserved).value(), 0.75);
  const auto refused = device.Allocate(MiB(24));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kNoMemory);
  EXPECT_NE(refused.error().message.find("SIMULATED"), std::string::npos);
  const OomFigures at = FiguresOf(refused.error().message, device.LastRefusal());
  EXPECT_EQ(at.requested, MiB(24));
  EXPECT_EQ(device.LastRefusal()->layers.largest_hole, MiB(15)) << "three pieces side by side";
  EXPECT_EQ(at.below_cap, Bytes());
  EXPECT_EQ(CauseOfOom(at), OomCause::kFragmentation);
  EXPECT_EQ(Classify({.kind = ExceptionKind::kOther, .text = refused.error().message}, {}),
            Failure::kDeviceMemory);
  EXPECT_GE(*device.Snapshot().num_alloc_retries, 1);
  ASSERT_TRUE(device.Allocate(MiB(15))) << "a hole of three";
}

// The same sizes in one segment that grows leave no holes.
TEST(SimulatedDevice, ASegmentThatGrowsWastesItsEndAlone) {
  for (const bool expandable : {false, true}) {
    SimulatedCardSpec card = Card();
    card.expandable = expandable;
    SimulatedDevice device(card);
    std::vector<SimulatedDevice::Piece> pieces;
    for (int i = 0; i < 30; ++i) pieces.push_back(device.Allocate(MiB(7)).value());
    EXPECT_EQ(device.Snapshot().reserved, expandable ? MiB(220) : MiB(300));
    for (std::size_t i = 2; i < pieces.size(); ++i) device.Free(pieces[i]);
    device.EmptyCache();
    EXPECT_EQ(device.Snapshot().reserved, MiB(20)) << "two pieces of 7";
  }
}

TEST(SimulatedDevice, ACoTenantThatGrowsTakesWhatIsLeft) {
  SimulatedDevice device(Card());
  ASSERT_TRUE(device.Allocate(GiB(4)));
  device.SetOthers(GiB(7));
  const auto refused = device.Allocate(GiB(2));
  ASSERT_FALSE(refused);
  EXPECT_EQ(device.Snapshot().num_ooms, 1);
  EXPECT_EQ(CauseOfOom(FiguresOf(refused.error().message, device.LastRefusal())),
            OomCause::kTooLarge)
      << "without a cap nobody said how much was to be ours";
  ASSERT_TRUE(device.SetCap(GiB(8)));
  const auto capped = device.Allocate(GiB(2));
  EXPECT_EQ(CauseOfOom(FiguresOf(capped.error().message, device.LastRefusal())),
            OomCause::kCoTenants);
  device.SetOthers(MiB(256));
  EXPECT_TRUE(device.Allocate(GiB(2)));
  device.SetOthers(GiB(100));
  EXPECT_EQ(device.Snapshot().used, GiB(12)) << "no more than there is";
}

// Whatever is freed after a refusal, it is told of as it was; and its text says nothing else.
TEST(SimulatedDevice, KeepsTheFiguresOfItsLastRefusal) {
  Rng rng(3);
  std::map<OomCause, int> seen;
  for (int round = 0; round < 300; ++round) {
    const bool leaves_holes = round % 2 == 0;
    SimulatedDevice device(Card());
    EXPECT_FALSE(device.LastRefusal());
    ASSERT_TRUE(device.SetCap(MiB(400)));
    if (round % 3 == 0) device.SetOthers(GiB(12) - MiB(600 + round));
    std::vector<SimulatedDevice::Piece> pieces;
    std::optional<Error> refused;
    while (!refused) {
      // Odd rounds: whole segments, of which nothing is cached.
      const auto drawn = static_cast<std::int64_t>(rng.Below(12'000));
      const auto piece = device.Allocate(leaves_holes ? KiB(drawn + 1) : MiB(10 + drawn % 20 * 2));
      if (!piece) {
        refused = piece.error();
      } else if (leaves_holes && rng.Below(3) == 0 && !pieces.empty()) {
        const std::size_t at = rng.Below(pieces.size());
        device.Free(std::exchange(pieces[at], *piece));
      } else {
        pieces.push_back(*piece);
      }
    }
    const MemorySnapshot then = device.Snapshot();
    for (const SimulatedDevice::Piece piece : pieces) device.Free(piece);
    const OomFigures exact = FiguresOf(refused->message, device.LastRefusal());
    EXPECT_EQ(exact.rounding, Bytes());
    EXPECT_EQ(exact.allocated, then.allocated);
    EXPECT_EQ(exact.cached, then.cached());
    const OomCause cause = CauseOfOom(exact);
    const OomCause read = CauseOfOom(FiguresOf(refused->message));
    EXPECT_TRUE(read == cause || read == OomCause::kUnknown) << refused->message;
    ++seen[read];
  }
  EXPECT_GT(seen[OomCause::kFragmentation], 10);
  EXPECT_GT(seen[OomCause::kTooLarge], 10);
  EXPECT_GT(seen[OomCause::kCoTenants], 10);
}

TEST(SimulatedDevice, GivesItsCacheBackBeforeItRefuses) {
  SimulatedDevice device(Card());
  ASSERT_TRUE(device.SetCap(MiB(100)));
  const auto first = device.Allocate(MiB(60)).value();
  device.Free(first);
  EXPECT_TRUE(device.Allocate(MiB(80)));
  EXPECT_EQ(device.Snapshot().num_alloc_retries, 1);
  EXPECT_EQ(device.Snapshot().num_ooms, 0);
  EXPECT_EQ(device.SetCap(Bytes()).error().code, Errc::kInvalid);
}

TEST(SimulatedDevice, SumsHoldWhateverIsAllocatedAndFreed) {
  Rng rng(5);
  SimulatedDevice device(Card());
  ASSERT_TRUE(device.SetCap(GiB(1)));
  std::vector<std::pair<SimulatedDevice::Piece, Bytes>> live;
  Bytes requested;
  for (int step = 0; step < 20'000; ++step) {
    if (!live.empty() && rng.Below(2) == 0) {
      const std::size_t at = rng.Below(live.size());
      device.Free(live[at].first);
      requested -= live[at].second;
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      const Bytes size(static_cast<std::int64_t>(rng.Below(std::uint64_t{1} << rng.Below(26))));
      const auto piece = device.Allocate(size);
      if (!piece) continue;
      live.emplace_back(*piece, size);
      requested += size;
    }
    const MemorySnapshot seen = device.Snapshot();
    ASSERT_EQ(seen.requested, requested);
    ASSERT_LE(*seen.requested, *seen.allocated);
    ASSERT_LE(*seen.allocated, *seen.reserved);
    ASSERT_LE(*seen.reserved, GiB(1));
    ASSERT_LE(*seen.inactive_split, *seen.cached());
  }
  for (const auto& [piece, size] : live) device.Free(piece);
  device.EmptyCache();
  EXPECT_EQ(device.Snapshot().reserved, Bytes());
}

}  // namespace
}  // namespace az
