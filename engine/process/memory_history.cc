#include "engine/process/memory_history.h"

#include <algorithm>

namespace az {
namespace {

void Raise(std::optional<Bytes>& peak, std::optional<Bytes> value) {
  if (value && (!peak || *value > *peak)) peak = value;
}

}  // namespace

void MemoryPeaks::Add(const MemoryUse& use) {
  ram = std::max(ram, use.Ram());
  supervisor = std::max(supervisor, use.supervisor);
  device = std::max(device, use.device);
  workers = std::max(workers, use.AllWorkers());
  Raise(gpu, use.gpu.used);
  Raise(gpu_own, use.gpu_share.bytes);
  ++samples;
}

void MemoryHistory::Add(const MemorySample& sample) {
  if (ring_.size() < capacity_) {
    ring_.push_back(sample);
    return;
  }
  if (capacity_ == 0) return;
  ring_[next_] = sample;
  next_ = (next_ + 1) % capacity_;
}

std::vector<MemorySample> MemoryHistory::Since(TimePoint from, std::size_t most) const {
  std::vector<MemorySample> samples;
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    const MemorySample& sample = ring_[(next_ + i) % ring_.size()];
    if (sample.at >= from) samples.push_back(sample);
  }
  if (samples.size() <= most || most == 0) return samples;
  std::vector<MemorySample> kept;
  for (std::size_t share = 0; share < most; ++share) {
    const std::size_t begin = share * samples.size() / most;
    const std::size_t end = (share + 1) * samples.size() / most;
    MemorySample peak = samples[begin];
    for (std::size_t i = begin + 1; i < end; ++i) {
      peak.ram = std::max(peak.ram, samples[i].ram);
      Raise(peak.gpu, samples[i].gpu);
      Raise(peak.gpu_own, samples[i].gpu_own);
    }
    kept.push_back(peak);
  }
  return kept;
}

}  // namespace az
