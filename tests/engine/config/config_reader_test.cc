#include "engine/config/config_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/rng.h"
#include "base/strings.h"
#include "engine/config/option_table.h"

namespace az {
namespace {

constexpr std::string_view kPath = "configs/t.yaml";

Result<LoadedConfig> Read(std::string_view yaml, const std::vector<std::string>& sets = {}) {
  return ReadConfigText(yaml, kPath, sets);
}

std::string Faults(std::string_view yaml, const std::vector<std::string>& sets = {}) {
  const Result<LoadedConfig> loaded = Read(yaml, sets);
  if (loaded) return "no fault";
  EXPECT_EQ(loaded.error().code, Errc::kInvalid);
  return loaded.error().message;
}

TEST(ConfigReader, ReadsEveryKindOfValue) {
  const Result<LoadedConfig> loaded = Read(R"(
game: {name: hex, board_size: 7}
net:
  num_filters: 32
  precision: 16
num_workers: auto
search: {c_puct: 2.5, tree_reuse: false, cache: 4MiB}
train: {lr: 2e-3, lr_schedule: constant, precision: fp32}
memory: {vram_budget: 4GiB}
run: {name: "a b", seed: 18446744073709551615}
)");
  ASSERT_TRUE(loaded) << loaded.error().message;
  const RunConfig& config = loaded->config;
  EXPECT_EQ(config.game.board_size, 7);
  EXPECT_EQ(config.net.num_filters, 32);
  EXPECT_EQ(config.net.precision, Precision::kBf16);
  EXPECT_FALSE(config.num_workers.has_value());
  EXPECT_EQ(config.search.c_puct, 2.5f);
  EXPECT_FALSE(config.search.tree_reuse);
  EXPECT_EQ(config.search.cache, MiB(4));
  EXPECT_EQ(config.train.lr, 2e-3f);
  EXPECT_EQ(config.train.lr_schedule, LrSchedule::kConstant);
  EXPECT_EQ(config.train.precision, Precision::kFp32);
  EXPECT_EQ(config.run.name, "a b");
  EXPECT_EQ(config.run.seed, ~std::uint64_t{0});
}

TEST(ConfigReader, KeepsDefaultsOfAnEmptyFile) {
  const Result<LoadedConfig> loaded = Read("# nothing yet\n");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->config.search.visits, SearchOptions().visits);
  EXPECT_TRUE(loaded->origins.empty());
  EXPECT_TRUE(Read("search:\n"));
}

TEST(ConfigReader, RemembersWhereAValueComesFrom) {
  const Result<LoadedConfig> loaded =
      Read("search:\n  visits: 64\n  c_puct: 2\n", {"search.visits=800"});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->config.search.visits, 800);
  EXPECT_EQ(loaded->origins.at("search.visits"), "--set search.visits=800");
  EXPECT_EQ(loaded->origins.at("search.c_puct"), "configs/t.yaml:3");
  EXPECT_FALSE(loaded->origins.contains("search.cache"));
}

TEST(ConfigReader, TheLastSetOfAKeyCounts) {
  const Result<LoadedConfig> loaded = Read("", {"num_workers=3", "num_workers = auto"});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_FALSE(loaded->config.num_workers.has_value());
}

struct BadCase {
  std::string yaml;
  std::vector<std::string> sets;
  std::string message;
};

