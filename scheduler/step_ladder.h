#pragma once
// StepLadder: what a training step gives up when it runs out of memory, one rung a refusal
// (docs/memory.md). The rows of a step never change, only how many of them run at a time and what
// is kept of them.
//
//   clean up → halve the micro-batch, to 64 rows → checkpoint segments of stages → halve again, to 8
//
// Checkpointing comes before micro-batches below 64 rows: it costs time alone, and they make the
// batch norms' means noisy.

#include <cstdint>
#include <string>

namespace az {

struct StepSizes {
  int micro_batch = 512;      // the most rows that a shard runs at a time
  int checkpoint_stages = 0;  // per segment; 0 = nothing is computed twice
  friend bool operator==(const StepSizes&, const StepSizes&) = default;
};

enum class StepRung : std::uint8_t {
  kCleanUp,        // release cached memory and do the same again
  kSmallerBatch,   // half the micro-batch, at least 64 rows
  kCheckpointing,  // segments of BestSegment stages (checkpointing.h)
  kTinyBatch,      // below 64 rows: worth a warning
  kExhausted,      // nothing left to give up
};

// Confined to one thread.
class StepLadder {
 public:
  // `stages`: the network's, as checkpoint_stages counts them. REQUIRES: stages and
  // sizes.micro_batch are at least 1.
  StepLadder(const StepSizes& sizes, int stages) : sizes_(sizes), stages_(stages) {}

  // Notes that a step with micro-batches of `rows` rows (at most sizes().micro_batch) was refused
  // memory and undone. It is to be repeated with the new sizes().
  StepRung OutOfMemory(int rows);
  // Notes that a step was done. Cleaning up counts as enough only if many steps follow it;
  // otherwise the next refusal takes a rung.
  void Success() { ++steps_since_clean_up_; }

  const StepSizes& sizes() const { return sizes_; }

 private:
  StepSizes sizes_;
  const int stages_;
  std::int64_t steps_since_clean_up_ = kWorthACleanUp;
  static constexpr std::int64_t kWorthACleanUp = 50;
};

// What was given up, for a log: "micro-batch 256 rows" or "cleaned up".
std::string DescribeRung(StepRung rung, const StepSizes& sizes);

}  // namespace az
