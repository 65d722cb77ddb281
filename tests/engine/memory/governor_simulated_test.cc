// The Governor beside a simulated card: thresholds, fragmentation, a co-tenant that grows, and a
// failure that is climbed back from. What the card reads is made up.

#include <algorithm>
#include <vector>

#include "scheduler/oom_figures.h"
#include "scheduler/simulated_device.h"
#include "tests/engine/memory/governor_fixture.h"

namespace az {
namespace {

class GovernorSimulatedTest : public GovernorTest {
 protected:
  void SetUp() override {
    GovernorTest::SetUp();
    ToGpu();
    fleet_.use.layers = {};
  }
  // What the driver and the device process tell of the card.
  void Read() {
    const MemorySnapshot seen = card_.Snapshot();
    fleet_.use.gpu.total = seen.total;
    fleet_.use.gpu.used = seen.used;
    fleet_.use.gpu.free = *seen.total - *seen.used;
    fleet_.use.gpu_share = {.source = GpuShare::Source::kListed, .bytes = seen.ours};
    fleet_.use.layers = LayersIn(seen);
  }
  static MemoryLayersMessage LayersIn(const MemorySnapshot& seen) {
    return {.requested_bytes = seen.requested->count(),
            .allocated_bytes = seen.allocated->count(),
            .active_bytes = seen.active->count(),
            .reserved_bytes = seen.reserved->count(),
            .inactive_split_bytes = seen.inactive_split->count(),
            .largest_hole_bytes = seen.largest_hole->count(),
            .alloc_retries = *seen.num_alloc_retries};
  }
  // Asks for more than there is, and tells the Governor of it as the device process does.
  void Refuse(Bytes bytes, int micro_batch) {
    const auto refused = card_.Allocate(bytes);
    ASSERT_FALSE(refused);
    const std::optional<MemoryRefusal> last = card_.LastRefusal();
    const OomFigures at = FiguresOf(refused.error().message, last);
    fleet_.ooms = {{.where = "train",
                    .text = refused.error().message,
                    .rung = "half the micro-batch",
                    .requested_bytes = at.requested->count(),
                    .free_bytes = at.free->count(),
                    .below_cap_bytes = at.below_cap ? at.below_cap->count() : -1,
                    .micro_batch = micro_batch,
                    .memory = LayersIn(last->layers)}};
  }
  void ReadAndTick() {
    Read();
    Ticks(1);
  }

  SimulatedDevice card_{{.name = "card", .total = GiB(8), .context = MiB(450)}};
};

TEST_F(GovernorSimulatedTest, AboveEightyFivePercentOfTheGpuCachesGoBack) {
  governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
  ASSERT_TRUE(card_.Allocate(MiB(5500)));
  const auto cached = card_.Allocate(MiB(800)).value();
  ReadAndTick();  // 6750 of 8192 MiB: 82 %
  EXPECT_TRUE(Lines("event", "threshold").empty());
  const auto more = card_.Allocate(MiB(400)).value();
  card_.Free(cached);
  card_.Free(more);
  ReadAndTick();  // 87 %, of it 1200 MiB cached
  ASSERT_EQ(Lines("event", "threshold").size(), 1u);
  EXPECT_EQ(Lines("event", "threshold")[0].at("what"), "gpu");
  EXPECT_EQ(fleet_.calls, (std::vector<std::string>{"ask_release"}));
  card_.EmptyCache();  // as the device does then
  ReadAndTick();
  ASSERT_EQ(Lines("event", "threshold").size(), 2u);
  EXPECT_EQ(Lines("event", "threshold")[1].at("step"), "calm");
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.rungs(), RungsTaken{});
}

// used holds ours and the co-tenants', ours holds the context and what is reserved.
TEST_F(GovernorSimulatedTest, APhaseLeavesTheCardsLayers) {
  card_.SetOthers(MiB(700));
  governor_->BeginPhase(PlanPhase::kTrain, "train", 4);
  const auto step = card_.Allocate(MiB(2000)).value();
  ReadAndTick();
  card_.Free(step);
  card_.EmptyCache();
  Read();
  fleet_.released.freed_device_bytes = MiB(2000).count();
  fleet_.released.after = fleet_.use.layers;
  ASSERT_TRUE(governor_->EndPhase());
  const Json line = Lines("kind", "memory").at(0);
  EXPECT_EQ(line.at("freed_device_bytes"), MiB(2000).count());
  const Json& gpu = line.at("gpu");
  const Plan& plan = governor_->plan();
  EXPECT_EQ(gpu.at("budget_bytes"), plan.vram_budget.count());
  EXPECT_EQ(gpu.at("predicted_bytes"), plan.vram.at(1).total().count());
  EXPECT_EQ(gpu.at("peak_ours_bytes"), MiB(2450).count());
  EXPECT_EQ(gpu.at("peak_used_bytes"), MiB(3150).count());
  EXPECT_EQ(gpu.at("ours_source"), "listed");
  EXPECT_EQ(gpu.at("serves"), true);
  EXPECT_EQ(gpu.at("context_bytes"), MiB(450).count());
  EXPECT_EQ(gpu.at("ours_bytes"), MiB(450).count());
  EXPECT_EQ(gpu.at("used_bytes"), MiB(1150).count());
  EXPECT_EQ(gpu.at("co_tenants_bytes"), MiB(700).count());
  EXPECT_EQ(gpu.at("total_bytes"), GiB(8).count());
  EXPECT_EQ(gpu.at("free_bytes"), (GiB(8) - MiB(1150)).count());
}

TEST_F(GovernorSimulatedTest, WhatTheDriverDoesNotTellOfTheCardIsNull) {
  governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
  Ticks(1);
  ASSERT_TRUE(governor_->EndPhase());
  const Json gpu = Lines("kind", "memory").at(0).at("gpu");
  for (const char* key : {"peak_ours_bytes", "peak_used_bytes", "context_bytes", "ours_bytes",
                          "used_bytes", "co_tenants_bytes", "total_bytes", "free_bytes"}) {
    EXPECT_TRUE(gpu.at(key).is_null()) << key;
  }
  EXPECT_EQ(gpu.at("ours_source"), "unknown");
}

TEST_F(GovernorSimulatedTest, HolesThatNothingFitsAreToldOnce) {
  ASSERT_TRUE(card_.SetCap(MiB(400)));
  std::vector<SimulatedDevice::Piece> pieces;
  while (const auto piece = card_.Allocate(MiB(5))) pieces.push_back(*piece);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i % 2 != 0) card_.Free(pieces[i]);
  }
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  for (int step = 0; step < 4; ++step) {
    EXPECT_FALSE(card_.Allocate(MiB(24)));
    ReadAndTick();
  }
  ASSERT_EQ(Lines("event", "fragmentation").size(), 1u);
  EXPECT_DOUBLE_EQ(Lines("event", "fragmentation")[0].at("fragmentation_fraction"), 0.5);
}

