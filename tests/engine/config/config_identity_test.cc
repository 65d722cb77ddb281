#include "engine/config/config_identity.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "engine/config/option_table.h"

namespace az {
namespace {

// A copy of the default config with one option moved to another value.
RunConfig Changed(std::string_view key) {
  RunConfig config;
  const std::vector<OptionEntry> options = OptionsOf(config);
  const OptionEntry* option = FindOption(options, key);
  const std::string before = option->get();
  std::vector<std::string_view> texts = {"1", "2", "true", "false", "1GiB", "x", "0.5", "0.6"};
  for (const std::string_view word : Split(option->type, ' ')) texts.push_back(word);  // of an enum
  for (const std::string_view text : texts) {
    if (option->set(text) && option->get() != before) return config;
  }
  ADD_FAILURE() << "no other value for " << key;
  return config;
}

TEST(ConfigIdentity, TheResumeRuleIsOfEveryOption) {
  RunConfig config;
  for (const OptionEntry& option : OptionsOf(config)) {
    const RunConfig other = Changed(option.key);
    const auto differences = DifferencesOf(config, other);
    ASSERT_EQ(differences.size(), 1u) << option.key;
    EXPECT_EQ(differences[0].key, option.key);
    const bool may_resume = CheckResume(config, other, "runs/x", "").has_value();
    EXPECT_EQ(may_resume, MayChangeOnResume(option.key)) << option.key;
  }
}

TEST(ConfigIdentity, RefusalListsTheKeysWithBothValues) {
  RunConfig saved;
  RunConfig wanted;
  wanted.net.num_filters = 32;
  wanted.search.visits = 11;
  wanted.loop.iterations = 5;
  const Result<void> resumed = CheckResume(saved, wanted, "runs/x", "go elsewhere");
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().code, Errc::kIncompatible);
  EXPECT_EQ(resumed.error().message,
            "resume runs/x: that run has another config (set these back, or go elsewhere):\n"
            "  net.num_filters: 64 there, 32 now\n"
            "  search.visits: 200 there, 11 now");
}

TEST(ConfigIdentity, AChangeOfMachineOrLengthResumes) {
  for (const char* key : {"loop.iterations", "num_workers", "memory.ram_budget", "engine.runners",
                          "arena.final_games", "train.max_steps", "self_play.full_visits_from"}) {
    EXPECT_TRUE(MayChangeOnResume(key)) << key;
  }
  for (const char* key :
       {"loop", "train.lr", "game.name", "run.seed", "num_worker", "self_play.first_visits"}) {
    EXPECT_FALSE(MayChangeOnResume(key)) << key;
  }
}

}  // namespace
}  // namespace az
