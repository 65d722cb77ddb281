#pragma once
// What was measured on this machine earlier, found again: which device and programs it holds for
// (scheduler/probe_cache.h keeps it), and in which folder of the user's.

#include <filesystem>
#include <string>

#include "base/result.h"
#include "engine/config/run_config.h"
#include "scheduler/plan.h"
#include "scheduler/probe_cache.h"

namespace az {

// $XDG_CACHE_HOME/alphazero, else ~/.cache/alphazero; empty when neither is known.
std::filesystem::path ProbeCacheFolder();

// The device of the plan as the supervisor knows it, without LibTorch: processor model or GPU and
// driver, and sizes and times of az_device in `programs` and of the libraries in its RUNPATH.
// `root` is "/" but in tests. Fails as MakePlan.
Result<ProbeKey> ProbeKeyFor(PlanInput input, const std::filesystem::path& programs,
                             const std::filesystem::path& root = "/");

struct KeptProbe {
  bool is_used = false;
  std::string refused;  // for a person: there is a file, and why it was left alone
};
// Puts what was kept into `input`, unless memory.probe is never, the device is simulated or
// `programs` is empty. A file that is damaged or of another version is as good as none.
KeptProbe UseKeptProbe(const RunConfig& config, const std::filesystem::path& programs,
                       PlanInput& input);

// Keeps a measurement for UseKeptProbe. kInvalid: no folder; as SaveProbeCache.
Result<void> KeepProbe(const PlanInput& input, const std::filesystem::path& programs,
                       const Calibration& calibration);

}  // namespace az
