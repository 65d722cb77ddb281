#include "engine/play/served_evaluator.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"

namespace az {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

}  // namespace

Result<void> ServedEvaluator::Look() {
  const TimePoint now = clock_.Now();
  if (now - looked_at_ < kBetweenLooks) return {};
  looked_at_ = now;
  return look_();
}

template <class F>
auto ServedEvaluator::Slices(Deadline deadline, F wait) -> decltype(wait(deadline)) {
  while (true) {
    AZ_RETURN_IF_ERROR(Look());
    auto result = wait(Deadline::In(deadline.Left(kBetweenLooks)));
    if (result || result.error().code != Errc::kTimeout || deadline.Passed()) return result;
  }
}

Result<EvalBatch> ServedEvaluator::Reserve(ModelId model, int rows, Deadline deadline) {
  // One short wait is enough: one of our blocks is free, or becomes free by an answer that Wait
  // takes.
  return inner_.Reserve(model, rows, Deadline::In(deadline.Left(kBetweenLooks)));
}

Result<void> ServedEvaluator::Wait(EvalBatch& batch, Deadline deadline) {
  return Slices(deadline, [&](Deadline slice) { return inner_.Wait(batch, slice); });
}

Result<int> ServedEvaluator::WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) {
  return Slices(deadline, [&](Deadline slice) { return inner_.WaitAny(batches, slice); });
}

void ServedEvaluator::Release(int /*block*/) {
  AZ_CHECK(false) << "batches belong to the inner evaluator";
}

}  // namespace az
