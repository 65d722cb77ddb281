#include "scheduler/worker_bytes.h"

#include <algorithm>
#include <cstdint>

#include "scheduler/priors.h"

namespace az {
Bytes WorkerBytes(const PlanInput& input, const Plan& plan) {
  const auto tree = [&](int visits, int node_bytes) {
    return Bytes(((std::int64_t{visits} + 1) * input.game.branching + 1) * node_bytes);
  };
  const PlanWishes& wishes = input.wishes;
  // A match slot holds a tree for each side with a network. One spare tree per worker serves the
  // reuse of subtrees. A move by rollouts is made without interruption, so a worker has one tree of
  // rollouts at a time. A worker plays one game of a match by time at a time.
  const Bytes self_play = tree(wishes.visits, wishes.node_bytes);
  const Bytes match = tree(wishes.arena_visits, wishes.node_bytes);
  const Bytes rollouts =
      wishes.rollout_visits > 0 ? tree(wishes.rollout_visits, kNodeBytes) : Bytes();
  const Bytes timed = wishes.timed_tree;
  const Bytes timed_game = timed > Bytes() ? timed + std::max({timed, match, rollouts}) : Bytes();
  const Bytes trees = std::max(
      {std::max(self_play, match * 2) * plan.slots, match * plan.slots + rollouts, timed_game});
  return kWorkerBase + plan.cache + trees + std::max({self_play, match, timed});
}

Bytes SegmentBytes(const PlanInput& input, const Plan& plan) {
  constexpr std::int64_t kPage = 4096;
  constexpr std::int64_t kLine = 64;
  const auto lines = [](std::int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; };
  const std::int64_t rows = plan.rows;
  const std::int64_t block =
      lines(rows * 8 * input.game.words) + lines(rows * 4 * input.net.actions) + lines(rows * 4);
  const std::int64_t lane = 2 * kPage + plan.blocks * (block + kLine);
  const std::int64_t pages = (lane + kPage - 1) / kPage;
  return Bytes(kPage + plan.lanes * pages * kPage);
}

}  // namespace az
