#include "engine/players/player_spec.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/rng.h"
#include "base/strings.h"
#include "games/registry.h"

namespace az {
namespace {

PlayerSpec Parsed(std::string_view text) {
  const Result<PlayerSpec> spec = ParsePlayer(text);
  EXPECT_TRUE(spec) << text << ": " << (spec ? "" : spec.error().message);
  return spec ? *spec : PlayerSpec{};
}
std::string Fault(std::string_view text) {
  const Result<PlayerSpec> spec = ParsePlayer(text);
  EXPECT_FALSE(spec) << text;
  if (spec) return "";
  EXPECT_EQ(spec.error().code, Errc::kInvalid);
  EXPECT_TRUE(spec.error().message.starts_with("player '")) << spec.error().message;
  return spec.error().message;
}
bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TEST(PlayerSpec, ReadsEveryForm) {
  struct Case {
    std::string_view text;
    PlayerKind kind;
    std::string_view source;
    int iteration = -1;
    int sims = -1;
  };
  const Case cases[] = {
      {"runs/x/best", PlayerKind::kCheckpoint, "runs/x/best"},
      {"  runs/x ", PlayerKind::kCheckpoint, "runs/x"},
      {"runs/x/checkpoints/iter_000012?sims=32", PlayerKind::kCheckpoint,
       "runs/x/checkpoints/iter_000012", -1, 32},
      {"a/weights.safetensors", PlayerKind::kCheckpoint, "a/weights.safetensors"},
      {"runs/x@iter=12", PlayerKind::kCheckpoint, "runs/x", 12},
      {"runs/x@iter=12?sims=200&gumbel=1", PlayerKind::kCheckpoint, "runs/x", 12, 200},
      {"random", PlayerKind::kRandom, ""},
      {"./random", PlayerKind::kCheckpoint, "./random"},
      {"mcts", PlayerKind::kMcts, ""},
      {"mcts:sims=1000", PlayerKind::kMcts, "", -1, 1000},
      {"mcts?sims=1000", PlayerKind::kMcts, "", -1, 1000},
      {"solver", PlayerKind::kSolver, ""},
      {"gtp:gnugo --mode gtp --level 1", PlayerKind::kGtp, "gnugo --mode gtp --level 1"},
      {"gtp:gnugo?timeout=5", PlayerKind::kGtp, "gnugo"},
      {"gtp:ask 'why? no' --x=a?b=c?", PlayerKind::kGtp, "ask 'why? no' --x=a?b=c"},
      {"gtp:what? me", PlayerKind::kGtp, "what? me"},
  };
  for (const Case& c : cases) {
    const PlayerSpec spec = Parsed(c.text);
    EXPECT_EQ(spec.kind, c.kind) << c.text;
    EXPECT_EQ(spec.source, c.source) << c.text;
    EXPECT_EQ(spec.iteration.has_value() ? static_cast<int>(*spec.iteration) : -1, c.iteration);
    EXPECT_EQ(spec.settings.sims.value_or(-1), c.sims) << c.text;
    EXPECT_EQ(spec.text, Trim(c.text));
  }
}

TEST(PlayerSpec, HasOneTextThatReadsBackAsTheSame) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"mcts?sims=10", "mcts:sims=10"},
      {"mcts", "mcts"},
      {"random?", "random"},
      {"runs/x?gumbel=1&search.visits=20", "runs/x?sims=20&root=gumbel"},
      {"runs/x@iter=012", "runs/x@iter=12"},
      {"runs/x?c_puct=2.0&seconds=.5", "runs/x?seconds=0.5&c_puct=2"},
      {"runs/x?clock=300.0/30x5", "runs/x?clock=300/30x5"},
      {"runs/x?temperature=0", "runs/x"},
      {"gtp: x --y=a?b=c?", "gtp:x --y=a?b=c?"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(ToString(Parsed(text)), canonical);
    EXPECT_EQ(ToString(Parsed(canonical)), canonical);
  }
}

