#include "engine/train/optimizer.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/engine/train/training_fixtures.h"

namespace az {
namespace {

TEST(UpdateWeightRatio, IsWhatTheWeightsReallyMoved) {
  LearnerOptions options;
  options.train.batch = 64;
  options.train.weight_decay = 0.5f;  // so that it is seen
  auto learner = Learner::Create(kSmallShape, options, LearnerState::Fresh(kSmallShape, 5)).value();
  torch::manual_seed(1);
  for (const double rate : {1e-3, 3e-3, 1e-4}) {
    const torch::Tensor before = learner->state().weights.to(torch::kDouble);
    ASSERT_TRUE(learner->Step(AsStepRows(RandomBatch(64)), rate));
    const torch::Tensor moved = learner->state().weights.to(torch::kDouble) - before;
    const double expected = moved.norm().item<double>() / before.norm().item<double>();
    const double ratio =
        UpdateWeightRatio(learner->state(), options.train, learner->layout(), rate);
    EXPECT_NEAR(ratio / expected, 1.0, 1e-3) << "at rate " << rate;
  }
}

}  // namespace
}  // namespace az
