#include "scheduler/suggestions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "scheduler/bill.h"
#include "tests/scheduler/plan_testing.h"

namespace az {
namespace {

using testing::Hex5x5;
using testing::OnGpu;
using testing::PlanOf;

const Suggestion* Find(const std::vector<Suggestion>& suggestions, std::string_view key) {
  const auto found = std::ranges::find(suggestions, key, &Suggestion::key);
  return found == suggestions.end() ? nullptr : &*found;
}

// Go 19x19 with a large network, on a GPU: where memory is short.
PlanInput LargeNet(Bytes vram) {
  PlanInput input = OnGpu(vram);
  input.net.rows = input.net.cols = 19;
  input.net.actions = 362;
  input.net.planes = 17;
  input.net.filters = 256;
  input.net.res_blocks = 20;
  input.game = {.words = 17 * 6, .branching = 362, .max_plies = 722};
  input.wishes.batch = 1024;
  input.device.ram = GiB(128);
  return input;
}

TEST(Suggestions, SaveWhatTheBillSays) {
  const PlanInput input = LargeNet(GiB(40));
  const Plan plan = PlanOf(input);
  const std::vector<Suggestion> suggestions = Suggest(input, plan);
  const Suggestion* checkpointing = Find(suggestions, "train.gradient_checkpointing");
  ASSERT_NE(checkpointing, nullptr);
  Plan changed = plan;
  changed.checkpoint_blocks = BestSegment(20);
  EXPECT_EQ(checkpointing->vram_saved, Peak(plan.vram) - VramPeak(input, changed));
  EXPECT_GT(checkpointing->vram_saved, GiB(1));
  EXPECT_GT(checkpointing->slowdown_permille, 0);
  EXPECT_FALSE(checkpointing->changes_learning);
  const std::string text = SuggestionText(*checkpointing);
  EXPECT_NE(text.find("train.gradient_checkpointing: off -> on saves "), std::string::npos) << text;
  EXPECT_NE(text.find("% slower"), std::string::npos) << text;
}

TEST(Suggestions, WhatChangesLearningComesLast) {
  for (const PlanInput& input : {Hex5x5(), OnGpu(GiB(4)), LargeNet(GiB(24))}) {
    const std::vector<Suggestion> suggestions = Suggest(input, PlanOf(input));
    ASSERT_FALSE(suggestions.empty());
    EXPECT_TRUE(std::ranges::is_sorted(suggestions, {}, &Suggestion::changes_learning));
    EXPECT_NE(Find(suggestions, "net.num_filters"), nullptr);
    for (const Suggestion& suggestion : suggestions) {
      EXPECT_GE(std::max(suggestion.ram_saved, suggestion.vram_saved), MiB(1)) << suggestion.key;
      EXPECT_NE(suggestion.from, suggestion.to) << suggestion.key;
    }
  }
}

TEST(Suggestions, MoreMemoryBuysNothingAtTheKnee) {
  const PlanInput input = OnGpu(GiB(12));
  const std::vector<std::string> lines = WhatMoreBuys(input, PlanOf(input), GiB(1));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("1 GiB more device memory buys nothing")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("1 GiB more host memory buys nothing")) << lines[1];
}

TEST(Suggestions, MoreMemoryBuysWhatWasGivenUp) {
  const PlanInput input = LargeNet(GiB(8));
  const Plan plan = PlanOf(input);
  ASSERT_GT(plan.train_rungs, 0);
  const std::vector<std::string> lines = WhatMoreBuys(input, plan, GiB(32));
  EXPECT_NE(lines[0].find(" buys "), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("micro-batch 1024 instead of "), std::string::npos) << lines[0];
}

// What a richer plan gives up elsewhere is no purchase.
TEST(Suggestions, WhatIsBoughtIsToldApartFromWhatItCosts) {
  int exchanges = 0;
  for (int mib = 600; mib < 4000; mib += 50) {
    PlanInput input = Hex5x5();
    input.device.cores = 8;
    input.device.ram = MiB(mib);
    input.wishes.cache = MiB(64);
    const Result<Plan> plan = MakePlan(input);
    if (!plan) continue;
    for (const Bytes more : {MiB(128), MiB(512)}) {
      const std::string line = WhatMoreBuys(input, *plan, more).back();
      const auto buys = line.find(" buys ");
      ASSERT_NE(buys, std::string::npos) << line;
      if (line.find("buys nothing") != std::string::npos) continue;
      const auto exchange = line.find(", in exchange for ");
      exchanges += exchange != std::string::npos ? 1 : 0;
      std::string bought = line.substr(buys, exchange - buys);
      int is = 0;
      int was = 0;
      const auto cache = bought.find("evaluation cache ");
      if (cache == std::string::npos) continue;
      ASSERT_EQ(
          std::sscanf(bought.c_str() + cache, "evaluation cache %d MiB instead of %d", &is, &was),
          2)
          << line;
      EXPECT_GT(is, was) << line;
    }
  }
  EXPECT_GT(exchanges, 0);
}

}  // namespace
}  // namespace az
