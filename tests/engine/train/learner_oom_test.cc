// A learner that runs out of memory in the middle of a step: every allocation in turn, and once
// more when the step is done again. It gives something up each time; the result is that of a
// learner that had those sizes from the start.

#include <c10/util/Exception.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "engine/net/capped_cpu_allocator.h"
#include "engine/net/cpu_device_memory.h"
#include "scheduler/oom_figures.h"
#include "tests/engine/train/training_fixtures.h"

namespace az {
namespace {

constexpr int kRows = 96;
const NetShape kShape = WithHeads(kSmallShape);

void ExpectSame(const LearnerState& a, const LearnerState& b, std::int64_t point) {
  EXPECT_TRUE(a.weights.equal(b.weights)) << point;
  EXPECT_TRUE(a.statistics.equal(b.statistics)) << point;
  EXPECT_TRUE(a.average.equal(b.average)) << point;
  EXPECT_TRUE(a.first_moment.equal(b.first_moment)) << point;
  EXPECT_TRUE(a.second_moment.equal(b.second_moment)) << point;
  EXPECT_EQ(a.steps, b.steps) << point;
  EXPECT_EQ(a.samples, b.samples) << point;
}

struct Case {
  const char* name;
  int shards;
  StepSizes from;
  StepSizes to;  // after a clean-up and one rung
  int stride;    // of the allocations tried
};

class LearnerOutOfMemory : public testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Learner> Make(const StepSizes& sizes) {
    LearnerOptions options;
    options.train.batch = kRows;
    options.train.opponent_weight = 0.15f;
    options.train.short_term_weight = 0.25f;
    options.shards = GetParam().shards;
    options.micro_batch = sizes.micro_batch;
    options.checkpoint_stages = sizes.checkpoint_stages;
    options.memory = memory_.get();
    options.on_out_of_memory = [this](const LearnerOom& oom) {
      ooms_.push_back(oom);
      heap_.FailAt(std::exchange(fail_next_, 0));
    };
    auto learner = Learner::Create(kShape, options, state_.Clone());
    AZ_CHECK(learner.has_value());
    return std::move(learner).value();
  }
  static OomCause CauseOf(const LearnerOom& oom) {
    return CauseOfOom(FiguresOf(oom.error.message, oom.refusal));
  }
  LearnerState StepWith(const StepSizes& sizes) {
    const auto learner = Make(sizes);
    AZ_CHECK(learner->Step(rows_, 1e-3).has_value());
    return learner->state().Clone();
  }

