#pragma once
// SimulatedDevice: the memory of a card that is not there. A caching allocator on it rounds, splits
// and caches as LibTorch's does, other programs take their share, a driver reports. It shows what
// watches memory the states that a machine without a GPU cannot; what it says is no measurement,
// and everything built on it says SIMULATED.

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
  Bytes context;            // of our process, outside of the allocator
  Bytes others;             // co-tenants and the driver's reserve, at first
  bool expandable = false;  // one segment for each pool that grows and shrinks at its end
};

// Thread-safe.
class SimulatedDevice final : public DeviceMemory {
 public:
  using Piece = std::uint64_t;  // names an allocation

  explicit SimulatedDevice(SimulatedCardSpec spec);

  // kNoMemory, in the words of the real allocator, above the cap or what the card has left; before
  // that the cache is given back once, and counted as a retry.
  Result<Piece> Allocate(Bytes bytes) AZ_EXCLUDES(mutex_);
  void Free(Piece piece) AZ_EXCLUDES(mutex_);  // REQUIRES: allocated and not freed
  // What other programs take from now on; more than there is left counts as all of it.
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
  struct Block {  // of a segment, side by side in the order of their offsets
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
