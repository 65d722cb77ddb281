#pragma once
// DeviceMemory: the memory of the device that networks run on, behind one interface: a GPU's
// (engine/net/cuda_device_memory), the CPU's (engine/net/cpu_device_memory: the capped allocator)
// and a simulated one (scheduler/simulated_device). It measures and limits memory but does not
// allocate any.

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace az {

// The layers of memory at one moment, each inside the next (docs/memory.md). nullopt: unknown,
// which is not 0.
//
//   requested <= allocated <= active <= reserved <= ours <= used <= total
struct MemorySnapshot {
  std::optional<Bytes> requested;  // asked for by tensors
  std::optional<Bytes> allocated;  // the same after the allocator's rounding
  std::optional<Bytes> active;     // plus what was freed while another stream still uses it
  std::optional<Bytes> reserved;   // taken from the system by the allocator, its cache included
  std::optional<Bytes> ours;       // this process's, as the driver or kernel counts
  std::optional<Bytes> used;       // all processes'
  std::optional<Bytes> total;      // the device's; on a CPU what cgroups and RAM allow

  // Cached memory that cannot be returned: freed pieces of segments that are still partly in use.
  std::optional<Bytes> inactive_split;
  // The largest cached piece: a larger request has to take more from the system.
  std::optional<Bytes> largest_hole;
  // The peak since the start or the last ResetPeaks.
  std::optional<Bytes> requested_peak;
  std::optional<Bytes> allocated_peak;
  std::optional<Bytes> reserved_peak;
  // Counts since the start.
  std::optional<std::int64_t> allocations;
  std::optional<std::int64_t> num_alloc_retries;  // the cache was given back to serve a request
  std::optional<std::int64_t> num_ooms;           // refusals; some callers try less and go on
  std::optional<Bytes> cap;                       // nullopt: no cap

  // The most that EmptyCache may give back.
  std::optional<Bytes> cached() const {
    if (!reserved || !allocated) return std::nullopt;
    return *reserved - *allocated;
  }
  // Context, modules and other memory of this process that the allocator does not hold.
  std::optional<Bytes> outside_allocator() const {
    if (!ours || !reserved) return std::nullopt;
    return *ours - *reserved;
  }
  // Memory of other processes, and the driver's reserve.
  std::optional<Bytes> co_tenants() const {
    if (!used || !ours) return std::nullopt;
    return *used - *ours;
  }
};

// A request that was refused, and the layers at the refusal: before the failed work gave its memory
// back.
struct MemoryRefusal {
  Bytes requested;
  MemorySnapshot layers;
};

// What a measurement of memory depends on; any difference makes the measurement invalid.
struct DeviceIdentity {
  std::string device;     // GPU: its UUID; CPU: the processor's model
  std::string name;       // as shown to people
  Bytes total;            // all memory of the device
  std::string driver;     // "" on a CPU
  std::string runtime;    // the CUDA version; "" on a CPU
  std::string libraries;  // "libtorch 2.11.0, cudnn 9.19"
  std::string allocator;  // its kind and settings
  bool simulated = false;
  friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

// Thread-safe.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  // Takes one reading. The allocator's own numbers belong to one moment; the system's are read
  // after them.
  virtual MemorySnapshot Snapshot() const = 0;
  // Reads Snapshot().allocated alone; cheap enough for every training step.
  virtual std::optional<Bytes> Allocated() const { return Snapshot().allocated; }
  // The newest refusal, in whichever thread it was; nullopt: none yet, or none was kept.
  // FiguresOf (scheduler/oom_figures.h) tells whether an error belongs to it.
  virtual std::optional<MemoryRefusal> LastRefusal() const = 0;
  // Limits reserved memory to `cap` from now on; nullopt: no limit. Memory already above the cap
  // stays until it is freed. A request beyond the cap empties the cache first, then throws
  // c10::OutOfMemoryError where it was made. Fails with kInvalid for a cap that the device cannot
  // enforce.
  virtual Result<void> SetCap(std::optional<Bytes> cap) = 0;
  // Gives cached memory, but none in use, back to the system. Returns the bytes given back, 0 where
  // the device is lost. Like Snapshot it does not throw: both are called where nobody catches.
  virtual Bytes EmptyCache() = 0;
  // Restarts the peaks at the present values.
  virtual void ResetPeaks() = 0;
  // Blocks until all work given to the device is done. Throws where the device is lost.
  virtual void Synchronize() = 0;
  // The identity of device and software, for the probe cache. Never changes.
  virtual DeviceIdentity Identity() const = 0;
  // Whether the numbers are made up. Every report of them then says SIMULATED.
  virtual bool simulated() const = 0;
};

}  // namespace az
