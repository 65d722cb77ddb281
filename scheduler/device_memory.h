#pragma once
// DeviceMemory: the memory of the device that networks run on, behind one interface: a GPU's
// (engine/net/cuda_device_memory), the CPU's (engine/net/cpu_device_memory: the capped allocator)
// and a simulated one (scheduler/simulated_device). It measures and limits; it hands out nothing.

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace az {

// Layers of one moment, each inside the next (docs/memory.md). nullopt: unknown, which is not 0.
//
//   requested <= allocated <= active <= reserved <= ours <= used <= total
struct MemorySnapshot {
  std::optional<Bytes> requested;  // asked of the allocator
  std::optional<Bytes> allocated;  // with its rounding
  std::optional<Bytes> active;     // also what was freed while another stream still uses it
  std::optional<Bytes> reserved;   // taken from the system by the allocator, its cache included
  std::optional<Bytes> ours;       // of this process, by the driver's or kernel's count
  std::optional<Bytes> used;       // of everybody
  std::optional<Bytes> total;      // of the device; on a CPU what the cgroups and RAM allow

  // Cached and stuck: freed pieces of segments that are still partly in use.
  std::optional<Bytes> inactive_split;
  // The largest cached piece: no larger request is served without taking more from the system.
  std::optional<Bytes> largest_hole;
  // Since the start or the last ResetPeaks.
  std::optional<Bytes> requested_peak;
  std::optional<Bytes> allocated_peak;
  std::optional<Bytes> reserved_peak;
  // Since the start.
  std::optional<std::int64_t> allocations;
  std::optional<std::int64_t> num_alloc_retries;  // gave its cache back to serve a request
  std::optional<std::int64_t> num_ooms;           // refused; some callers try less and go on
  std::optional<Bytes> cap;                       // nullopt: none

  // What EmptyCache may give back, at most.
  std::optional<Bytes> cached() const {
    if (!reserved || !allocated) return std::nullopt;
    return *reserved - *allocated;
  }
  // Context, modules and other memory of ours that is not the allocator's.
  std::optional<Bytes> outside_allocator() const {
    if (!ours || !reserved) return std::nullopt;
    return *ours - *reserved;
  }
  // Of other processes, and the driver's reserve.
  std::optional<Bytes> co_tenants() const {
    if (!used || !ours) return std::nullopt;
    return *used - *ours;
  }
};

// A request that was refused, and the layers where it was: before what had failed gave its memory
// back.
struct MemoryRefusal {
  Bytes requested;
  MemorySnapshot layers;
};

// What a measurement of memory holds for; any difference makes it worth nothing.
struct DeviceIdentity {
  std::string device;     // GPU: its UUID; CPU: the processor's model
  std::string name;       // for people
  Bytes total;            // memory
  std::string driver;     // "" on a CPU
  std::string runtime;    // CUDA; "" on a CPU
  std::string libraries;  // "libtorch 2.11.0, cudnn 9.19"
  std::string allocator;  // its kind and settings
  bool simulated = false;
  friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

// Thread-safe.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  // One reading. The allocator's own numbers are of one moment; the system's are read after them.
  virtual MemorySnapshot Snapshot() const = 0;
  // Snapshot().allocated alone; cheap enough for every step of a training.
  virtual std::optional<Bytes> Allocated() const { return Snapshot().allocated; }
  // The newest refusal, of whichever thread; nullopt: none yet, or none was kept. scheduler/
  // oom_figures.h tells whether an error is of it.
  virtual std::optional<MemoryRefusal> LastRefusal() const = 0;
  // No more than `cap` is reserved from now on; nullopt: no limit. What is above it already stays
  // until it is freed. A request beyond it empties the cache first, then throws
  // c10::OutOfMemoryError where it was made. kInvalid: a cap the device cannot keep.
  virtual Result<void> SetCap(std::optional<Bytes> cap) = 0;
  // Gives cached memory back to the system; not what is in use. Returns the bytes given back, 0
  // where the device is lost. Does not throw, as Snapshot: both are called where nobody catches.
  virtual Bytes EmptyCache() = 0;
  // Peaks start again at the present values.
  virtual void ResetPeaks() = 0;
  // Blocks until all work given to the device is done. Throws where the device is lost.
  virtual void Synchronize() = 0;
  // Of device and software, for the probe cache. Does not change.
  virtual DeviceIdentity Identity() const = 0;
  // Whether the numbers are made up. Every report of them then says SIMULATED.
  virtual bool simulated() const = 0;
};

}  // namespace az
