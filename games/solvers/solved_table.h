#pragma once
// SolvedTable: a solver's memory, of fixed size: keys below 2^56 with one byte each, in buckets of
// four. A bucket's newest entry comes first; its oldest one is dropped.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/large_buffer.h"

namespace az {

// Thread-compatible.
class SolvedTable {
 public:
  // Takes at most `size`, but at least one bucket.
  explicit SolvedTable(Bytes size)
      : buckets_(std::bit_floor(static_cast<std::uint64_t>(size.count()) / sizeof(Bucket) | 1)),
        memory_(buckets_ * sizeof(Bucket)) {}

  // The byte stored for `key`; 0: none.
  std::uint8_t Find(std::uint64_t key) const {
    for (const std::uint64_t slot : BucketOf(key).slots) {
      if (slot >> 8 == key) return static_cast<std::uint8_t>(slot);
    }
    return 0;
  }
  // Remembers `value` for `key`. REQUIRES: key < 2^56, value > 0.
  void Store(std::uint64_t key, std::uint8_t value) {
    Bucket& bucket = BucketOf(key);
    std::uint64_t moved = key << 8 | value;
    for (std::uint64_t& slot : bucket.slots) {
      const std::uint64_t old = slot;
      slot = moved;
      if (old == 0 || old >> 8 == key) return;
      moved = old;
    }
  }
  std::uint64_t capacity() const { return buckets_ * 4; }

 private:
  struct Bucket {
    std::uint64_t slots[4];  // key << 8 | value
  };
  Bucket& BucketOf(std::uint64_t key) const {
    const std::uint64_t hash = key * 0x9E3779B97F4A7C15U;
    return reinterpret_cast<Bucket*>(memory_.data())[(hash ^ hash >> 32) & (buckets_ - 1)];
  }

  std::uint64_t buckets_;
  LargeBuffer memory_;
};

}  // namespace az