const std::vector<BadCase> kBadCases = {
    {"\nsearch: {visits: 0}",
     {},
     "configs/t.yaml:2: search.visits = 0 is out of range [1, 1000000] (simulations per move in "
     "a "
     "full search)"},
    {"",
     {"search.visits=many"},
     "--set search.visits=many: search.visits = many is not an integer (simulations per move in "
     "a "
     "full search)"},
    {"search:\n  cpuct: 1",
     {},
     "configs/t.yaml:2: unknown key 'search.cpuct'; did you mean 'search.c_puct'?"},
    {"serach: {visits: 3}",
     {},
     "configs/t.yaml:1: unknown key 'serach.visits'; did you mean 'search.visits'?"},
    {"arna: {visits: 3}",
     {},
     "configs/t.yaml:1: unknown key 'arna.visits'; did you mean 'arena.visits'?"},
    {"visits: 3", {}, "configs/t.yaml:1: unknown key 'visits'; did you mean 'search.visits'?"},
    {"xyzzyplugh: 3",
     {},
     "configs/t.yaml:1: unknown key 'xyzzyplugh'; --print-config shows all keys"},
    {"num_workers: 1.5",
     {},
     "configs/t.yaml:1: num_workers = 1.5 is not an integer (or auto) (self-play worker "
     "processes; "
     "auto = planned)"},
    {"search: {c_puct: .nan}",
     {},
     "configs/t.yaml:1: search.c_puct = .nan is not a number (exploration constant of PUCT, for "
     "values in [-1, +1])"},
    {"search: {c_puct: nan}",
     {},
     "configs/t.yaml:1: search.c_puct = nan is out of range [0, 100] (exploration constant of "
     "PUCT, for values in [-1, +1])"},
    {"search: {solver: yes}",
     {},
     "configs/t.yaml:1: search.solver = yes is neither true nor false (back up proven wins, "
     "losses "
     "and draws)"},
    {"arena: {gate: sometimes}",
     {},
     "configs/t.yaml:1: arena.gate = sometimes is not one of: none or fixed or sprt (none: every "
     "candidate is published; fixed: it must reach the threshold; sprt: it must pass a sequential "
     "test)"},
    {"game: {name: othello}\nloop: {yardstick: {every: 5}}",
     {},
     "configs/t.yaml:2: loop.yardstick.every = 5 needs an exact solver, and there is none for "
     "othello8 (0 turns it off; there are solvers for tic_tac_toe, mnk_5_5_4, connect_four, hex3, "
     "hex4, hex5, breakthrough5) (configs/t.yaml:1)"},
    {"a: 1\na: 2",
     {},
     "configs/t.yaml:1: unknown key 'a'; --print-config shows all keys\n"
     "configs/t.yaml:2: key 'a' appears twice (first at line 1)"},
    {"search: {visits: 5}\nnet: {}\nsearch: {visits: 6}",
     {},
     "configs/t.yaml:3: key 'search' appears twice (first at line 1)\n"
     "configs/t.yaml:3: key 'search.visits' appears twice (first at line 1)"},
    {"search: 5",
     {},
     "configs/t.yaml:1: search is a section, not a value (write search.<key>, or its keys below "
     "it)"},
    {"search: {visits: }",
     {},
     "configs/t.yaml:1: search.visits has no value (simulations per move in a full search)"},
    {"search: {visits: [1, 2]}",
     {},
     "configs/t.yaml:1: search.visits takes one value, not a list or map (simulations per move "
     "in a "
     "full search)"},
    {"search:\n  visits: {a: 1, b: 2}",
     {},
     "configs/t.yaml:2: search.visits takes one value, not a map (simulations per move in a full "
     "search)"},
    {"- 1\n- 2", {}, "configs/t.yaml:1: a config is a map of keys, like 'search: {visits: 64}'"},
    {"net: {}\n---\nnet: {}",
     {},
     "configs/t.yaml:3: a second YAML document starts here; a config is one document"},
    {"",
     {"search.visits"},
     "--set search.visits: write --set key=value, for example --set "
     "search.visits=64"},
    {"",
     {"search=3"},
     "--set search=3: search is a section, not a value (write search.<key>, or its keys below it)"},
    {"",
     {"search.vists=3"},
     "--set search.vists=3: unknown key 'search.vists'; did you mean 'search.visits'?"},
};

TEST(ConfigReader, NamesPlaceValueFaultAndMeaning) {
  for (const BadCase& bad : kBadCases) {
    EXPECT_EQ(Faults(bad.yaml, bad.sets), bad.message) << bad.yaml;
  }
}

TEST(ConfigReader, ShowsEveryFaultOfAFile) {
  const std::string faults = Faults("search:\n  visits: 0\n  cpuct: 1\ntrain:\n  lr: fast\n",
                                    {"nope=1", "loop.iterations=0"});
  EXPECT_EQ(std::ranges::count(faults, '\n'), 4) << faults;
}

TEST(ConfigReader, NamesTheLineOfASyntaxError) {
  const std::string fault = Faults("search:\n  visits: 1\n net: [\n");
  EXPECT_TRUE(fault.starts_with("configs/t.yaml:")) << fault;
  EXPECT_NE(fault.find("not valid YAML"), std::string::npos) << fault;
  EXPECT_NE(fault, "no fault");
}

TEST(ConfigReader, ReadsBudgetsAsBytesOrShares) {
  for (int permille = 10; permille <= 1000; ++permille) {
    const std::string text = StrCat(permille / 10, ".", permille % 10, "%");
    const Result<LoadedConfig> loaded = Read("", {"memory.ram_budget=" + text});
    ASSERT_TRUE(loaded) << loaded.error().message;
    RunConfig config = loaded->config;
    const std::vector<OptionEntry> options = OptionsOf(config);
    const OptionEntry* budget = FindOption(options, "memory.ram_budget");
    ASSERT_TRUE(budget->set(budget->get())) << budget->get();
    EXPECT_EQ(config.memory.ram_budget, loaded->config.memory.ram_budget) << text;
  }
  const Result<LoadedConfig> half = Read("memory: {ram_budget: 50%, vram_budget: 4GiB}");
  ASSERT_TRUE(half) << half.error().message;
  EXPECT_EQ(half->config.memory.ram_budget->Of(GiB(8)), GiB(4));
  EXPECT_EQ(half->config.memory.vram_budget->Of(GiB(8)), GiB(4));
  for (const char* text : {"4096", "-1GiB", "120%", "0%", "0B", "4gb"}) {
    EXPECT_FALSE(Read("", {StrCat("memory.vram_budget=", text)})) << text;
  }
}

