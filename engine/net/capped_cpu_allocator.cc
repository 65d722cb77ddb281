#include "engine/net/capped_cpu_allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/strings.h"

namespace az {
namespace {

// scheduler/oom_figures reads it.
std::string Refusal(std::size_t bytes, const HeapStats& stats) {
  std::string text = StrCat("CPU out of memory: tried to allocate ",
                            FormatBytes(Bytes(static_cast<std::int64_t>(bytes))), "; ",
                            FormatBytes(stats.allocated), " is allocated, ",
                            FormatBytes(stats.cached()), " is cached, ");
  if (!stats.cap) return text + "there is no cap";
  const Bytes left = std::max(Bytes(), *stats.cap - stats.reserved);
  return text + StrCat(FormatBytes(left), " is left below the cap of ", FormatBytes(*stats.cap));
}

// Thread-safe.
class Adapter final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const c10::Device device(c10::DeviceType::CPU);
    if (bytes == 0) return {nullptr, nullptr, &CappedHeap::Free, device};
    void* data = heap_.Allocate(bytes);
    TORCH_CHECK_WITH(OutOfMemoryError, data != nullptr, Refusal(bytes, heap_.stats()));
    return {data, data, &CappedHeap::Free, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &CappedHeap::Free; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
  CappedHeap& heap() { return heap_; }

 private:
  CappedHeap heap_;
};

}  // namespace

CappedHeap& InstallCappedCpuAllocator() {
  // Never destroyed: LibTorch calls it until the last static tensor is gone.
  static Adapter& adapter = *std::make_unique<Adapter>().release();
  static const bool installed = (c10::SetCPUAllocator(&adapter), true);
  static_cast<void>(installed);
  return adapter.heap();
}

CappedHeap* InstalledCpuHeap() {
  auto* adapter = dynamic_cast<Adapter*>(c10::GetCPUAllocator());
  return adapter == nullptr ? nullptr : &adapter->heap();
}

}  // namespace az
