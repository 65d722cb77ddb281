#pragma once
// Completion: gives the blocks of a batch their answers, or sends them back to be run again.

#include <span>
#include <string>

#include "engine/ipc/batch_runner.h"
#include "engine/server/block_queue.h"
#include "engine/server/server_context.h"

namespace az {

// Thread-safe: each batch has one thread, and blocks of different batches share nothing.
class Completion {
 public:
  explicit Completion(ServerContext& context) : context_(context) {}

  // `result`: the version that answered, or why there is no answer; `took`: how long the runner or
  // the device worked on it. Every block leaves TAKEN: all states first, then the rings, a lane
  // once. The batch is empty afterwards. May sleep 100 ms after an error that would come again at
  // once.
  void Finish(SealedBatch& batch, const Result<WeightsVersion>& result, Duration took);

 private:
  struct Verdict {
    BlockState state = BlockState::kDone;  // kSubmitted: run it again
    BlockStatus status = BlockStatus::kOk;
    bool forgive = false;  // the attempt does not count against the block
  };
  Verdict ForAll(const SealedBatch& batch, const Result<WeightsVersion>& result);
  Verdict OutOfMemory(const SealedBatch& batch, const Error& error);
  void HaltBeforeRestart();
  void Store(const SealedBatch& batch, std::size_t index, const Verdict& verdict,
             WeightsVersion version);
  void Ring(const SealedBatch& batch, bool any_again);
  void CountBatch(const SealedBatch& batch, Duration took);
  void Report(std::string_view event, const SealedBatch& batch, const Error& error);

  ServerContext& context_;
};

// True when no element is NaN or infinite.
bool AllFinite(std::span<const float> values);

}  // namespace az
