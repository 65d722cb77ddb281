#include "engine/play/served_evaluator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "tests/support/uniform_evaluator.h"

namespace az {
namespace {

// Answers at the third time of waiting.
class LateEvaluator final : public Evaluator {
 public:
  Result<EvalBatch> Reserve(ModelId model, int rows, Deadline deadline) override {
    return inner_.Reserve(model, rows, deadline);
  }
  Result<void> Submit(EvalBatch& batch) override { return inner_.Submit(batch); }
  Result<void> Wait(EvalBatch& batch, Deadline deadline) override {
    EXPECT_LE(deadline.Left(std::chrono::hours(1)), std::chrono::milliseconds(20));
    if (++waits % 3 != 0) return Error{Errc::kTimeout, "not yet"};
    return inner_.Wait(batch, deadline);
  }
  Result<int> WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) override {
    AZ_RETURN_IF_ERROR(Wait(*batches[0], deadline));
    return 0;
  }
  int max_rows() const override { return inner_.max_rows(); }
  int max_batches() const override { return inner_.max_batches(); }
  int waits = 0;

 protected:
  void Release(int /*block*/) override {}

 private:
  UniformEvaluator inner_{{}};
};

struct Rig {
  LateEvaluator inner;
  ManualClock clock;
  int looks = 0;
  Result<void> health;
  ServedEvaluator served{inner,
                         [this] {
                           ++looks;
                           clock.Advance(std::chrono::seconds(1));
                           return health;
                         },
                         clock};
  EvalBatch Submitted() {
    EvalBatch batch = *served.Reserve(kBestModel, 1, Deadline::Never());
    EXPECT_TRUE(served.Submit(batch));
    return batch;
  }
};

TEST(ServedEvaluator, LooksAfterTheServerWhileItWaits) {
  Rig rig;
  rig.clock.Advance(std::chrono::seconds(1));
  EvalBatch batch = rig.Submitted();
  EXPECT_TRUE(rig.served.Wait(batch, Deadline::Never()));
  EXPECT_EQ(rig.inner.waits, 3);
  EXPECT_EQ(rig.looks, 3);
  std::vector<EvalBatch*> batches = {&batch};
  EXPECT_EQ(*rig.served.WaitAny(batches, Deadline::Never()), 0);
  EXPECT_EQ(rig.inner.waits, 6);
}

TEST(ServedEvaluator, EndsAtTheDeadlineAndWhenTheServerIsLost) {
  Rig rig;
  rig.clock.Advance(std::chrono::seconds(1));
  EvalBatch batch = rig.Submitted();
  EXPECT_EQ(rig.served.Wait(batch, Deadline::In(Duration::zero())).error().code, Errc::kTimeout);
  rig.health = Error{Errc::kPeerGone, "the device died again and again"};
  EXPECT_EQ(rig.served.Wait(batch, Deadline::Never()).error().code, Errc::kPeerGone);
}

}  // namespace
}  // namespace az
