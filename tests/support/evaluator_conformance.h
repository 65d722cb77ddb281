#pragma once
// What every Evaluator must do, run over each of them. Logits and values are not judged but for
// being set and finite.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/ipc/evaluator.h"

namespace az::fakes {

inline Deadline Soon() { return Deadline::In(std::chrono::seconds(20)); }

inline EvalBatch Reserved(Evaluator& evaluator, int rows) {
  auto batch = evaluator.Reserve(kBestModel, rows, Soon());
  AZ_CHECK(batch.has_value()) << batch.error().message;
  for (int r = 0; r < batch->rows(); ++r) {
    for (auto& word : batch->row(r).planes) word = static_cast<std::uint64_t>(r);
    for (auto& logit : batch->row(r).logits) logit = NAN;
    *batch->row(r).value = NAN;
  }
  return *std::move(batch);
}

inline void ExpectAnswered(const EvalBatch& batch) {
  EXPECT_GT(batch.version(), 0u);
  for (int r = 0; r < batch.rows(); ++r) {
    const EvalRow row = batch.row(r);
    for (const float logit : row.logits) EXPECT_TRUE(std::isfinite(logit));
    EXPECT_TRUE(*row.value >= -1.0f && *row.value <= 1.0f);
  }
}

// REQUIRES: max_batches() >= 2, slot 0 is ready.
inline void CheckEvaluatorConformance(Evaluator& evaluator) {
  ASSERT_GE(evaluator.max_batches(), 2);
  {  // row counts at both ends; rows are given as asked for; arrays do not overlap
    for (const int rows : {1, evaluator.max_rows()}) {
      EvalBatch batch = Reserved(evaluator, rows);
      EXPECT_EQ(batch.rows(), rows);
      ASSERT_TRUE(evaluator.Submit(batch).has_value());
      ASSERT_TRUE(evaluator.Wait(batch, Soon()).has_value());
      ExpectAnswered(batch);
      for (int r = 0; r < rows; ++r) {
        for (const auto word : batch.row(r).planes) EXPECT_EQ(word, static_cast<std::uint64_t>(r));
      }
    }
  }
  {  // too many rows, none at all
    for (const int rows : {0, evaluator.max_rows() + 1}) {
      const auto refused = evaluator.Reserve(kBestModel, rows, Soon());
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error().code, Errc::kInvalid);
    }
  }
  {  // all blocks at once, the next waits in vain; a shrunk one; answers in any order
    std::vector<EvalBatch> batches;
    for (int i = 0; i < evaluator.max_batches(); ++i) {
      batches.push_back(Reserved(evaluator, evaluator.max_rows()));
    }
    const auto none = evaluator.Reserve(kBestModel, 1, Deadline::In(std::chrono::milliseconds(1)));
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().code, Errc::kTimeout);
    batches[0].Shrink(1);
    std::vector<EvalBatch*> waiting;
    for (EvalBatch& batch : batches) {
      ASSERT_TRUE(evaluator.Submit(batch).has_value());
      waiting.push_back(&batch);
    }
    while (!waiting.empty()) {
      const auto which = evaluator.WaitAny(waiting, Soon());
      ASSERT_TRUE(which.has_value()) << which.error().message;
      ExpectAnswered(*waiting[static_cast<std::size_t>(*which)]);
      waiting.erase(waiting.begin() + *which);
    }
  }
  {  // submitted twice
    EvalBatch batch = Reserved(evaluator, 1);
    ASSERT_TRUE(evaluator.Submit(batch).has_value());
    EXPECT_FALSE(evaluator.Submit(batch).has_value());
    ASSERT_TRUE(evaluator.Wait(batch, Soon()).has_value());
  }
  {  // dropped unsubmitted and in flight: every block comes back
    for (int round = 0; round < 3 * evaluator.max_batches(); ++round) {
      EvalBatch dropped = Reserved(evaluator, 1);
      EvalBatch in_flight = Reserved(evaluator, 1);
      ASSERT_TRUE(evaluator.Submit(in_flight).has_value());
    }
    std::vector<EvalBatch> all;
    for (int i = 0; i < evaluator.max_batches(); ++i) all.push_back(Reserved(evaluator, 1));
  }
  {  // moving a handle moves the block
    EvalBatch first = Reserved(evaluator, 2);
    EvalBatch second = std::move(first);
    EXPECT_FALSE(first.valid());
    ASSERT_TRUE(evaluator.Submit(second).has_value());
    ASSERT_TRUE(evaluator.Wait(second, Soon()).has_value());
    ExpectAnswered(second);
  }
}

}  // namespace az::fakes