  CappedHeap& heap_ = InstallCappedCpuAllocator();
  const std::unique_ptr<DeviceMemory> memory_ = MakeCpuDeviceMemory(&heap_);
  LearnerState state_ = LearnerState::Fresh(kShape, 5);
  StepRows rows_ = [] {
    torch::manual_seed(1);
    return AsStepRows(RandomBatch(kRows));
  }();
  std::vector<LearnerOom> ooms_;
  std::int64_t fail_next_ = 0;  // which allocation of the next try fails
};

INSTANTIATE_TEST_SUITE_P(Rungs, LearnerOutOfMemory,
                         testing::Values(Case{"SmallerBatch", 1, {96, 0}, {64, 0}, 2},
                                         Case{"SmallerBatchOfTwoShards", 2, {48, 1}, {24, 1}, 23},
                                         Case{"Checkpointing", 1, {64, 0}, {64, 1}, 11},
                                         Case{"TinyBatch", 1, {48, 1}, {24, 1}, 17}),
                         [](const auto& test) { return std::string(test.param.name); });

// With two shards another thread's allocation may be the one that fails: whichever it is.
TEST_P(LearnerOutOfMemory, IsAnEventNotAnEnd) {
  const LearnerState same_sizes = StepWith(GetParam().from);
  const LearnerState lower_sizes = StepWith(GetParam().to);
  int points = 0;
  for (std::int64_t point = 1;; point += GetParam().stride, ++points) {
    const auto learner = Make(GetParam().from);
    ooms_.clear();
    fail_next_ = point;
    heap_.FailAt(point);
    const Result<StepReport> report = learner->Step(rows_, 1e-3);
    heap_.FailAt(0);
    ASSERT_TRUE(report) << point << ": " << report.error().message;
    if (ooms_.empty()) break;  // a step has no allocation of this number
    ASSERT_EQ(ooms_.size(), 2u) << point;
    EXPECT_EQ(ooms_[0].rung, StepRung::kCleanUp);
    EXPECT_EQ(ooms_[0].sizes, GetParam().from);
    EXPECT_EQ(ooms_[1].sizes, GetParam().to);
    EXPECT_EQ(learner->sizes(), GetParam().to);
    for (const LearnerOom& oom : ooms_) {
      EXPECT_EQ(oom.left.count(), 0) << point;
      EXPECT_EQ(CauseOf(oom), OomCause::kUnknown) << "nothing was short: " << oom.error.message;
    }
    ExpectSame(learner->state(), lower_sizes, point);

    if (point % 16 != 1) continue;
    const auto cleaned = Make(GetParam().from);
    heap_.FailAt(point);
    ASSERT_TRUE(cleaned->Step(rows_, 1e-3));
    ExpectSame(cleaned->state(), same_sizes, point);
  }
  RecordProperty("points", 2 * points);
  EXPECT_GE(points * GetParam().stride, 150);
}

// A cap that only small micro-batches fit below: found by going down, then kept to.
TEST_P(LearnerOutOfMemory, FindsWhatFitsBelowACap) {
  if (GetParam().shards > 1) GTEST_SKIP() << "two shards' peaks meet by chance";
  const StepSizes fits{.micro_batch = 12, .checkpoint_stages = 1};
  const auto probe = Make(fits);
  heap_.EmptyCache();
  heap_.ResetPeaks();
  const Bytes before = heap_.stats().allocated;
  ASSERT_TRUE(probe->Step(rows_, 1e-3));
  const Bytes step = heap_.stats().allocated_peak - before;

  const auto learner = Make({.micro_batch = kRows, .checkpoint_stages = 0});
  heap_.EmptyCache();
  ASSERT_TRUE(memory_->SetCap(heap_.stats().allocated + step + KiB(8)));
  const Result<StepReport> report = learner->Step(rows_, 1e-3);
  heap_.SetCap(std::nullopt);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_LE(learner->sizes().micro_batch, 24);
  EXPECT_EQ(learner->sizes().checkpoint_stages, 1);
  ExpectSame(learner->state(), StepWith(learner->sizes()), 0);
  // As it was where it was refused: the step's activations alive, so more than without them.
  for (const LearnerOom& oom : ooms_) {
    EXPECT_EQ(CauseOf(oom), OomCause::kTooLarge) << oom.error.message;
    ASSERT_TRUE(oom.refusal);
    EXPECT_GT(oom.refusal->layers.allocated, heap_.stats().allocated) << oom.error.message;
    // The text alone, should another thread's refusal have followed.
    EXPECT_EQ(CauseOfOom(FiguresOf(oom.error.message)), OomCause::kTooLarge) << oom.error.message;
  }
  const std::size_t rungs = ooms_.size();
  ASSERT_TRUE(learner->Step(rows_, 1e-3));
  EXPECT_EQ(ooms_.size(), rungs);
}

// What a step makes is gone when it ends: nothing is left over, and nothing piles up.
TEST_P(LearnerOutOfMemory, LivesOnTheSameBytesAfterEveryGoodStep) {
  const auto learner = Make(GetParam().from);
  ASSERT_TRUE(learner->Step(rows_, 1e-3));  // libraries set things up in the first
  ASSERT_TRUE(learner->Step(rows_, 1e-3));
  const HeapStats second = heap_.stats();
  for (int step = 3; step <= 20; ++step) {
    ASSERT_TRUE(learner->Step(rows_, 1e-3));
    EXPECT_EQ(heap_.stats().requested, second.requested) << step;
    EXPECT_EQ(heap_.stats().allocated, second.allocated) << step;
    EXPECT_EQ(heap_.stats().live_blocks, second.live_blocks) << step;
  }
  EXPECT_TRUE(ooms_.empty());
}

TEST_P(LearnerOutOfMemory, SaysSoWhenNothingIsLeftToGiveUp) {
  const auto learner = Make(GetParam().from);
  heap_.EmptyCache();
  const LearnerState before = learner->state().Clone();
  StepRows refused = rows_;
  refused.cut = [](int, int) -> MicroBatch { throw std::bad_alloc(); };
  const Result<StepReport> report = learner->Step(refused, 1e-3);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::kNoMemory);
  EXPECT_NE(report.error().message.find("nothing left to give up"), std::string::npos);
  ExpectSame(learner->state(), before, 0);
}

// As cuDNN, which tries less until nothing is left to try: the machine has plenty, the cap has not.
TEST_P(LearnerOutOfMemory, AHiddenReasonIsMemoryWhereTheCapIsNear) {
  const auto learner = Make(GetParam().from);
  StepRows refused = rows_;
  refused.cut = [](int, int) -> MicroBatch {
    C10_THROW_ERROR(Error, "GET was unable to find an engine to execute this computation");
  };
  const Result<StepReport> without_cap = learner->Step(refused, 1e-3);
  heap_.EmptyCache();
  heap_.SetCap(heap_.stats().reserved + MiB(64));
  const Result<StepReport> near_cap = learner->Step(refused, 1e-3);
  heap_.SetCap(std::nullopt);
  ASSERT_FALSE(without_cap);
  EXPECT_EQ(without_cap.error().code, Errc::kUnavailable);
  ASSERT_FALSE(near_cap);
  EXPECT_EQ(near_cap.error().code, Errc::kNoMemory) << near_cap.error().message;
}

TEST_P(LearnerOutOfMemory, EvaluationAndStatisticsAreDoneAgainToo) {
  const auto undisturbed = Make(GetParam().from);
  ASSERT_TRUE(undisturbed->EstimateStatistics(rows_));
  const double loss = undisturbed->Evaluate(rows_)->PolicyLoss();
  for (std::int64_t point = 1;; point += 17) {
    const auto learner = Make(GetParam().from);
    ooms_.clear();
    heap_.FailAt(point);
    ASSERT_TRUE(learner->EstimateStatistics(rows_));
    EXPECT_TRUE(learner->state().average_statistics.equal(undisturbed->state().average_statistics));
    const Result<LossSums> sums = learner->Evaluate(rows_);
    heap_.FailAt(0);
    ASSERT_TRUE(sums);
    EXPECT_EQ(sums->PolicyLoss(), loss);
    if (ooms_.empty()) break;
  }
}

}  // namespace
}  // namespace az
