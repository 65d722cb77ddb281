#include "tests/support/uniform_evaluator.h"

#include <gtest/gtest.h>

#include "tests/support/evaluator_conformance.h"

namespace az {
namespace {

TEST(UniformEvaluator, Conforms) {
  UniformEvaluator evaluator({.blocks = 3, .rows = 4, .words = 2, .actions = 5});
  fakes::CheckEvaluatorConformance(evaluator);
}

TEST(UniformEvaluator, AnswersEvenValuesAndEqualLogits) {
  UniformEvaluator evaluator({.blocks = 1, .rows = 2, .words = 1, .actions = 3});
  EvalBatch batch = fakes::Reserved(evaluator, 2);
  ASSERT_TRUE(evaluator.Submit(batch).has_value());
  ASSERT_TRUE(evaluator.Wait(batch, fakes::Soon()).has_value());
  for (int r = 0; r < 2; ++r) {
    EXPECT_EQ(*batch.row(r).value, 0.0f);
    for (const float logit : batch.row(r).logits) EXPECT_EQ(logit, 0.0f);
  }
}

}  // namespace
}  // namespace az