TEST_F(GovernorSimulatedTest, ACoTenantThatGrowsIsTold) {
  ASSERT_TRUE(card_.Allocate(GiB(2)));
  governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
  for (const Bytes others : {MiB(256), GiB(3), GiB(5), GiB(6)}) {
    card_.SetOthers(others);
    ReadAndTick();
  }
  const std::vector<Json> events = Lines("event", "gpu_short");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_LT(events[0].at("free_bytes"), governor_->plan().vram_guard.count());
  EXPECT_TRUE(Lines("event", "threshold").empty()) << "our own share is small";
}

// A step that a co-tenant leaves no room for: half of it, and all of it again when that one went.
TEST_F(GovernorSimulatedTest, AFailureCostsARungUntilThereIsRoomAgain) {
  const int planned = governor_->plan().micro_batch;
  const Bytes step = MiB(600);
  ASSERT_TRUE(card_.SetCap(GiB(4)));
  ASSERT_TRUE(card_.Allocate(MiB(5)));  // of a segment of 20
  card_.SetOthers(GiB(7));
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  const PhaseBill bill = governor_->plan().vram.at(1);
  ASSERT_EQ(bill.phase, PlanPhase::kTrain);
  Refuse(step, planned / 2);
  ASSERT_TRUE(card_.Allocate(step / 2));
  Read();
  ASSERT_TRUE(governor_->EndPhase());
  ASSERT_TRUE(governor_->EndIteration(Bytes()));
  EXPECT_EQ(state_.train.rungs, 1);
  EXPECT_LT(governor_->plan().micro_batch, planned);
  const Json oom = Lines("event", "oom").at(0);
  EXPECT_EQ(oom.at("cause"), "co_tenants");
  EXPECT_EQ(oom.at("requested_bytes"), step.count());
  EXPECT_EQ(oom.at("free_bytes"), MiB(8192 - 7168 - 450 - 20).count());
  EXPECT_EQ(oom.at("below_cap_bytes"), (GiB(4) - MiB(20)).count());
  EXPECT_EQ(oom.at("co_tenants_bytes"), GiB(7).count());
  EXPECT_EQ(oom.at("layers").at("allocated_bytes"), MiB(5).count()) << "then, not now";
  EXPECT_EQ(oom.at("layers").at("largest_hole_bytes"), MiB(15).count());
  EXPECT_EQ(oom.at("predicted_bytes"), bill.total().count());
  EXPECT_EQ(oom.at("budget_bytes"), governor_->plan().vram_budget.count());
  const Json terms = oom.at("largest_terms_bytes");
  EXPECT_EQ(terms.size(), 3u);
  std::int64_t largest = 0;
  for (const BillTerm& term : bill.terms) largest = std::max(largest, term.bytes.count());
  EXPECT_EQ(*std::ranges::max_element(terms), largest);
  card_.SetOthers(Bytes());
  Read();
  for (int iteration = 0; iteration < 2; ++iteration) Iteration();  // climb_after
  EXPECT_EQ(state_.train.rungs, 0);
  EXPECT_EQ(governor_->plan().micro_batch, planned);
  EXPECT_TRUE(card_.Allocate(step));
}

TEST_F(GovernorSimulatedTest, AFailureNamesItsCause) {
  const int rows = governor_->plan().micro_batch;
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  ASSERT_TRUE(card_.SetCap(MiB(400)));
  std::vector<SimulatedDevice::Piece> pieces;
  while (const auto piece = card_.Allocate(MiB(5))) pieces.push_back(*piece);
  Refuse(MiB(24), rows);
  Ticks(1);
  for (std::size_t i = 0; i < pieces.size(); i += 2) card_.Free(pieces[i]);
  Refuse(MiB(24), rows);
  Ticks(1);
  fleet_.ooms = {{.where = "train", .text = "CUDA error: out of memory", .rung = "less"}};
  Ticks(1);
  const std::vector<Json> ooms = Lines("event", "oom");
  ASSERT_EQ(ooms.size(), 3u);
  EXPECT_EQ(ooms[0].at("cause"), "too_large");
  EXPECT_EQ(ooms[1].at("cause"), "fragmentation");
  EXPECT_EQ(ooms[1].at("layers").at("largest_hole_bytes"), MiB(5).count());
  EXPECT_EQ(ooms[2].at("cause"), "unknown");
  EXPECT_TRUE(ooms[2].at("requested_bytes").is_null());
  EXPECT_TRUE(ooms[2].at("layers").at("largest_hole_bytes").is_null());
}

}  // namespace
}  // namespace az
