#include "bench/search_bench.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/strings.h"
#include "bench/allocation_counter.h"
#include "games/registry.h"
#include "mcts/move_choice.h"
#include "mcts/search.h"
#include "mcts/uniform_rows.h"

namespace az {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kMostRows = 8;

enum class Logits : std::uint8_t { kEqual, kRandom };

struct Feature {
  std::string_view name;
  SearchOptions options;
  SearchMode mode = SearchMode::kPlay;
  Logits logits = Logits::kEqual;
};

// How a worker searches: the options that the shipped configs train with, on logits that differ.
Feature Shipped() {
  SearchOptions options;
  options.reuse_counts = KeptVisits::kNever;
  options.temperature_start = 0.4f;
  options.temperature_end = 0.05f;
  return {"shipped", options, SearchMode::kSelfPlay, Logits::kRandom};
}

std::vector<Feature> Features(bool all) {
  SearchOptions bare;
  bare.tree_reuse = bare.solver = false;
  bare.symmetry = SymmetryMode::kNone;
  bare.cache = Bytes(0);
  std::vector<Feature> features = {{.name = "bare", .options = bare}, Shipped()};
  if (!all) return features;
  const auto add = [&](std::string_view name, auto change) -> Feature& {
    features.push_back({.name = name, .options = bare});
    change(features.back().options);
    return features.back();
  };
  add("random", [](SearchOptions&) {}).logits = Logits::kRandom;
  add("solver", [](SearchOptions& o) { o.solver = true; });
  add("symmetry", [](SearchOptions& o) { o.symmetry = SymmetryMode::kHashed; });
  add("cache", [](SearchOptions& o) { o.cache = MiB(16); });
  add("tree_reuse", [](SearchOptions& o) { o.tree_reuse = true; });
  add("noise", [](SearchOptions&) {}).mode = SearchMode::kSelfPlay;
  add("forced", [](SearchOptions& o) { o.forced_playouts = 2.0f; }).mode = SearchMode::kSelfPlay;
  add("gumbel", [](SearchOptions& o) { o.root = RootRule::kGumbel; });
  add("canonical", [](SearchOptions& o) { o.symmetry = SymmetryMode::kCanonical; });
  add("stdev_scale", [](SearchOptions& o) { o.c_puct_stdev_scale = 0.85f; });
  add("in_flight_8", [](SearchOptions& o) { o.max_in_flight = 8; });
  add("self_play", [](SearchOptions& o) { o = {}; }).mode = SearchMode::kSelfPlay;
  return features;
}

struct Measurement {
  double simulations_per_s = 0;
  double rows_per_s = 0;
  double allocations_per_simulation = 0;
  double nodes_per_simulation = 0;
  std::int64_t bytes_per_node = 0;
};

struct Setup {
  int simulations = 100;
  int repeats = 5;
  Duration window = std::chrono::milliseconds(300);
};

// In place of a network. Random answers are drawn here, before anything is timed, with the spread of
// a trained network's logits; a position gets the one that its planes choose, at the price of a copy.
template <GameState S>
class Answers {
 public:
  explicit Answers(Logits logits) {
    if (logits == Logits::kEqual) return;
    Rng rng(kSeed);
    drawn_.resize(kDrawn);
    for (Answer& answer : drawn_) {
      for (float& logit : answer.logits) logit = static_cast<float>(1.5 * rng.Normal());
      answer.value = static_cast<float>(0.6 * rng.Uniform() - 0.3);
    }
  }

  void Fill(std::span<const EvalRow> rows) const {
    if (drawn_.empty()) return FillUniform(rows);
    for (const EvalRow& row : rows) {
      std::uint64_t hash = 0;
      for (const std::uint64_t word : row.planes) hash = HashCombine(hash, word);
      const Answer& answer = drawn_[hash % kDrawn];
      std::ranges::copy(answer.logits, row.logits.begin());
      *row.value = answer.value;
    }
  }

 private:
  static constexpr std::size_t kDrawn = 256;  // few enough for the second-level cache
  struct Answer {
    std::array<float, S::kNumActions> logits;
    float value = 0.0f;
  };
  std::vector<Answer> drawn_;
};

// A search takes as many rows as it may have in flight.
template <GameState S>
struct RowMemory {
  static constexpr auto kWords = static_cast<std::size_t>(S::kShape.words());
  static constexpr auto kActions = static_cast<std::size_t>(S::kNumActions);
  std::array<std::uint64_t, kMostRows * kWords> planes{};
  std::array<float, kMostRows * kActions> logits{};
  std::array<float, kMostRows> values{};

