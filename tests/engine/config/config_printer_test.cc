#include "engine/config/config_printer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/rng.h"
#include "base/strings.h"
#include "engine/config/config_identity.h"
#include "engine/config/option_table.h"

namespace az {
namespace {

// A value that the option takes and that is, as a rule, not its default.
std::string RandomText(const OptionEntry& option, Rng& rng) {
  if (option.may_be_auto && rng.Below(2) == 0) return "auto";
  if (option.type == "true or false") return rng.Below(2) == 0 ? "true" : "false";
  if (option.type == "text") {
    const std::vector<std::string> texts = {"cpu", "a b", "null",      "~", "x: y",
                                            "#c",  "-",   "q\"\\\n\t", "é"};
    return texts[rng.Below(texts.size())];
  }
  if (option.type == "size") return StrCat(rng.Below(1 << 20), "KiB");
  if (option.type == "size or percentage") {
    return rng.Below(2) == 0 ? StrCat(1 + rng.Below(100), "%")
                             : StrCat(1 + rng.Below(1 << 20), "KiB");
  }
  if (option.type == "integer") return StrCat(rng.Below(300));
  if (option.type == "number") return StrCat(rng.Uniform() * 3);
  const auto names = Split(option.type, ' ');  // "none or fixed"
  return std::string(names[rng.Below((names.size() + 1) / 2) * 2]);
}

TEST(ConfigPrinter, WrittenYamlReadsBackIdentically) {
  Rng rng(7);
  for (int round = 0; round < 200; ++round) {
    RunConfig config;
    for (const OptionEntry& option : OptionsOf(config)) (void)option.set(RandomText(option, rng));
    config.net.num_heads = config.net.global_pool_every = 0;  // keeps the rules between values
    config.train.window_start = config.train.min_positions = config.train.window_max = 100;
    config.train.accumulate_grad_batches = 1;
    config.train.policy_weight = 0.1f;
    config.train.surprise_weight = config.train.surprise_value_weight = 0.25f;
    config.arena.games = config.arena.final_games = 2;
    config.engine.device = "auto";
    config.run.name = "é: #c";
    config.arena.opening_plies = 2;
    config.arena.sprt.elo0 = -1.5;
    config.arena.panel = "random, first";
    config.arena.panel_games = 4;
    config.game = GameOptions();
    config.search.visits = 300;
    config.search.full_fraction = 0.5f;
    config.search.root = RootRule::kPuct;
    config.search.forced_playouts = 2.5f;
    config.search.target_pruning = config.search.solver = config.search.tree_reuse = true;
    config.search.gumbel.full = false;
    config.search.resign.play_on = 0.5f;
    config.self_play.first_visits = 30;
    const std::string yaml = ToYaml(config);
    const Result<LoadedConfig> loaded = ReadConfigText(yaml, "config.yaml", {});
    ASSERT_TRUE(loaded) << loaded.error().message << "\n" << yaml;
    const auto differences = DifferencesOf(config, loaded->config);
    EXPECT_TRUE(differences.empty()) << differences[0].key << " " << differences[0].before;
    EXPECT_EQ(ToYaml(loaded->config), yaml);
  }
}

TEST(ConfigPrinter, SaysWhereEachValueComesFrom) {
  const Result<LoadedConfig> loaded =
      ReadConfigText("game: {name: hex}\nsearch:\n  visits: 64\n", "c.yaml", {"num_workers=2"});
  ASSERT_TRUE(loaded) << loaded.error().message;
  const std::string text = PrintConfig(*loaded);
  const std::string head = text.substr(0, text.find("net:"));
  EXPECT_EQ(head,
            "game:\n"
            "  name: hex                       # c.yaml:1\n"
            "  board_size: auto                # default\n");
  EXPECT_NE(text.find("\nnum_workers: 2                    # --set\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  visits: 64                      # c.yaml:3\n"), std::string::npos);
  EXPECT_TRUE(ReadConfigText(text, "again.yaml", {}));
}

TEST(ConfigPrinter, DocumentIsUpToDate) {
  const Result<std::string> file = ReadFile("docs/config.md");
  ASSERT_TRUE(file) << file.error().message;
  const std::string wanted = ConfigMarkdown();
  const auto differ = std::ranges::mismatch(*file, wanted);
  EXPECT_TRUE(differ.in1 == file->end() && differ.in2 == wanted.end())
      << "docs/config.md is out of date from byte " << differ.in1 - file->begin()
      << " on (run: az_plan --print-config-docs > docs/config.md)";
}

TEST(ConfigPrinter, EveryOptionHasHelpAndItsDefaultIsInRange) {
  RunConfig config;
  for (const OptionEntry& option : OptionsOf(config)) {
    EXPECT_FALSE(option.help.empty()) << option.key;
    EXPECT_EQ(option.help.find('|'), std::string::npos) << option.key;  // would break the table
    EXPECT_TRUE(option.set(option.get())) << option.key << " " << option.get();
  }
}

}  // namespace
}  // namespace az
