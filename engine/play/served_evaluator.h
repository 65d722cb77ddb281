#pragma once
// ServedEvaluator: the Evaluator of a process that both searches and supervises: it looks after the
// inference server while it waits for answers.

#include <functional>
#include <span>

#include "base/clock.h"
#include "engine/ipc/evaluator.h"

namespace az {

// The inner evaluator and the clock outlive it. Confined to one thread.
class ServedEvaluator final : public Evaluator {
 public:
  // `look` is called about every 20 ms while the evaluator is used; its error ends the wait.
  ServedEvaluator(Evaluator& inner, std::function<Result<void>()> look, const Clock& clock)
      : inner_(inner), look_(std::move(look)), clock_(clock) {}

  Result<EvalBatch> Reserve(ModelId model, int rows, Deadline deadline) override;
  Result<void> Submit(EvalBatch& batch) override { return inner_.Submit(batch); }
  Result<void> Wait(EvalBatch& batch, Deadline deadline) override;
  Result<int> WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) override;
  int max_rows() const override { return inner_.max_rows(); }
  int max_batches() const override { return inner_.max_batches(); }

 protected:
  void Release(int block) override;  // never called: batches belong to the inner evaluator

 private:
  // Calls `wait` with short deadlines until it returns something other than kTimeout, or `deadline`
  // has passed.
  template <class F>
  auto Slices(Deadline deadline, F wait) -> decltype(wait(deadline));
  Result<void> Look();

  Evaluator& inner_;
  std::function<Result<void>()> look_;
  const Clock& clock_;
  TimePoint looked_at_{};
};

}  // namespace az