TEST(ConfigReader, ReadsTheKeysOfTheMemoryScheduler) {
  const Result<LoadedConfig> loaded = Read(
      "memory: {guard: 64MiB, probe: never, climb_after: 0, sample_hz: 10, leak_slope: 1MiB,\n"
      "         enable_monitoring: false, model_sharing: per_worker, expandable_segments: false}\n"
      "train: {gradient_checkpointing: on}\n"
      "arena: {models: concurrent, mode: cpu}\n");
  ASSERT_TRUE(loaded) << loaded.error().message;
  const RunConfig& config = loaded->config;
  EXPECT_EQ(config.memory.guard, MiB(64));
  EXPECT_EQ(config.memory.probe, ProbeMode::kNever);
  EXPECT_EQ(config.memory.leak_slope, MiB(1));
  EXPECT_EQ(config.memory.model_sharing, ModelSharing::kPerWorker);
  EXPECT_EQ(config.memory.expandable_segments, false);
  EXPECT_EQ(config.train.gradient_checkpointing, Checkpointing::On());
  EXPECT_EQ(config.arena.models, ArenaModels::kConcurrent);
  EXPECT_EQ(config.arena.mode, ArenaMode::kCpu);
  for (const char* text : {"memory.guard=64", "memory.guard=-1MiB", "memory.sample_hz=0.01",
                           "memory.history=0", "memory.leak_slope=0B", "memory.climb_after=-1",
                           "memory.probe=sometimes", "memory.auto_cleanup_interval=3601",
                           "memory.model_sharing=none", "arena.models=both", "arena.mode=tpu"}) {
    EXPECT_FALSE(Read("", {text})) << text;
  }
}

TEST(ConfigReader, ReadsCheckpointingAsASwitchOrAsBlocks) {
  for (const char* text : {"off", "on", "1", "256", "auto"}) {
    const Result<LoadedConfig> loaded = Read("", {StrCat("train.gradient_checkpointing=", text)});
    ASSERT_TRUE(loaded) << text;
    RunConfig config = loaded->config;
    EXPECT_EQ(FindOption(OptionsOf(config), "train.gradient_checkpointing")->get(), text);
  }
  for (const char* text : {"0", "-1", "257", "yes", ""}) {
    EXPECT_FALSE(Read("", {StrCat("train.gradient_checkpointing=", text)})) << text;
  }
}

TEST(ConfigReader, ChecksRulesBetweenValuesWithBothPlaces) {
  EXPECT_EQ(Faults("net:\n  num_filters: 32\n  num_heads: 5\n"),
            "configs/t.yaml:3: net.num_heads = 5 must divide net.num_filters = 32 "
            "(configs/t.yaml:2)");
  EXPECT_EQ(Faults("", {"train.window_max=5000"}),
            "--set train.window_max=5000: train.window_start = 20000 must be <= train.window_max = "
            "5000");
}

TEST(ConfigReader, AnUnknownGameOrSizeListsTheOnesThereAre) {
  const std::string no_game = Faults("game: {name: chess}");
  EXPECT_TRUE(no_game.starts_with("configs/t.yaml:1: game.name = chess: ")) << no_game;
  EXPECT_NE(no_game.find("connect_four"), std::string::npos) << no_game;
  const std::string no_size = Faults("game:\n  name: hex\n  board_size: 40\n");
  EXPECT_TRUE(no_size.starts_with("configs/t.yaml:3: game.name = hex, game.board_size = 40: "))
      << no_size;
  EXPECT_NE(no_size.find("11"), std::string::npos) << no_size;
}

TEST(ConfigReader, OpeningsEndBeforeTheGameDoes) {
  EXPECT_TRUE(Read("game: {name: tic_tac_toe}\narena: {opening_plies: 8}"));
  EXPECT_EQ(
      Faults("game: {name: tic_tac_toe}\narena: {opening_plies: 9}"),
      "configs/t.yaml:2: arena.opening_plies = 9 must be below the 9 plies of the longest game "
      "of tic_tac_toe (configs/t.yaml:1)");
}

