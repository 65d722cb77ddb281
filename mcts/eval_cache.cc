#include "mcts/eval_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/hash.h"

namespace az {

namespace {

constexpr std::size_t kLine = 64;

constexpr std::size_t RoundUp(std::size_t size, std::size_t to) {
  return (size + to - 1) / to * to;
}

std::uint64_t KeyOf(std::uint64_t salt, std::uint64_t state_hash) {
  const std::uint64_t key = HashCombine(salt, state_hash);
  return key == 0 ? 1 : key;
}

}  // namespace

EvalCache::EvalCache(Bytes size, int max_legal)
    : width_(std::min(max_legal, kMaxWidth)),
      answer_bytes_(RoundUp(sizeof(float) + 2 * static_cast<std::size_t>(width_), 4)),
      set_bytes_(RoundUp(kLine + kWays * answer_bytes_, kLine)),
      sets_(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(size.count()) / set_bytes_)),
      memory_(sets_ * set_bytes_) {
  static_assert(sizeof(Tag) * kWays == kLine);
  static_assert(kMaxWidth <= std::numeric_limits<decltype(Tag::count)>::max());
  AZ_CHECK_GT(max_legal, 0);
  // What rounding the set left over spreads the answers, at best to a line each.
  answer_bytes_ = (set_bytes_ - kLine) / kWays / sizeof(float) * sizeof(float);
}

Bytes EvalCache::size() const { return Bytes(static_cast<std::int64_t>(sets_ * set_bytes_)); }

EvalCache::Model EvalCache::SetCurrent(std::uint64_t model_key, std::uint64_t weights_version) {
  auto at = std::find_if(current_.begin(), current_.end(), [&](const CurrentVersion& current) {
    return current.model_key == model_key;
  });
  if (at == current_.end()) at = current_.insert(at, {model_key, 0});
  AZ_CHECK_LE(current_.size(), std::size_t{1} << 8) << "models of one cache";
  at->version = static_cast<std::uint16_t>(weights_version);
  Model model;
  model.salt_ = HashCombine(model_key, weights_version);
  model.version_ = at->version;
  model.index_ = static_cast<std::uint8_t>(at - current_.begin());
  return model;
}

EvalCache::Tag* EvalCache::TagsOf(std::uint64_t key) const {
  const auto set = static_cast<std::uint64_t>(static_cast<unsigned __int128>(key) * sets_ >> 64);
  return reinterpret_cast<Tag*>(memory_.data() + set * set_bytes_);
}

std::byte* EvalCache::AnswerAt(Tag* tags, int way) const {
  return reinterpret_cast<std::byte*>(tags) + kLine + static_cast<std::size_t>(way) * answer_bytes_;
}

bool EvalCache::IsOld(const Tag& tag) const { return tag.version != current_[tag.model].version; }

bool EvalCache::Find(const Model& model, std::uint64_t state_hash, std::span<float> logits,
                     float& value) {
  const std::uint64_t key = KeyOf(model.salt_, state_hash);
  Tag* const tags = TagsOf(key);
  for (int way = 0; way < kWays; ++way) {
    Tag& tag = tags[way];
    if (tag.key != key || tag.count != logits.size()) continue;
    tag.last_use = ++clock_;
    const std::byte* const answer = AnswerAt(tags, way);
    std::memcpy(&value, answer, sizeof(value));
    const auto* const stored = reinterpret_cast<const std::uint16_t*>(answer + sizeof(value));
    for (std::size_t i = 0; i < logits.size(); ++i) {
      logits[i] = std::bit_cast<float>(static_cast<std::uint32_t>(stored[i]) << 16);
    }
    ++stats_.hits;
    return true;
  }
  ++stats_.misses;
  return false;
}

int EvalCache::Victim(const Tag* tags) {
  int oldest = 0;
  int old_version = kWays;
  for (int way = 0; way < kWays; ++way) {
    const Tag& tag = tags[way];
    if (tag.key == 0) return way;
    if (IsOld(tag)) old_version = way;
    if (clock_ - tag.last_use > clock_ - tags[oldest].last_use) oldest = way;
  }
  if (old_version != kWays) return old_version;
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
  Tag* const tags = TagsOf(key);
  int way = 0;
  while (way < kWays && tags[way].key != key) ++way;
  if (way == kWays) way = Victim(tags);
  tags[way] = {.key = key,
               .last_use = ++clock_,
               .version = model.version_,
               .model = model.index_,
               .count = static_cast<std::uint8_t>(logits.size())};
  std::byte* const answer = AnswerAt(tags, way);
  std::memcpy(answer, &value, sizeof(value));
  auto* const stored = reinterpret_cast<std::uint16_t*>(answer + sizeof(value));
  for (std::size_t i = 0; i < logits.size(); ++i) {
    stored[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(logits[i]) >> 16);
  }
  ++stats_.stored;
}

}  // namespace az
