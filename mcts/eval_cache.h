#pragma once
// EvalCache: network answers of positions seen before, of fixed size in bytes. Shared by the
// searches of one thread. Results do not depend on it: a search rounds fresh answers the way they
// are stored.
//
// One flat array of sets, each on its own cache lines, so that a look-up which finds nothing reads
// one line:
//   [ four tags: key | last use : u32 | version : u16 | model : u8 | count : u8 ]   64 bytes
//   [ four answers: value : float | logits, bfloat16 x width ]

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/large_buffer.h"

namespace az {

// Thread-compatible: one owner, no locks.
class EvalCache {
 public:
  static constexpr int kWays = 4;
  static constexpr int kMaxWidth = 255;

  struct Stats {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t stored = 0;
    std::uint64_t evicted = 0;  // stores that replaced a live answer
    std::uint64_t too_wide = 0;
  };
  // Names one model at one weights version; keys of different models or versions differ.
  class Model {
   private:
    friend class EvalCache;
    std::uint64_t salt_ = 0;
    std::uint16_t version_ = 0;
    std::uint8_t index_ = 0;
  };

  // Takes `size` at most, all of it now; at least one set. Answers with more than min(max_legal,
  // kMaxWidth) legal actions are not stored. REQUIRES: max_legal > 0.
  EvalCache(Bytes size, int max_legal);

  // The handle of a model at a version. Answers of its other versions become the first to be
  // replaced; they are never found through the new handle.
  Model SetCurrent(std::uint64_t model_key, std::uint64_t weights_version);

  // The answer stored for a position with `logits.size()` legal actions: fills logits, in the order
  // they were stored, and value. False: not there, nothing changed.
  bool Find(const Model& model, std::uint64_t state_hash, std::span<float> logits, float& value);

  // Keeps an answer. The victim: an empty entry, else one of an old version, else the least
  // recently used. REQUIRES: logits rounded to bfloat16 (mcts/softmax.h).
  void Store(const Model& model, std::uint64_t state_hash, std::span<const float> logits,
             float value);

  const Stats& stats() const { return stats_; }
  Bytes size() const;
  std::int64_t capacity() const { return static_cast<std::int64_t>(sets_) * kWays; }

 private:
  struct Tag {
    std::uint64_t key;  // 0: empty
    std::uint32_t last_use;
    std::uint16_t version;  // its low bits: who is old is a matter of speed only
    std::uint8_t model;
    std::uint8_t count;
  };
  Tag* TagsOf(std::uint64_t key) const;  // the kWays tags of the key's set
  std::byte* AnswerAt(Tag* tags, int way) const;
  bool IsOld(const Tag& tag) const;
  int Victim(const Tag* tags);

  struct CurrentVersion {
    std::uint64_t model_key;
    std::uint16_t version;
  };
  int width_;
  std::size_t answer_bytes_;
  std::size_t set_bytes_;
  std::uint64_t sets_;
  LargeBuffer memory_;
  std::vector<CurrentVersion> current_;  // by model index
  std::uint32_t clock_ = 0;              // wraps; ages are differences
  Stats stats_;
};

}  // namespace az
