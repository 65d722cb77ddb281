#pragma once
// InferenceNet: the form of the network that plays on a CPU. Immutable; made from a weights file at
// each publication. Takes bit planes, answers logits and values. Two implementations: OnednnNet
// (any shape, fp32 and bf16) and DirectNet (AVX512-BF16, faster with AMX-BF16; small boards).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/config/options.h"
#include "engine/net/checkpoint.h"
#include "scheduler/net_shape.h"

namespace az {

// Which implementation: kAuto takes the fastest one that can run the shape on this processor.
enum class NetKernels : std::uint8_t {
  kAuto,
  kOnednn,
  kDirect,  // DirectNet with vector registers
  kTiles,   // DirectNet with tile registers
};

struct InferenceOptions {
  Precision precision = Precision::kFp32;
  NetKernels kernels = NetKernels::kAuto;
};

// Rows of one forward. Every array has room for `bucket` rows; the answers of rows [rows, bucket)
// mean nothing.
struct InferenceBatch {
  const std::uint64_t* planes =
      nullptr;              // [bucket][words], layout of games/game.h; pad rows hold anything valid
  float* logits = nullptr;  // [bucket][actions]
  float* values = nullptr;  // [bucket], p_win - p_loss
  int rows = 0;
  int bucket = 0;  // >= rows; a prepared size where the implementation works in prepared sizes
};

// Memory a thread lends to its forwards, kept between calls. Thread-compatible.
class InferenceScratch {
 public:
  // At least `bytes` bytes, aligned to 64, contents unspecified; valid until the next call.
  std::byte* Get(std::size_t bytes);

 private:
  struct Line {
    alignas(64) std::byte bytes[64];
  };
  std::vector<Line> lines_;
};

// Thread-safe: const, each thread with its own scratch.
class InferenceNet {
 public:
  virtual ~InferenceNet() = default;
  // kUnavailable: the processor or LibTorch cannot run what was asked for. kNoMemory.
  static Result<std::unique_ptr<const InferenceNet>> Create(const Weights& weights,
                                                            const InferenceOptions& options);

  // kNoMemory: nothing was written.
  virtual Result<void> Forward(const InferenceBatch& batch, InferenceScratch& scratch) const = 0;

  virtual const NetShape& shape() const = 0;
  virtual std::string_view kernels() const = 0;  // for logs: "onednn bf16"
};

}  // namespace az
