#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/strings.h"
#include "bench/commands.h"
#include "games/perft.h"
#include "games/registry.h"

namespace az {
namespace {

constexpr std::int64_t kPlayoutPlies = 5'000'000;
constexpr std::uint64_t kPerftNodes = 3'000'000;  // the default depth has at least so many

struct Measurement {
  std::int64_t count = 0;
  double median_seconds = 0;
};

// Runs `work` `repeats` times; it returns what it counted, which must be the same each time.
template <class Work>
Measurement Measure(int repeats, Work&& work) {
  Measurement measurement;
  std::vector<double> seconds;
  const SteadyClock clock;
  for (int run = 0; run < repeats; ++run) {
    const TimePoint start = clock.Now();
    measurement.count = work();
    seconds.push_back(std::chrono::duration<double>(clock.Now() - start).count());
  }
  measurement.median_seconds = Median(seconds);
  return measurement;
}

template <GameState S>
std::int64_t PlayOut() {
  Rng rng(1);
  std::int64_t plies = 0;
  while (plies < kPlayoutPlies) {
    S state{};
    while (!state.Result().has_value()) {
      const auto legal = state.LegalActions();
      state.Apply(
          legal.Nth(static_cast<int>(rng.Below(static_cast<std::uint64_t>(legal.Count())))));
      ++plies;
    }
  }
  return plies;
}

template <GameState S>
int PerftDepth() {
  int depth = 1;
  while (depth < S::kMaxPlies && Perft(S{}, depth) < kPerftNodes) ++depth;
  while (depth > 1 && Perft(S{}, depth) == 0) --depth;
  return depth;
}

void Print(std::string_view game, std::string_view measure, const Measurement& m, bool json) {
  const double per_second = static_cast<double>(m.count) / m.median_seconds;
  const std::string line =
      json ? StrCat("{\"bench\":\"rules\",\"game\":\"", game, "\",\"measure\":\"", measure,
                    "\",\"plies\":", m.count, ",\"seconds\":", Fixed(m.median_seconds, 6),
                    ",\"plies_per_s\":", Fixed(per_second, 0), "}\n")
           : StrCat(game, std::string(14 - std::min<std::size_t>(14, game.size()), ' '), measure,
                    std::string(14 - std::min<std::size_t>(14, measure.size()), ' '),
                    Fixed(per_second / 1e6, 1), " M/s   ", Fixed(m.median_seconds, 3), " s\n");
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

struct Setup {
  int repeats = 5;
  int depth = 0;  // perft's; 0: deep enough for a measurement
  bool json = false;
};

template <GameState S>
void BenchGame(const Setup& setup) {
  const auto [repeats, asked_depth, json] = setup;
  const int depth = asked_depth > 0 ? asked_depth : PerftDepth<S>();
  Print(S::kName, StrCat("perft_", depth),
        Measure(repeats, [&] { return static_cast<std::int64_t>(Perft(S{}, depth)); }), json);
  Print(S::kName, "playout", Measure(repeats, [] { return PlayOut<S>(); }), json);
}

}  // namespace

Result<void> RunRulesBench(BenchArgs& args) {
  Setup setup;
  setup.json = args.TakeFlag("--json");
  const std::string games = args.TakeText("--games").value_or(Join(GameEntries(), ","));
  AZ_ASSIGN_OR_RETURN(setup.repeats, args.TakeCount("--repeats", setup.repeats));
  AZ_ASSIGN_OR_RETURN(setup.depth, args.TakeCount("--depth", setup.depth));
  AZ_RETURN_IF_ERROR(args.Finish());
  for (const std::string_view game : Split(games, ',')) {
    AZ_RETURN_IF_ERROR(WithGame(game, [&]<GameState S>() -> Result<void> {
      BenchGame<S>(setup);
      return {};
    }));
  }
  return {};
}

}  // namespace az
