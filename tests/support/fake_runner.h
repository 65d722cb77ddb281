#pragma once
// FakeNetwork and FakeRunner: a hash for a network. Every output depends on all words of its row
// and on the weights version, so a wrong, torn or stale row is seen. Faults are told beforehand.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "engine/ipc/batch_runner.h"
#include "engine/ipc/counters.h"

namespace az::fakes {

// In [-1, 1), exactly representable.
inline float Squash(std::uint64_t hash) {
  return static_cast<float>(static_cast<std::int32_t>(hash >> 40) - (1 << 23)) * 0x1.0p-23f;
}

inline std::uint64_t RowHash(std::span<const std::uint64_t> planes, WeightsVersion version) {
  std::uint64_t hash = version;
  for (const std::uint64_t word : planes) hash = HashCombine(hash, word);
  return hash;
}
inline float FakeLogit(std::uint64_t row_hash, std::size_t action) {
  return Squash(Mix64(row_hash + action));
}
inline float FakeValue(std::uint64_t row_hash) { return Squash(row_hash); }

inline void FakeForward(std::span<const std::uint64_t> planes, WeightsVersion version,
                        std::span<float> logits, float& value) {
  const std::uint64_t hash = RowHash(planes, version);
  for (std::size_t a = 0; a < logits.size(); ++a) logits[a] = FakeLogit(hash, a);
  value = FakeValue(hash);
}

// Shared by the runners of one server. Thread-safe.
struct FakeNetwork {
  int words = 1;
  int actions = 1;
  std::array<std::atomic<WeightsVersion>, kMaxModels> versions{};  // 0: no weights, kNoModel
  std::atomic<int> forwards{0};
  std::atomic<int> largest_rows{0};
  std::function<void()>
      during;  // called once in each forward, outputs half written; set before the start

  // What the next forwards do instead of succeeding. kNotFinite: finishes, but the first block
  // holds a NaN. kIo: throws. Others: Launch returns them.
  void FailNext(Errc code, int times = 1) {
    const std::lock_guard lock(mutex);
    for (int i = 0; i < times; ++i) faults.push_back(code);
  }
  bool NextFault(Errc& code) {
    const std::lock_guard lock(mutex);
    if (faults.empty()) return false;
    code = faults.front();
    faults.pop_front();
    return true;
  }
  std::mutex mutex;
  std::deque<Errc> faults;
};

// Computes in Finish, as a CPU does.
class FakeRunner : public BatchRunner {
 public:
  explicit FakeRunner(FakeNetwork& network) : network_(network) {}

  Result<WeightsVersion> Launch(ModelId model, int bucket,
                                std::span<const BlockView> blocks) override {
    not_finite_ = false;
    if (Errc code{}; network_.NextFault(code)) {
      if (code == Errc::kIo) throw std::runtime_error("injected");
      not_finite_ = code == Errc::kNotFinite;
      if (!not_finite_) return Error{code, "injected"};
    }
    version_ = network_.versions[model.value()].load();
    if (version_ == 0) return Error{Errc::kNoModel, "empty"};
    blocks_.assign(blocks.begin(), blocks.end());
    int rows = 0;
    for (const BlockView& block : blocks_) rows += block.rows;
    AZ_CHECK(rows <= bucket) << rows << " rows in bucket " << bucket;
    int seen = network_.largest_rows.load();
    while (rows > seen && !network_.largest_rows.compare_exchange_weak(seen, rows)) {
    }
    return version_;
  }

  Result<void> Finish() override {
    const auto words = static_cast<std::size_t>(network_.words);
    const auto actions = static_cast<std::size_t>(network_.actions);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const BlockView& block = blocks_[b];
      for (std::size_t r = 0; r < static_cast<std::size_t>(block.rows); ++r) {
        FakeForward({block.planes + r * words, words}, version_,
                    {block.logits + r * actions, actions}, block.values[r]);
        if (b == 0 && r == 0 && network_.during) network_.during();
      }
    }
    if (not_finite_) blocks_.front().logits[actions - 1] = 0.0f / zero_;
    ++network_.forwards;
    return {};
  }

 private:
  FakeNetwork& network_;
  WeightsVersion version_ = 0;
  std::vector<BlockView> blocks_;
  bool not_finite_ = false;
  volatile float zero_ = 0.0f;
};

inline std::vector<std::unique_ptr<BatchRunner>> FakeRunners(FakeNetwork& network, int count) {
  std::vector<std::unique_ptr<BatchRunner>> runners;
  for (int i = 0; i < count; ++i) runners.push_back(std::make_unique<FakeRunner>(network));
  return runners;
}

}  // namespace az::fakes
