#pragma once
// SimulatedDevice: the memory of a card that does not exist. Its caching allocator rounds, splits
// and caches as LibTorch's does, other programs take their share, and a driver reports. With it,
// the code that watches memory meets states that a machine without a GPU cannot produce. Its
// figures are no measurements, and everything built on it says SIMULATED.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "scheduler/device_memory.h"

namespace az {

struct SimulatedCardSpec {
  std::string name = "card";
  Bytes total;
  Bytes context;            // our process's, outside of the allocator
  Bytes others;             // co-tenants and the driver's reserve at the start
  bool expandable = false;  // each pool has one segment, which grows and shrinks at its end
};

// Thread-safe.
class SimulatedDevice final : public DeviceMemory {
 public:
  using Piece = std::uint64_t;  // names an allocation

  explicit SimulatedDevice(SimulatedCardSpec spec);

  // Fails with kNoMemory, in the words of the real allocator, when `bytes` exceed the cap or what
  // the card has left. Before that the cache is given back once, which counts as a retry.
  Result<Piece> Allocate(Bytes bytes) AZ_EXCLUDES(mutex_);
  void Free(Piece piece) AZ_EXCLUDES(mutex_);  // REQUIRES: allocated and not freed
  // Sets what other programs take from now on; more than is left counts as all of it.
  void SetOthers(Bytes bytes) AZ_EXCLUDES(mutex_);

  MemorySnapshot Snapshot() const override AZ_EXCLUDES(mutex_);
  std::optional<MemoryRefusal> LastRefusal() const override AZ_EXCLUDES(mutex_);
  Result<void> SetCap(std::optional<Bytes> cap) override AZ_EXCLUDES(mutex_);
  Bytes EmptyCache() override AZ_EXCLUDES(mutex_);
  void ResetPeaks() override AZ_EXCLUDES(mutex_);
  void Synchronize() override {}
  DeviceIdentity Identity() const override;
  bool simulated() const override { return true; }

 private:
  struct Block {  // part of a segment; its blocks are in the order of their offsets
    Bytes size;
    Piece piece = 0;  // 0: free
    Bytes requested;
  };
  struct Segment {
    Bytes size;
    bool is_small = false;  // serves requests up to 1 MiB
    std::vector<Block> blocks;
  };
  struct Place {
    std::size_t segment = 0;
    std::size_t block = 0;
  };

  std::optional<Place> Fit(Bytes rounded, bool is_small) const AZ_REQUIRES(mutex_);
  bool Grow(Bytes rounded, bool is_small) AZ_REQUIRES(mutex_);
  Bytes FreeOnCard() const AZ_REQUIRES(mutex_);
  Bytes DropCache() AZ_REQUIRES(mutex_);
  void NotePeaks() AZ_REQUIRES(mutex_);
  MemorySnapshot Layers() const AZ_REQUIRES(mutex_);
  std::string Refusal(Bytes bytes) const AZ_REQUIRES(mutex_);

  const SimulatedCardSpec spec_;
  mutable Mutex mutex_;
  Bytes others_ AZ_GUARDED_BY(mutex_);
  std::optional<Bytes> cap_ AZ_GUARDED_BY(mutex_);
  std::vector<Segment> segments_ AZ_GUARDED_BY(mutex_);
  std::map<Piece, Bytes> rounded_ AZ_GUARDED_BY(mutex_);
  Piece next_ AZ_GUARDED_BY(mutex_) = 1;
  Bytes requested_ AZ_GUARDED_BY(mutex_);
  Bytes allocated_ AZ_GUARDED_BY(mutex_);
  Bytes reserved_ AZ_GUARDED_BY(mutex_);
  Bytes requested_peak_ AZ_GUARDED_BY(mutex_);
  Bytes allocated_peak_ AZ_GUARDED_BY(mutex_);
  Bytes reserved_peak_ AZ_GUARDED_BY(mutex_);
  std::int64_t allocations_ AZ_GUARDED_BY(mutex_) = 0;
  std::int64_t retries_ AZ_GUARDED_BY(mutex_) = 0;
  std::int64_t ooms_ AZ_GUARDED_BY(mutex_) = 0;
  std::optional<MemoryRefusal> last_refusal_ AZ_GUARDED_BY(mutex_);
};

}  // namespace az
