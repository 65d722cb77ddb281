#include "engine/apps/device_probe.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "base/strings.h"
#include "engine/data/random_rows.h"
#include "engine/net/torch_guard.h"
#include "engine/process/proc_memory.h"
#include "engine/train/batch_tensors.h"

namespace az {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kRate = 1e-6;  // the probe's network is thrown away

std::int64_t Known(const std::optional<Bytes>& bytes) { return bytes ? bytes->count() : -1; }

std::string IdentityJson(const DeviceIdentity& identity) {
  return nlohmann::json{{"device", identity.device},
                        {"name", identity.name},
                        {"total_bytes", identity.total.count()},
                        {"driver", identity.driver},
                        {"runtime", identity.runtime},
                        {"libraries", identity.libraries},
                        {"allocator", identity.allocator},
                        {"simulated", identity.simulated}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Steps with the peaks read around them. The first step is kept apart: libraries set up things
// once.
Result<void> Steps(const ProbeBench& bench, int steps, const std::function<Result<void>()>& step,
                   ProbedMessage& probed) {
  const auto settle = [&bench] {
    if (bench.memory != nullptr) bench.memory->Synchronize();
    return bench.memory != nullptr ? bench.memory->Snapshot() : MemorySnapshot{};
  };
  probed.state_bytes = Known(settle().allocated);
  double fastest_us = std::numeric_limits<double>::infinity();
  const SteadyClock clock;
  for (int i = 0; i < steps; ++i) {
    if (bench.memory != nullptr) bench.memory->ResetPeaks();
    const TimePoint start = clock.Now();
    AZ_RETURN_IF_ERROR(step());
    const MemorySnapshot after = settle();
    const double us = Seconds(clock.Now() - start) * 1e6;
    if (i == 0) {
      probed.first_peak_bytes = Known(after.allocated_peak);
      if (steps > 1) continue;
    }
    probed.peak_bytes = std::max(probed.peak_bytes, Known(after.allocated_peak));
    probed.reserved_peak_bytes = std::max(probed.reserved_peak_bytes, Known(after.reserved_peak));
    fastest_us = std::min(fastest_us, us);
  }
  probed.step_us = fastest_us;
  return {};
}

Result<void> ProbeTraining(const ProbeBench& bench, const ProbeMessage& message,
                           ProbedMessage& probed) {
  LearnerOptions options = bench.learner;
  options.micro_batch = message.rows;
  options.checkpoint_stages = message.checkpoint_blocks;
  options.gives_up_sizes = false;
  const int rows = message.rows * message.micro_batches * options.shards;
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Learner> learner,
                      Learner::Create(bench.net, options, LearnerState::Fresh(bench.net, kSeed)));
  Rng rng(kSeed);
  const TrainBatch batch = RandomTrainBatch(
      bench.planes, bench.net.actions, rows, rng,
      {.opponent = bench.net.opponent_head, .short_term = bench.net.short_term_head});
  const StepRows step_rows = RowsOf(batch, learner->input_type(), learner->device());
  return Steps(
      bench, message.steps,
      [&]() -> Result<void> {
        const StepSizes asked = learner->sizes();
        AZ_ASSIGN_OR_RETURN([[maybe_unused]] const StepReport report,
                            learner->Step(step_rows, kRate));
        if (learner->sizes() == asked) return {};
        // It went on with smaller pieces, which is not what was asked about.
        return Error{Errc::kNoMemory, "out of memory at this size"};
      },
      probed);
}

// One batch on every runner at the same time, as the server does it.
Result<void> ProbeInference(const ProbeBench& bench, const ProbeMessage& message,
                            ProbedMessage& probed) {
  Rng rng(kSeed);
  const std::vector<std::uint64_t> planes = RandomPlanes(bench.planes, message.rows, rng);
  struct Lane {
    std::unique_ptr<BatchRunner> runner;
    std::vector<float> logits;
    std::vector<float> values;
    Result<void> done;
  };
  const auto rows = static_cast<std::size_t>(message.rows);
  std::vector<Lane> lanes(static_cast<std::size_t>(bench.runners));
  for (Lane& lane : lanes) {
    lane.logits.resize(rows * static_cast<std::size_t>(bench.net.actions));
    lane.values.resize(rows);
  }
  const auto run = [&](Lane& lane) -> Result<void> {
    const BlockView view{planes.data(), lane.logits.data(), lane.values.data(), message.rows};
    AZ_ASSIGN_OR_RETURN(const WeightsVersion version,
                        lane.runner->Launch(kBestModel, message.rows, {&view, 1}));
    static_cast<void>(version);
    return lane.runner->Finish();
  };
  return Steps(
      bench, message.steps,
      [&]() -> Result<void> {
        for (Lane& lane : lanes) {  // in the first step: the buffers count too
          if (lane.runner) continue;
          AZ_ASSIGN_OR_RETURN(lane.runner, bench.inference.MakeRunner(message.rows));
        }
        {
          std::vector<std::jthread> threads;
          for (Lane& lane : lanes) threads.emplace_back([&] { lane.done = run(lane); });
        }
        for (const Lane& lane : lanes) AZ_RETURN_IF_ERROR(lane.done);
        return {};
      },
      probed);
}

}  // namespace

Result<ProbedMessage> RunProbe(const ProbeBench& bench, const ProbeMessage& message) {
  if (message.rows < 1 || message.steps < 1 || message.micro_batches < 1) {
    return Error{Errc::kInvalid,
                 StrCat("probe ", message.micro_batches, " times ", message.rows, " rows for ",
                        message.steps, " steps: each must be at least 1")};
  }
  ProbedMessage probed{.phase = message.phase, .rows = message.rows};
  if (bench.memory != nullptr) probed.identity_json = IdentityJson(bench.memory->Identity());
  Result<void> done;
  if (message.phase == "train") {
    done = GuardTorch("probe training", [&] { return ProbeTraining(bench, message, probed); });
  } else if (message.phase == "inference") {
    done = GuardTorch("probe inference", [&] { return ProbeInference(bench, message, probed); });
  } else {
    return Error{Errc::kInvalid,
                 StrCat("probe phase '", message.phase, "': there is train and inference")};
  }
  if (!done && done.error().code != Errc::kNoMemory) return done.error();
  probed.out_of_memory = !done.has_value();
  if (const Result<ProcMemory> process = ReadProcMemory(getpid())) {
    probed.process_bytes = process->anonymous.count();
  }
  if (bench.memory == nullptr) return probed;
  bench.memory->EmptyCache();
  // After the steps: the driver loads kernels when they run first.
  if (bench.inference.is_asynchronous()) {
    probed.context_bytes = Known(bench.memory->Snapshot().outside_allocator());
  }
  return probed;
}

}  // namespace az
