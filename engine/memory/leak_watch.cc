#include "engine/memory/leak_watch.h"

#include "base/strings.h"
#include "engine/process/supervisor.h"

namespace az {
namespace {

std::optional<Bytes> Known(std::int64_t bytes) {
  if (bytes < 0) return {};
  return Bytes(bytes);
}

}  // namespace

std::vector<LeakFinding> LeakWatch::Add(const MemoryUse& use, Bytes window) {
  std::vector<LeakFinding> found;
  AddTo("supervisor_ram", kSupervisorLane, use.supervisor, found);
  AddTo("device_ram", kDeviceLane, use.device - window, found);
  for (const LaneBytesUsed& worker : use.workers) {
    AddTo(StrCat("worker_", worker.lane, "_ram"), worker.lane, worker.bytes, found);
  }
  const std::optional<Bytes> reserved = Known(use.layers.reserved_bytes);
  AddTo("device_allocated", kDeviceLane, Known(use.layers.allocated_bytes), found);
  AddTo("device_reserved", kDeviceLane, reserved, found);
  if (use.gpu_share.bytes && reserved) {  // context, modules: what no allocator knows of
    AddTo("gpu_outside_allocator", kDeviceLane, *use.gpu_share.bytes - *reserved, found);
  }
  return found;
}

void LeakWatch::AddTo(const std::string& name, int lane, std::optional<Bytes> value,
                      std::vector<LeakFinding>& found) {
  if (!value) return;
  Series& series = series_.try_emplace(name, Series{lane, LeakSeries(options_)}).first->second;
  const std::optional<Trend> trend = series.samples.Add(*value);
  if (!trend || series.is_told) return;
  series.is_told = true;
  found.push_back({name, lane, *trend});
}

void LeakWatch::Restart(int lane) {
  for (auto& [name, series] : series_) {
    if (series.lane != lane) continue;
    series.samples.Restart();
    series.is_told = false;
  }
}

}  // namespace az
