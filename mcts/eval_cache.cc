#include "mcts/eval_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/hash.h"

namespace az {

struct EvalCache::Entry {
  std::uint64_t key;  // 0: empty
  float value;
  std::uint32_t last_use;
  std::uint32_t version;
  std::uint16_t model;
  std::uint16_t count;

  std::uint16_t* logits() { return reinterpret_cast<std::uint16_t*>(this + 1); }
};

namespace {

constexpr std::size_t kHeaderWords = 3;

std::uint64_t KeyOf(std::uint64_t salt, std::uint64_t state_hash) {
  const std::uint64_t key = HashCombine(salt, state_hash);
  return key == 0 ? 1 : key;
}

}  // namespace

EvalCache::EvalCache(Bytes size, int max_legal) : width_(std::min(max_legal, kMaxWidth)) {
  static_assert(sizeof(Entry) == kHeaderWords * sizeof(std::uint64_t));
  AZ_CHECK_GT(max_legal, 0);
  entry_bytes_ = (kHeaderWords + static_cast<std::size_t>(width_ + 3) / 4) * sizeof(std::uint64_t);
  const std::size_t set_bytes = entry_bytes_ * kWays;
  sets_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(size.count()) / set_bytes);
  memory_ = std::make_unique<std::byte[]>(sets_ * set_bytes);
}

Bytes EvalCache::size() const {
  return Bytes(capacity() * static_cast<std::int64_t>(entry_bytes_));
}

EvalCache::Model EvalCache::SetCurrent(std::uint64_t model_key, std::uint64_t weights_version) {
  auto at = std::find_if(current_.begin(), current_.end(), [&](const CurrentVersion& current) {
    return current.model_key == model_key;
  });
  if (at == current_.end()) at = current_.insert(at, {model_key, 0});
  at->version = static_cast<std::uint32_t>(weights_version);
  Model model;
  model.salt_ = HashCombine(model_key, weights_version);
  model.version_ = at->version;
  model.index_ = static_cast<std::uint16_t>(at - current_.begin());
  return model;
}

EvalCache::Entry* EvalCache::EntryAt(std::uint64_t set, int way) {
  const std::size_t index = set * kWays + static_cast<std::size_t>(way);
  return reinterpret_cast<Entry*>(&memory_[index * entry_bytes_]);
}

std::uint64_t EvalCache::SetOf(std::uint64_t key) const {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(key) * sets_ >> 64);
}

bool EvalCache::IsOld(const Entry& entry) const {
  return entry.version != current_[entry.model].version;
}

bool EvalCache::Find(const Model& model, std::uint64_t state_hash, std::span<float> logits,
                     float& value) {
  const std::uint64_t key = KeyOf(model.salt_, state_hash);
  const std::uint64_t set = SetOf(key);
  for (int way = 0; way < kWays; ++way) {
    Entry* const entry = EntryAt(set, way);
    if (entry->key != key || entry->count != logits.size()) continue;
    entry->last_use = ++clock_;
    value = entry->value;
    const std::uint16_t* const stored = entry->logits();
    for (std::size_t i = 0; i < logits.size(); ++i) {
      logits[i] = std::bit_cast<float>(static_cast<std::uint32_t>(stored[i]) << 16);
    }
    ++stats_.hits;
    return true;
  }
  ++stats_.misses;
  return false;
}

EvalCache::Entry* EvalCache::Victim(std::uint64_t set) {
  Entry* oldest = nullptr;
  Entry* old_version = nullptr;
  for (int way = 0; way < kWays; ++way) {
    Entry* const entry = EntryAt(set, way);
    if (entry->key == 0) return entry;
    if (IsOld(*entry)) old_version = entry;
    if (oldest == nullptr || clock_ - entry->last_use > clock_ - oldest->last_use) oldest = entry;
  }
  if (old_version != nullptr) return old_version;
  ++stats_.evicted;
  return oldest;
}

void EvalCache::Store(const Model& model, std::uint64_t state_hash, std::span<const float> logits,
                      float value) {
  if (logits.size() > static_cast<std::size_t>(width_)) {
    ++stats_.too_wide;
    return;
  }
  const std::uint64_t key = KeyOf(model.salt_, state_hash);
  const std::uint64_t set = SetOf(key);
  Entry* entry = nullptr;
  for (int way = 0; way < kWays && entry == nullptr; ++way) {
    if (EntryAt(set, way)->key == key) entry = EntryAt(set, way);
  }
  if (entry == nullptr) entry = Victim(set);
  *entry = {.key = key,
            .value = value,
            .last_use = ++clock_,
            .version = model.version_,
            .model = model.index_,
            .count = static_cast<std::uint16_t>(logits.size())};
  std::uint16_t* const stored = entry->logits();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    stored[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(logits[i]) >> 16);
  }
  ++stats_.stored;
}

}  // namespace az