  std::array<EvalRow, kMostRows> Rows() {
    std::array<EvalRow, kMostRows> rows;
    for (std::size_t i = 0; i < kMostRows; ++i) {
      rows[i] = {.planes = std::span(planes).subspan(i * kWords, kWords),
                 .logits = std::span(logits).subspan(i * kActions, kActions),
                 .value = &values[i]};
    }
    return rows;
  }
};

// Plays whole games until the window is over.
template <GameState S>
Measurement MeasureOnce(Search<S>& search, const Feature& feature, const Answers<S>& answers,
                        Duration window, std::uint64_t seed) {
  RowMemory<S> memory;
  std::array<EvalRow, kMostRows> rows = memory.Rows();
  std::uint64_t simulations = 0;
  std::uint64_t rows_asked = 0;
  std::uint64_t nodes = 0;
  Rng rng(seed);
  const std::uint64_t allocations_before = AllocationCount();
  const TimePoint start = std::chrono::steady_clock::now();
  Duration elapsed{};
  while (elapsed < window) {
    S state;
    std::array<Action, 1> played{};
    search.Clear();
    for (int ply = 0; !state.Result().has_value(); ++ply) {
      search.SetRoot(state, rng.Fork(static_cast<std::uint64_t>(ply)), {.ply = ply},
                     std::span(played).first(ply > 0 ? 1 : 0));
      const std::uint32_t kept = search.tree().size();
      const std::uint32_t before = search.tree().root().visits;
      while (!search.Done()) {
        const auto gathered = static_cast<std::size_t>(search.Gather(rows));
        const auto answered = std::span<const EvalRow>(rows).first(gathered);
        answers.Fill(answered);
        search.Absorb(answered);
        rows_asked += gathered;
      }
      simulations += search.tree().root().visits - std::max(before, 1u);
      nodes += search.tree().size() - kept;
      const float temperature = feature.mode == SearchMode::kSelfPlay
                                    ? MoveTemperature(feature.options, ply, S::kShape.rows)
                                    : 1.0f;
      played[0] = search.ChooseMove(temperature, rng);
      state.Apply(played[0]);
    }
    elapsed = std::chrono::steady_clock::now() - start;
  }
  // Of whole moves: SetRoot and ChooseMove count too.
  const std::uint64_t allocations = AllocationCount() - allocations_before;
  const auto per_simulation = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(simulations);
  };
  return {.simulations_per_s = static_cast<double>(simulations) / Seconds(elapsed),
          .rows_per_s = static_cast<double>(rows_asked) / Seconds(elapsed),
          .allocations_per_simulation = per_simulation(allocations),
          .nodes_per_simulation = per_simulation(nodes),
          .bytes_per_node = search.memory().count() / search.tree().capacity()};
}

// The median of each figure over the repeats.
template <GameState S>
Measurement Measure(const Setup& setup, const Feature& feature) {
  EvalCache cache(feature.options.cache, static_cast<int>(Search<S>::kMaxLegal));
  TreeScratch scratch;
  Search<S> search(
      feature.options, feature.mode, setup.simulations, kSeed,
      {.cache = feature.options.cache > Bytes(0) ? &cache : nullptr, .scratch = &scratch});
  const Answers<S> answers(feature.logits);
  MeasureOnce(search, feature, answers, setup.window / 4, kSeed);  // touches memory, warms caches
  std::vector<Measurement> all;
  for (int i = 0; i < setup.repeats; ++i) {
    const std::uint64_t seed = kSeed + static_cast<std::uint64_t>(i);
    all.push_back(MeasureOnce(search, feature, answers, setup.window, seed));
  }
  const auto median = [&](double Measurement::*figure) {
    std::vector<double> values;
    for (const Measurement& one : all) values.push_back(one.*figure);
    return Median(values);
  };
  return {.simulations_per_s = median(&Measurement::simulations_per_s),
          .rows_per_s = median(&Measurement::rows_per_s),
          .allocations_per_simulation = median(&Measurement::allocations_per_simulation),
          .nodes_per_simulation = median(&Measurement::nodes_per_simulation),
          .bytes_per_node = all.front().bytes_per_node};
}

void Print(std::string_view game, const Setup& setup, const Feature& feature,
           const Measurement& measured, bool json) {
  if (json) {
    std::printf(
        "{\"bench\":\"search\",\"game\":\"%.*s\",\"features\":\"%.*s\","
        "\"simulations_per_move\":%d,\"simulations_per_s\":%.0f,\"rows_per_s\":%.0f,"
        "\"bytes_per_node\":%lld,\"nodes_per_simulation\":%.2f,\"allocations_per_simulation\":%g,"
        "\"repeats\":%d}\n",
        static_cast<int>(game.size()), game.data(), static_cast<int>(feature.name.size()),
        feature.name.data(), setup.simulations, measured.simulations_per_s, measured.rows_per_s,
        static_cast<long long>(measured.bytes_per_node), measured.nodes_per_simulation,
        measured.allocations_per_simulation, setup.repeats);
  } else {
    std::printf("%-14.*s %-11.*s %6d   %8.3f M   %8.3f M   %6.2f   %g\n",
                static_cast<int>(game.size()), game.data(), static_cast<int>(feature.name.size()),
                feature.name.data(), setup.simulations, measured.simulations_per_s / 1e6,
                measured.rows_per_s / 1e6, measured.nodes_per_simulation,
                measured.allocations_per_simulation);
  }
  std::fflush(stdout);
}

}  // namespace

Result<void> RunSearchBench(BenchArgs& args) {
  const bool json = args.TakeFlag("--json");
  const bool all_features = args.TakeFlag("--features");
  const std::string games = args.TakeText("--games").value_or(
      "tic_tac_toe,connect_four,hex5,go5,go9,othello8,breakthrough6,gomoku15");
  Setup setup;
  AZ_ASSIGN_OR_RETURN(const int simulations, args.TakeCount("--simulations", 0));
  AZ_ASSIGN_OR_RETURN(setup.repeats, args.TakeCount("--repeats", setup.repeats));
  AZ_ASSIGN_OR_RETURN(const int milliseconds, args.TakeCount("--milliseconds", 300));
  setup.window = std::chrono::milliseconds(milliseconds);
  AZ_RETURN_IF_ERROR(args.Finish());
  if (!json) {
    std::printf(
        "game           features     sims/move  sims/s       rows/s   nodes/sim   new/sim\n");
  }
  const std::vector<int> counts =
      simulations > 0 ? std::vector<int>{simulations} : std::vector<int>{100, 800};
  for (const std::string_view game : Split(games, ',')) {
    AZ_RETURN_IF_ERROR(WithGame(game, [&]<GameState S>() -> Result<void> {
      for (const int count : counts) {
        setup.simulations = count;
        for (const Feature& feature : Features(all_features)) {
          Print(game, setup, feature, Measure<S>(setup, feature), json);
        }
      }
      return {};
    }));
  }
  return {};
}

}  // namespace az
