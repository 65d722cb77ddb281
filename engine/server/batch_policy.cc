#include "engine/server/batch_policy.h"

#include <algorithm>

#include "base/check.h"

namespace az {
namespace {

constexpr int kNoQueue = -1;

bool CanRun(const ModelQueue& queue) { return queue.is_ready && queue.blocks > 0; }

// kNoQueue when nothing can run.
int OldestModel(const PolicyInput& input) {
  int best = kNoQueue;
  for (int i = 0; i < kMaxModels; ++i) {
    const auto& queue = input.queues[static_cast<std::size_t>(i)];
    if (!CanRun(queue)) continue;
    if (best == kNoQueue || queue.oldest < input.queues[static_cast<std::size_t>(best)].oldest) {
      best = i;
    }
  }
  return best;
}

int ChooseModel(const BatchPolicy& policy, const PolicyInput& input) {
  const int oldest = OldestModel(input);
  if (oldest == kNoQueue) return kNoQueue;
  const ModelQueue& queue = input.queues[static_cast<std::size_t>(oldest)];
  if (input.now - queue.oldest > policy.starve) return oldest;
  for (int i = 0; i < kMaxModels; ++i) {
    const auto& candidate = input.queues[static_cast<std::size_t>(i)];
    if (CanRun(candidate) && candidate.rows >= policy.buckets.back()) return i;
  }
  return oldest;
}

}  // namespace

Decision Decide(const BatchPolicy& policy, const PolicyInput& input) {
  const auto wait = [&](TimePoint until) {
    return Decision{std::nullopt, std::min(until, input.now + policy.poll)};
  };
  const auto seal = [](int model, int rows, SealReason reason) {
    return Decision{Seal{model, rows, reason}, {}};
  };
  if (input.free_runners == 0) return wait(TimePoint::max());
  if (input.suspects > 0) {
    if (input.in_flight > 0) return wait(TimePoint::max());
    return seal(0, 1, SealReason::kSuspect);
  }
  const int model = ChooseModel(policy, input);
  if (model == kNoQueue) return wait(TimePoint::max());
  const ModelQueue& queue = input.queues[static_cast<std::size_t>(model)];
  const int largest = policy.buckets.back();
  if (queue.rows >= largest) return seal(model, largest, SealReason::kFull);
  if (input.now - queue.oldest > policy.starve) return seal(model, largest, SealReason::kStarving);
  if (input.in_flight > 0 && input.now < input.device_free - policy.lead) {
    return wait(input.device_free - policy.lead);
  }
  const bool idle = input.in_flight == 0 || input.now >= input.device_free;
  if (idle && queue.rows < policy.min_rows && !input.lanes_asleep &&
      input.now < queue.oldest + policy.linger) {
    return wait(queue.oldest + policy.linger);
  }
  const int share = (queue.rows + input.free_runners - 1) / input.free_runners;
  return seal(model, std::min(largest, std::max(policy.min_rows, share)), SealReason::kReady);
}

int BucketFor(std::span<const int> buckets, int rows) {
  AZ_CHECK(!buckets.empty());
  const auto found = std::lower_bound(buckets.begin(), buckets.end(), rows);
  return found == buckets.end() ? buckets.back() : *found;
}

}  // namespace az