TEST(PlayerSpec, SaysWhatIsWrongAndWhatWouldDo) {
  EXPECT_TRUE(Has(Fault(""), "runs/") || Has(Fault(""), "a run or checkpoint folder"));
  EXPECT_TRUE(Has(Fault("gtp:"), "gtp:gnugo"));
  EXPECT_TRUE(Has(Fault("gtp:  ?timeout=3"), "no command"));
  EXPECT_TRUE(Has(Fault("runs/x@iter=-1"), "'-1' is not a number"));
  EXPECT_TRUE(Has(Fault("runs/x@iter=99999999999"), "is not a number"));
  EXPECT_TRUE(Has(Fault("@iter=3"), "empty"));
  EXPECT_TRUE(Has(Fault("run\ns"), "control character at byte 4"));
  EXPECT_TRUE(Has(Fault(std::string(5000, 'x')), "5000 bytes"));
  EXPECT_TRUE(Has(Fault("random?sims=3"), "means nothing to a random player"));
  EXPECT_TRUE(Has(Fault("runs/x?sims=0"), "sims = 0 is out of range [1, 1000000]"));
  EXPECT_TRUE(Has(Fault("runs/x?c_puct=abc"), "search.c_puct = abc is not a number"));
  EXPECT_TRUE(Has(Fault("runs/x?cpuct=1"), "did you mean 'c_puct'"));
}

TEST(PlayerSpec, JunkNeverEndsTheProcess) {
  constexpr std::string_view kPieces[] = {"gtp:",   "mcts:", "?",       "&",      "=",    "sims",
                                          "@iter=", "1",     "e9",      "-",      "runs", "clock",
                                          "/",      "x",     "+",       ".",      "\x01", "\xff",
                                          "nan",    "auto",  "search.", "gumbel", " "};
  Rng rng(7);
  int good = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::uint64_t n = rng.Below(12); n > 0; --n)
      text += kPieces[rng.Below(std::size(kPieces))];
    const Result<PlayerSpec> spec = ParsePlayer(text);
    if (!spec) {
      EXPECT_FALSE(spec.error().message.empty());
      continue;
    }
    ++good;
    const std::string canonical = ToString(*spec);
    const Result<PlayerSpec> again = ParsePlayer(canonical);
    ASSERT_TRUE(again) << text << " -> " << canonical << ": " << again.error().message;
    EXPECT_EQ(ToString(*again), canonical) << text;
    EXPECT_EQ(again->source, spec->source) << text;
    EXPECT_EQ(again->settings, spec->settings) << text;
  }
  EXPECT_GT(good, 1000);
}

// The lines in the code blocks of the page: a player, and after two blanks what it is.
TEST(PlayerSpec, ReadsEveryLineOfItsPage) {
  const Result<std::string> page = ReadFile("docs/players.md");
  ASSERT_TRUE(page) << page.error().message;
  bool in_block = false;
  int players = 0;
  for (const std::string_view line : Split(*page, '\n')) {
    if (line.starts_with("```")) {
      in_block = !in_block;
    } else if (in_block) {
      Parsed(line.substr(0, line.find("  ")));
      ++players;
    }
  }
  EXPECT_GE(players, 15);
}

TEST(PlayerSpec, SolversPlayOnlyGamesThatHaveOne) {
  EXPECT_TRUE(CheckPlayerFor(Parsed("solver"), (*FindGame("hex", 4))->info()));
  const Result<void> refused = CheckPlayerFor(Parsed("solver"), (*FindGame("go", 9))->info());
  ASSERT_FALSE(refused);
  EXPECT_TRUE(Has(refused.error().message, "connect_four")) << refused.error().message;
  EXPECT_TRUE(CheckPlayerFor(Parsed("random"), (*FindGame("go", 9))->info()));
}

}  // namespace
}  // namespace az
