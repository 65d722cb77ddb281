#pragma once
// LargeBuffer: zeroed memory for tables that are read at random, on huge pages where the system
// grants them: a look-up then misses the cache but not the TLB as well.

#include <cstddef>
#include <span>

namespace az {

// Owns its memory. Thread-compatible.
class LargeBuffer {
 public:
  // Backs the whole buffer with memory at once, aligned to at least a cache line. Ends the process
  // when there is no memory, as `new` does here. REQUIRES: size > 0.
  explicit LargeBuffer(std::size_t size);
  LargeBuffer(LargeBuffer&& other) noexcept;
  LargeBuffer& operator=(LargeBuffer&&) = delete;
  ~LargeBuffer();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::size_t mapped_;
  std::byte* mapping_;
  std::byte* data_;
};

}  // namespace az
