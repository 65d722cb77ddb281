#include "mcts/eval_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/rng.h"
#include "mcts/softmax.h"

namespace az {
namespace {

constexpr int kLegal = 5;

std::array<float, kLegal> LogitsOf(std::uint64_t hash) {
  std::array<float, kLegal> logits;
  Rng rng(hash);
  for (float& logit : logits) logit = static_cast<float>(4.0 * rng.Uniform() - 2.0);
  RoundToBfloat16(logits);
  return logits;
}

float ValueOf(std::uint64_t hash) { return static_cast<float>(hash % 1000) / 1000.0f; }

void Store(EvalCache& cache, const EvalCache::Model& model, std::uint64_t hash) {
  cache.Store(model, hash, LogitsOf(hash), ValueOf(hash));
}

// Whether the answer is there; a wrong one is a failure.
bool Has(EvalCache& cache, const EvalCache::Model& model, std::uint64_t hash) {
  std::array<float, kLegal> logits{};
  float value = 0.0f;
  if (!cache.Find(model, hash, logits, value)) return false;
  EXPECT_EQ(logits, LogitsOf(hash));
  EXPECT_EQ(value, ValueOf(hash));
  return true;
}

// One set of four entries: every key collides with every other.
EvalCache OneSet() { return EvalCache(Bytes(1), kLegal); }

TEST(EvalCache, GivesBackTheSameBits) {
  EvalCache cache(KiB(64), kLegal);
  const auto model = cache.SetCurrent(0, 1);
  EXPECT_FALSE(Has(cache, model, 7));
  Store(cache, model, 7);
  EXPECT_TRUE(Has(cache, model, 7));
  EXPECT_EQ(cache.stats().hits, 1u);
  EXPECT_EQ(cache.stats().misses, 1u);
}

TEST(EvalCache, TakesNoMoreThanItsSize) {
  const EvalCache cache(MiB(1), 25);
  EXPECT_LE(cache.size(), MiB(1));
  EXPECT_GT(cache.size(), KiB(1020));
  EXPECT_EQ(cache.size() / Bytes(cache.capacity()), 80);  // 24 bytes and 25 logits, in words
  EXPECT_EQ(OneSet().capacity(), 4);
}

TEST(EvalCache, TellsCollidingKeysApart) {
  EvalCache cache = OneSet();
  const auto model = cache.SetCurrent(0, 1);
  for (std::uint64_t hash = 1; hash <= 4; ++hash) Store(cache, model, hash);
  for (std::uint64_t hash = 1; hash <= 4; ++hash) EXPECT_TRUE(Has(cache, model, hash));
  for (std::uint64_t hash = 5; hash <= 5000; ++hash) EXPECT_FALSE(Has(cache, model, hash));
}

TEST(EvalCache, DropsTheLeastRecentlyUsed) {
  EvalCache cache = OneSet();
  const auto model = cache.SetCurrent(0, 1);
  for (std::uint64_t hash = 1; hash <= 4; ++hash) Store(cache, model, hash);
  EXPECT_TRUE(Has(cache, model, 1));
  Store(cache, model, 5);
  EXPECT_FALSE(Has(cache, model, 2));
  for (const std::uint64_t hash : {1u, 3u, 4u, 5u}) EXPECT_TRUE(Has(cache, model, hash)) << hash;
  EXPECT_EQ(cache.stats().evicted, 1u);
}

TEST(EvalCache, StoringAgainReplaces) {
  EvalCache cache = OneSet();
  const auto model = cache.SetCurrent(0, 1);
  for (int i = 0; i < 10; ++i) Store(cache, model, 1);
  for (std::uint64_t hash = 2; hash <= 4; ++hash) Store(cache, model, hash);
  for (std::uint64_t hash = 1; hash <= 4; ++hash) EXPECT_TRUE(Has(cache, model, hash));
  EXPECT_EQ(cache.stats().evicted, 0u);
}

TEST(EvalCache, NeverServesAnotherVersionOrModel) {
  EvalCache cache(KiB(64), kLegal);
  const auto old_version = cache.SetCurrent(0, 1);
  Store(cache, old_version, 7);
  const auto new_version = cache.SetCurrent(0, 2);
  const auto other_model = cache.SetCurrent(1, 1);
  EXPECT_FALSE(Has(cache, new_version, 7));
  EXPECT_FALSE(Has(cache, other_model, 7));
  Store(cache, new_version, 7);
  EXPECT_TRUE(Has(cache, new_version, 7));
}

TEST(EvalCache, ReplacesOldVersionsFirst) {
  EvalCache cache = OneSet();
  const auto candidate = cache.SetCurrent(1, 9);
  const auto old_version = cache.SetCurrent(0, 1);
  Store(cache, candidate, 1);
  Store(cache, candidate, 2);
  Store(cache, old_version, 3);
  Store(cache, old_version, 4);
  const auto new_version = cache.SetCurrent(0, 2);
  Store(cache, new_version, 5);
  Store(cache, new_version, 6);
  for (const std::uint64_t hash : {1u, 2u}) EXPECT_TRUE(Has(cache, candidate, hash));
  for (const std::uint64_t hash : {5u, 6u}) EXPECT_TRUE(Has(cache, new_version, hash));
  EXPECT_EQ(cache.stats().evicted, 0u);
}

TEST(EvalCache, RefusesAnAnswerWithAnotherNumberOfActions) {
  EvalCache cache(KiB(64), kLegal);
  const auto model = cache.SetCurrent(0, 1);
  Store(cache, model, 7);
  std::array<float, kLegal - 1> fewer{};
  float value = 0.0f;
  EXPECT_FALSE(cache.Find(model, 7, fewer, value));
}

TEST(EvalCache, DoesNotStoreWideAnswers) {
  EvalCache cache(KiB(64), 64);
  const auto model = cache.SetCurrent(0, 1);
  std::vector<float> logits(65, 1.0f);
  float value = 0.0f;
  cache.Store(model, 7, logits, 0.5f);
  EXPECT_FALSE(cache.Find(model, 7, logits, value));
  EXPECT_EQ(cache.stats().too_wide, 1u);
  logits.pop_back();
  cache.Store(model, 7, logits, 0.5f);
  EXPECT_TRUE(cache.Find(model, 7, logits, value));
}

}  // namespace
}  // namespace az
