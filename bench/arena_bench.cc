#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/stats.h"
#include "bench/bench_fleet.h"
#include "bench/commands.h"
#include "engine/arena/openings.h"
#include "engine/fleet/match_run.h"

namespace az {
namespace {

struct Settings : FleetSettings {
  int games = 256;
  int rounds = 3;
};

// The rates of one phase, from its first grant until its last worker was drained.
struct Rates {
  double games_per_s = 0;
  double moves_per_s = 0;
  double evaluations_per_s = 0;
  double mean_batch_rows = 0;
  double mean_plies = 0;
};

Result<Settings> ReadSettings(BenchArgs& args) {
  AZ_ASSIGN_OR_RETURN(FleetSettings common, TakeFleetSettings(args));
  Settings settings{std::move(common)};
  AZ_ASSIGN_OR_RETURN(settings.games, args.TakeCount("--games", settings.games));
  AZ_ASSIGN_OR_RETURN(settings.rounds, args.TakeCount("--rounds", settings.rounds));
  AZ_RETURN_IF_ERROR(args.Finish());
  settings.games += settings.games % 2;
  return settings;
}

template <class Play>
Result<Rates> Measure(ProcessFleet& fleet, int games, Play play) {
  const SteadyClock clock;
  const FleetTotals before = fleet.Totals();
  const TimePoint start = clock.Now();
  AZ_ASSIGN_OR_RETURN(const std::int64_t plies, play());
  const double seconds = Seconds(clock.Now() - start);
  const FleetTotals after = fleet.Totals();
  const auto rows = static_cast<double>(after.device_rows - before.device_rows);
  const auto batches = static_cast<double>(after.batches - before.batches);
  return Rates{.games_per_s = games / seconds,
               .moves_per_s = static_cast<double>(after.moves - before.moves) / seconds,
               .evaluations_per_s = rows / seconds,
               .mean_batch_rows = batches > 0 ? rows / batches : 0,
               .mean_plies = static_cast<double>(plies) / games};
}

Result<Rates> MeasureSelfPlay(const Settings& settings, BenchFleet& bench, std::uint32_t round) {
  return Measure(bench.fleet(), settings.games, [&]() -> Result<std::int64_t> {
    std::int64_t plies = 0;
    GamePhaseSpec spec;
    spec.iteration = round;
    spec.games = static_cast<std::uint32_t>(settings.games);
    spec.workers = bench.planned().plan.num_workers;
    spec.players = {PlayerMessage{}};
    spec.on_finished = [&](const FinishedGame& game) {
      plies += game.plies;
      return true;
    };
    AZ_RETURN_IF_ERROR(bench.fleet().Play(spec));
    return plies;
  });
}

Result<Rates> MeasureMatch(const Settings& settings, BenchFleet& bench, const OpeningBook& openings,
                           std::uint32_t round) {
  return Measure(bench.fleet(), settings.games, [&]() -> Result<std::int64_t> {
    MatchSpec spec;
    spec.match = round;
    spec.games = static_cast<std::uint32_t>(settings.games);
    spec.workers = bench.planned().plan.arena_workers;
    for (int slot = 0; slot < 2; ++slot) {
      PlayerMessage player;
      player.model = slot;
      player.visits = bench.config().search.visits;
      spec.players[static_cast<std::size_t>(slot)] = player;
    }
    const auto offset = round * static_cast<std::uint32_t>(settings.games);
    spec.opening = [&](std::uint32_t pair) { return openings.Opening(offset + pair); };
    AZ_ASSIGN_OR_RETURN(const MatchEnd end, RunMatch(bench.fleet(), spec));
    return std::llround(end.report.mean_plies() * settings.games);
  });
}

Rates MedianOf(const std::vector<Rates>& rounds) {
  const auto median = [&](double Rates::*figure) {
    std::vector<double> values;
    for (const Rates& rates : rounds) values.push_back(rates.*figure);
    return Median(values);
  };
  return {.games_per_s = median(&Rates::games_per_s),
          .moves_per_s = median(&Rates::moves_per_s),
          .evaluations_per_s = median(&Rates::evaluations_per_s),
          .mean_batch_rows = median(&Rates::mean_batch_rows),
          .mean_plies = median(&Rates::mean_plies)};
}

nlohmann::ordered_json ToJson(const Rates& rates) {
  return {{"games_per_s", rates.games_per_s},
          {"moves_per_s", rates.moves_per_s},
          {"evaluations_per_s", rates.evaluations_per_s},
          {"mean_batch_rows", rates.mean_batch_rows},
          {"mean_plies", rates.mean_plies}};
}

void Print(const char* what, const Rates& rates) {
  std::printf(
      "  %-10s games/s %7.2f   moves/s %7.0f   evaluations/s %8.0f   batch %5.1f   %.1f plies\n",
      what, rates.games_per_s, rates.moves_per_s, rates.evaluations_per_s, rates.mean_batch_rows,
      rates.mean_plies);
}

}  // namespace

Result<void> RunArenaBench(BenchArgs& args) {
  AZ_ASSIGN_OR_RETURN(const Settings settings, ReadSettings(args));
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<BenchFleet> bench,
                      BenchFleet::Plan(settings.config, settings.sets));
  AZ_RETURN_IF_ERROR(bench->Start());
  const std::filesystem::path checkpoint = bench->network().parent_path();
  AZ_RETURN_IF_ERROR(bench->fleet().Load(1, checkpoint, 2));
  AZ_ASSIGN_OR_RETURN(const OpeningBook openings,
                      OpeningBook::Make("plies=2", *bench->planned().game, 1));
  std::vector<Rates> self_play;
  std::vector<Rates> arena;
  std::vector<double> ratios;
  for (int i = 0; i < settings.rounds; ++i) {
    const auto round = static_cast<std::uint32_t>(i);
    AZ_ASSIGN_OR_RETURN(self_play.emplace_back(), MeasureSelfPlay(settings, *bench, round));
    AZ_ASSIGN_OR_RETURN(arena.emplace_back(), MeasureMatch(settings, *bench, openings, round));
    ratios.push_back(arena.back().games_per_s / self_play.back().games_per_s);
  }
  if (settings.json) {
    const nlohmann::ordered_json json = {{"bench", "arena"},
                                         {"config", settings.config},
                                         {"device", bench->fleet().DeviceText()},
                                         {"games", settings.games},
                                         {"visits", bench->config().search.visits},
                                         {"self_play", ToJson(MedianOf(self_play))},
                                         {"arena", ToJson(MedianOf(arena))},
                                         {"ratio", Median(ratios)}};
    std::printf("%s\n", json.dump().c_str());
    return {};
  }
  const Plan& plan = bench->planned().plan;
  std::printf("%s on %s: %d and %d workers x %d games, %d simulations, %d games a phase\n",
              settings.config.c_str(), bench->fleet().DeviceText().c_str(), plan.num_workers,
              plan.arena_workers, plan.slots, bench->config().search.visits, settings.games);
  Print("self-play", MedianOf(self_play));
  Print("arena", MedianOf(arena));
  std::printf("  ratio of games/s %.3f\n", Median(ratios));
  return {};
}

}  // namespace az
