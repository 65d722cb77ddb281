#pragma once
// BlockLine: the state word and descriptor of one block. The state names the block's one owner, and
// only the owner writes its rows, its descriptor and its state:
//
//   FREE (worker) -> SUBMITTED (server) -> TAKEN (server) -> DONE | FAILED (worker) -> FREE
//                        ^  |                 |
//                        |  +-> FAILED        |  refused: bad descriptor, no model, poisoned
//                        +--------------------+  the batch must be run again
//
// A store of the state is a release, a look at it an acquire: who sees the state sees what its last
// owner wrote.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace az {

enum class BlockState : std::uint32_t { kFree, kSubmitted, kTaken, kDone, kFailed };
enum class Role : std::uint8_t { kWorker, kServer };

// Why a block is FAILED; kOk for DONE.
enum class BlockStatus : std::uint16_t {
  kOk,
  kBadRequest,
  kNoModel,
  kNotFinite,
  kNoMemory,
  kPoisoned
};
inline constexpr int kNumBlockStatuses = 6;

struct alignas(64) BlockLine {
  std::atomic<std::uint32_t> state;  // 3 bits; TAKEN: | device epoch << 3
  // The worker's, written while FREE; `attempts` goes on in the server's hands.
  std::uint32_t lane_epoch;
  std::uint16_t rows;
  std::uint16_t model;
  std::uint32_t attempts;  // batches this block was sealed into without an answer yet
  std::uint64_t request;
  std::uint64_t submit_ns;  // CLOCK_MONOTONIC
  // The server's, written while TAKEN.
  std::uint64_t version;
  std::uint32_t batch_rows;
  std::uint16_t status;
  std::uint16_t reserved;
};
static_assert(sizeof(BlockLine) == 64 && alignof(BlockLine) == 64);
static_assert(offsetof(BlockLine, lane_epoch) == 4 && offsetof(BlockLine, rows) == 8);
static_assert(offsetof(BlockLine, attempts) == 12 && offsetof(BlockLine, request) == 16);
static_assert(offsetof(BlockLine, version) == 32 && offsetof(BlockLine, status) == 44);

// The state of a word. A word that no process of ours wrote gives a value outside the enumerators,
// legal for nobody.
constexpr BlockState StateOf(std::uint32_t word) { return static_cast<BlockState>(word & 7); }
// The device epoch that took the block; of TAKEN words only.
constexpr std::uint32_t EpochOf(std::uint32_t word) { return word >> 3; }
constexpr std::uint32_t StateWord(BlockState state, std::uint32_t device_epoch = 0) {
  return static_cast<std::uint32_t>(state) | device_epoch << 3;
}

// The whole table.
constexpr bool IsLegal(BlockState from, BlockState to, Role role) {
  switch (role) {
    case Role::kWorker:
      if (from == BlockState::kFree) return to == BlockState::kSubmitted;
      return (from == BlockState::kDone || from == BlockState::kFailed) && to == BlockState::kFree;
    case Role::kServer:
      if (from == BlockState::kSubmitted) {
        return to == BlockState::kTaken || to == BlockState::kFailed;
      }
      return from == BlockState::kTaken &&
             (to == BlockState::kDone || to == BlockState::kFailed || to == BlockState::kSubmitted);
  }
  return false;
}

inline BlockState LoadState(const BlockLine& line) {
  return StateOf(line.state.load(std::memory_order_acquire));
}

// The one function that stores states. REQUIRES: the caller owns the block and IsLegal (checked).
void StoreState(BlockLine& line, BlockState to, Role role, std::uint32_t device_epoch = 0);

std::string_view BlockStateName(BlockState state);
std::string_view BlockStatusName(BlockStatus status);

}  // namespace az