TEST(ConfigReader, EachRuleBetweenValuesHasItsMessage) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"train.min_positions=30000"},
       "train.min_positions = 30000 must be <= train.window_start = 20000"},
      {{"train.batch=4", "train.accumulate_grad_batches=8"},
       "train.accumulate_grad_batches = 8 must be <= train.batch = 4"},
      {{"train.policy_weight=0", "train.value_weight=0"}, "nothing to learn"},
      {{"train.lr_schedule=steps", "train.lr_final_fraction=0"},
       "which for train.lr_final_fraction = 0 is 0 (set it above 0"},
      {{"train.surprise_weight=0.75", "train.surprise_value_weight=0.5"}, "together at most 1"},
      {{"net.num_filters=30", "net.global_pool_every=2"},
       "net.num_filters = 30 must be a multiple of 4, as net.global_pool_every = 2 pools"},
      {{"net.num_res_blocks=3", "net.global_pool_every=4"},
       "net.global_pool_every = 4 must be <= net.num_res_blocks = 3"},
      {{"search.visits=50", "self_play.first_visits=60"},
       "self_play.first_visits = 60 must be <= search.visits = 50"},
      {{"self_play.full_visits_from=3"},
       "self_play.full_visits_from = 3 needs self_play.first_visits"},
      {{"arena.games=7"}, "arena.games = 7 must be even"},
      {{"arena.final_games=1"}, "arena.final_games = 1 must be even"},
      {{"engine.device=gpu"}, "engine.device = gpu is not one of: auto, cpu, cuda, cuda:N"},
      {{"engine.device=cuda:x"}, "engine.device = cuda:x is not one of"},
  };
  for (const auto& [sets, text] : cases) {
    const std::string faults = Faults("", sets);
    EXPECT_TRUE(faults.starts_with("--set ")) << faults;
    EXPECT_NE(faults.find(text), std::string::npos) << faults;
  }
}

// Whatever is done to a good file: it is read, or every line of the message begins with its place.
TEST(ConfigReader, DamagedFilesAreRefusedWithTheirPlace) {
  const std::string good = ReadFile("configs/5x5.yaml").value();
  const std::string_view alphabet = "{}[]:,-#&*!|>'\"%@\n\t \0ab9";
  Rng rng(21);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = good.substr(0, 1 + rng.Below(good.size()));
    for (std::uint64_t edits = rng.Below(4); edits > 0; --edits) {
      text[rng.Below(text.size())] = alphabet[rng.Below(alphabet.size())];
    }
    const Result<LoadedConfig> loaded = Read(text);
    if (loaded) continue;
    ++refused;
    for (const std::string_view line : Split(loaded.error().message, '\n')) {
      EXPECT_TRUE(line.starts_with(kPath)) << loaded.error().message;
    }
  }
  EXPECT_GT(refused, 500);
}

// The parser's own list of documents never ends here, and fills the memory.
TEST(ConfigReader, TokensThatStartNothingAreRefused) {
  for (const char* text : {",", "# nothing\n, a", "search: {visits: 7}\n---\n,"}) {
    const Result<LoadedConfig> loaded = Read(text);
    ASSERT_FALSE(loaded) << text;
    EXPECT_TRUE(loaded.error().message.starts_with(kPath)) << loaded.error().message;
  }
}

TEST(ConfigReader, ValuesThatWereNotReadDoNotBreakRules) {
  const std::string faults = Faults("net: {num_filters: x, num_heads: 5}");
  EXPECT_EQ(faults.find("must divide"), std::string::npos) << faults;
}

class ConfigLookup : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("lookup_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
               std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    std::filesystem::create_directories(folder_);
    for (const char* name : {"5x5.yaml", "quick.yaml"}) {
      std::ofstream(folder_ / name) << "search: {visits: 7}\n";
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(ConfigLookup, FindsABareNameWithAndWithoutItsEnding) {
  for (const char* name : {"5x5", "5x5.yaml"}) {
    const Result<LoadedConfig> loaded = LoadConfig({name, {}, {folder_}});
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->config.search.visits, 7);
    EXPECT_EQ(loaded->path, folder_ / "5x5.yaml");
  }
}

TEST_F(ConfigLookup, ReadsAPath) {
  const Result<LoadedConfig> loaded = LoadConfig({(folder_ / "quick.yaml").string(), {}, {}});
  EXPECT_TRUE(loaded) << loaded.error().message;
}

TEST_F(ConfigLookup, ListsTheConfigsThereAre) {
  const Result<LoadedConfig> loaded = LoadConfig({"6x6", {}, {folder_}});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Errc::kNotFound);
  EXPECT_EQ(loaded.error().message, "no config '6x6' (configs/ has: 5x5.yaml, quick.yaml)");
}

}  // namespace
}  // namespace az
