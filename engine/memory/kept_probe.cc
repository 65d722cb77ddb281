#include "engine/memory/kept_probe.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/strings.h"
#include "engine/memory/linked_libraries.h"
#include "scheduler/planner.h"

namespace az {
namespace {

namespace fs = std::filesystem;

// The value behind the first "model name : ..." of /proc/cpuinfo.
std::string ProcessorModel(const fs::path& root) {
  std::ifstream file(root / "proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with("model name")) continue;
    return std::string(Trim(std::string_view(line).substr(colon + 1)));
  }
  return "unknown processor";
}

std::string DriverVersion(const fs::path& root) {
  std::ifstream file(root / "proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  return line;
}

std::string ProgramStamp(const fs::path& program) {
  std::error_code code;
  const auto size = fs::file_size(program, code);
  if (code) return "no program";
  const auto time = fs::last_write_time(program, code);
  return StrCat("az_device ", size, " bytes of ", time.time_since_epoch().count());
}

}  // namespace

fs::path ProbeCacheFolder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return fs::path(cache) / "alphazero";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".cache" / "alphazero";
  }
  return {};
}

Result<ProbeKey> ProbeKeyFor(PlanInput input, const fs::path& programs, const fs::path& root) {
  input.calibration = {};  // the same key before and after a measurement
  AZ_ASSIGN_OR_RETURN(const Plan plan, MakePlan(input));
  const bool gpu = plan.device == DeviceKind::kCuda;
  const std::string& card = input.device.uuid.empty() ? input.device.name : input.device.uuid;
  return ProbeKey{.device = {.device = gpu ? card : ProcessorModel(root),
                             .name = input.device.name,
                             .total = gpu ? input.device.vram_total : Bytes(),
                             .driver = gpu ? DriverVersion(root) : "",
                             .runtime = LinkedLibraryStamps(programs / "az_device"),
                             .libraries = ProgramStamp(programs / "az_device"),
                             .allocator = "",
                             .simulated = input.device.simulated},
                  .net = input.net,
                  .words = input.game.words,
                  .runners = plan.runners,
                  .cuda_graphs = plan.cuda_graphs};
}

KeptProbe UseKeptProbe(const RunConfig& config, const fs::path& programs, PlanInput& input) {
  const fs::path folder = ProbeCacheFolder();
  if (programs.empty() || folder.empty() || input.device.simulated) return {};
  if (config.memory.probe == ProbeMode::kNever) return {};
  const Result<ProbeKey> key = ProbeKeyFor(input, programs);
  if (!key) return {};  // no plan at all: the planner says why
  Result<Calibration> kept = LoadProbeCache(folder, *key);
  if (kept) {
    input.calibration = std::move(kept).value();
    return {.is_used = true, .refused = ""};
  }
  if (kept.error().code == Errc::kNotFound) return {};
  return {.is_used = false,
          .refused = StrCat("what was measured earlier is not used: ", kept.error().message,
                            " (it is written anew by az_plan --measure)")};
}

Result<void> KeepProbe(const PlanInput& input, const fs::path& programs,
                       const Calibration& calibration) {
  const fs::path folder = ProbeCacheFolder();
  if (folder.empty()) {
    return Error{Errc::kInvalid,
                 "keep what was measured: neither XDG_CACHE_HOME nor HOME is set (set one)"};
  }
  AZ_ASSIGN_OR_RETURN(const ProbeKey key, ProbeKeyFor(input, programs));
  return SaveProbeCache(folder, key, calibration);
}

}  // namespace az
