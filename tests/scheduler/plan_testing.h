#pragma once
// Inputs of the planner for tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "base/rng.h"
#include "scheduler/plan.h"
#include "scheduler/planner.h"

namespace az::testing {

// configs/5x5.yaml on a machine of two cores and 8 GiB.
inline PlanInput Hex5x5() {
  PlanInput input;
  input.device = {
      .kind = DeviceKind::kCpu, .name = "cpu", .cores = 2, .ram = GiB(8), .fast_bf16 = true};
  input.net = {.planes = 2,
               .rows = 5,
               .cols = 5,
               .actions = 25,
               .filters = 128,
               .res_blocks = 8,
               .heads = 8,
               .attention_blocks = 1,
               .policy_filters = 32,
               .value_filters = 32,
               .value_hidden = 256};
  input.game = {.words = 2, .branching = 25, .max_plies = 25};
  input.wishes.window_positions = 500'000;
  input.wishes.visits = input.wishes.arena_visits = 64;
  input.wishes.cache = MiB(16);
  return input;
}

inline PlanInput OnGpu(Bytes vram) {
  PlanInput input = Hex5x5();
  input.device = {.kind = DeviceKind::kCuda,
                  .name = "card",
                  .simulated = true,
                  .cores = 16,
                  .ram = GiB(32),
                  .vram = vram,
                  .fast_bf16 = true,
                  .assumed_tflops = 100};
  return input;
}

inline Plan PlanOf(const PlanInput& input) {
  Result<Plan> plan = MakePlan(input);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? *std::move(plan) : Plan();
}

// A number that the config fixes and the plan changes is priced and warned of.
inline void ExpectChangesAreTold(const PlanInput& input, const Plan& plan) {
  const PlanWishes& wishes = input.wishes;
  const auto changed = [](const auto& wish, const auto& value) {
    return wish.has_value() && *wish != value;
  };
  const bool cpu = plan.device == DeviceKind::kCpu;
  const bool any = changed(wishes.num_workers, plan.num_workers) ||
                   changed(wishes.arena_workers, plan.arena_workers) ||
                   changed(wishes.slots, plan.slots) ||
                   changed(wishes.accumulate, plan.accumulate) ||
                   changed(wishes.max_batch, plan.buckets.back()) ||
                   (cpu && changed(wishes.runners, plan.runners)) ||
                   (!cpu && changed(wishes.cuda_graphs, plan.cuda_graphs)) ||
                   changed(wishes.inference_precision, plan.inference_precision) ||
                   changed(wishes.train_precision, plan.train_precision);
  if (!any) return;
  EXPECT_GT(plan.price.written, 0);
  EXPECT_TRUE(std::ranges::any_of(plan.reasons, [](const Reason& reason) {
    return reason.kind == ReasonKind::kWarning && reason.text.starts_with("numbers written");
  }));
}

// A network of another player: one of the same sizes, or of any others.
inline NetShape OtherSizes(NetShape net, Rng& rng) {
  if (rng.Below(4) == 0) return net;
  const auto draw = [&rng](std::uint64_t most) { return 1 + static_cast<int>(rng.Below(most)); };
  net.filters = 8 * draw(32);
  net.res_blocks = draw(40);
  net.heads = rng.Below(2) == 0 ? 0 : 8;
  net.attention_blocks = net.heads == 0 ? 0 : draw(4);
  return net;
}

inline PlanInput RandomInput(Rng& rng) {
  const auto draw = [&rng](int low, int high) {
    return low + static_cast<int>(rng.Below(static_cast<std::uint64_t>(high - low + 1)));
  };
  const auto maybe = [&](int low, int high) -> Auto<int> {
    return rng.Below(4) == 0 ? Auto<int>(draw(low, high)) : std::nullopt;
  };
  PlanInput input;
  input.device.kind = rng.Below(2) == 0 ? DeviceKind::kCpu : DeviceKind::kCuda;
  input.device.cores = draw(1, 64);
  input.device.ram = MiB(256) * (std::int64_t{1} << rng.Below(9));
  input.device.vram = MiB(draw(256, 320) << rng.Below(9));  // up to 80 GiB
  input.device.fast_bf16 = rng.Below(2) == 0;
  const int side = draw(3, 19);
  input.net = {.planes = draw(2, 18),
               .rows = side,
               .cols = side,
               .actions = side * side + draw(0, 1),
               .filters = 8 * draw(1, 32),
               .res_blocks = draw(0, 40),
               .heads = 0,
               .attention_blocks = 0,
               .policy_filters = draw(1, 64),
               .value_filters = draw(1, 64),
               .value_hidden = draw(1, 512)};
  if (rng.Below(2) == 0) {
    input.net.heads = 8;
    input.net.attention_blocks = draw(1, 4);
  }
  input.game = {.words = input.net.planes * ((side * side + 63) / 64),
                .branching = input.net.actions,
                .max_plies = 2 * side * side};
  PlanWishes& wishes = input.wishes;
  wishes.num_workers = maybe(1, 1024);
  wishes.arena_workers = maybe(1, 1024);
  wishes.slots = maybe(1, 4096);
  wishes.runners = maybe(1, 256);
  wishes.max_batch = maybe(1, 4096);
  wishes.accumulate = maybe(1, 1024);
  wishes.batch = draw(1, 4096);
  wishes.visits = draw(1, 2000);
  wishes.arena_visits = draw(1, 2000);
  wishes.window_positions = draw(1000, 2'000'000);
  wishes.cache = MiB(draw(0, 256));
  if (rng.Below(4) == 0) wishes.checkpointing = Checkpointing{draw(-1, 3)};
  if (rng.Below(4) == 0) wishes.train_precision = Precision::kFp32;
  if (rng.Below(4) == 0) wishes.inference_precision = Precision::kFp32;
  if (rng.Below(4) == 0) wishes.cuda_graphs = rng.Below(2) == 0;
  if (rng.Below(8) == 0) wishes.arena_models = ArenaModels::kConcurrent;
  if (rng.Below(8) == 0) wishes.memory.model_sharing = ModelSharing::kPerWorker;
  if (rng.Below(4) == 0) wishes.memory.on_overcommit = OnOvercommit::kRefuse;
  if (rng.Below(4) == 0) wishes.solver = MiB(draw(1, 256));
  if (rng.Below(2) == 0) wishes.node_bytes += 8;  // sums of squares beside the nodes
  if (rng.Below(2) == 0) wishes.rollout_visits = draw(1, 20'000);
  if (rng.Below(4) == 0) {
    for (int i = draw(1, 3); i > 0; --i) input.match_nets.push_back(OtherSizes(input.net, rng));
  }
  return input;
}

}  // namespace az::testing
