#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "bench/commands.h"
#include "bench/yardstick_players.h"
#include "engine/run/metrics.h"
#include "engine/run/run_points.h"
#include "engine/run/yardstick_curve.h"
#include "engine/run/yardstick_report.h"
#include "games/registry.h"
#include "games/solvers/yardstick.h"

namespace az {
namespace {

struct Printer {
  std::string game;
  std::string player;
  int seed = 1;
  bool json = false;

  void Score(const std::string& in_class, const ClassScore& score) const {
    const double rate = static_cast<double>(score.mistakes) / score.positions;
    const double random_rate = score.random_mistakes / score.positions;
    if (json) {
      const nlohmann::ordered_json line = {{"bench", "yardstick"},
                                           {"game", game},
                                           {"player", player},
                                           {"seed", seed},
                                           {"class", in_class},
                                           {"positions", score.positions},
                                           {"mistakes", score.mistakes},
                                           {"mistake_rate", rate},
                                           {"random_mistake_rate", random_rate}};
      std::printf("%s\n", line.dump().c_str());
    } else {
      std::printf("%-14s %-20s %-12s %5d positions   %5d mistakes   %6.3f   random %6.3f\n",
                  game.c_str(), player.c_str(), in_class.c_str(), score.positions, score.mistakes,
                  rate, random_rate);
    }
    std::fflush(stdout);
  }

  void Conversion(const Conversions& conversions) const {
    if (json) {
      const nlohmann::ordered_json line = {{"bench", "yardstick"},
                                           {"game", game},
                                           {"player", player},
                                           {"seed", seed},
                                           {"won_positions", conversions.games},
                                           {"converted", conversions.won}};
      std::printf("%s\n", line.dump().c_str());
    } else {
      std::printf("%-14s %-20s converted %d of %d won positions\n", game.c_str(), player.c_str(),
                  conversions.won, conversions.games);
    }
    std::fflush(stdout);
  }
};

struct MeasureArgs {
  bool json = false;
  int simulations = 64;
  MeasureOptions options;
};

Result<MeasureArgs> TakeMeasureArgs(BenchArgs& args) {
  MeasureArgs taken;
  taken.json = args.TakeFlag("--json");
  args.TakeFlag("--all");  // accepted, but the default anyway
  AZ_ASSIGN_OR_RETURN(taken.simulations, args.TakeCount("--sims", 64));
  AZ_ASSIGN_OR_RETURN(taken.options.positions, args.TakeCount("--positions", 200));
  AZ_ASSIGN_OR_RETURN(taken.options.games, args.TakeCount("--games", 20));
  AZ_ASSIGN_OR_RETURN(const int seed, args.TakeCount("--seed", 1));
  taken.options.seed = static_cast<std::uint64_t>(seed);
  AZ_RETURN_IF_ERROR(args.Finish());
  return taken;
}

// Measures everything about a trained player (games/solvers/yardstick_measure.h).
Result<void> MeasureTrained(BenchArgs& args, std::string_view text) {
  AZ_ASSIGN_OR_RETURN(const MeasureArgs taken, TakeMeasureArgs(args));
  AZ_ASSIGN_OR_RETURN(const TrainedPlayer player, MakeTrainedPlayer(text, taken.simulations));
  AZ_ASSIGN_OR_RETURN(YardstickMeasure measure,
                      YardstickMeasure::Create(*player.game, taken.options));
  AZ_ASSIGN_OR_RETURN(const YardstickReport report, measure.Measure(player.ask));
  if (!taken.json) {
    std::printf(
        "%s, %s, %d simulations\n%s\n%s\n", player.game->info().entry.c_str(), player.name.c_str(),
        taken.simulations, YardstickTable(*player.game, report).c_str(),
        report.is_perfect() ? "perfect: every opening's value and every game held" : "not perfect");
    return {};
  }
  nlohmann::ordered_json line = {{"bench", "yardstick"},
                                 {"game", player.game->info().entry},
                                 {"player", player.name},
                                 {"sims", taken.simulations},
                                 {"seed", taken.options.seed}};
  line.update(nlohmann::ordered_json::parse(YardstickJson(report)));
  std::printf("%s\n", line.dump().c_str());
  return {};
}

YardstickSettings SettingsOf(const MeasureArgs& args, const TrainedPlayer& player) {
  return {.sims = player.search.visits,
          .measured = args.options,
          .search = SearchText(player.search.options)};
}

// Measures every checkpoint that a run has kept, and adds a line to its yardstick.jsonl for each.
// Skips those that already have the same measurement.
Result<void> MeasureRun(BenchArgs& args, const std::filesystem::path& run) {
  AZ_ASSIGN_OR_RETURN(const MeasureArgs taken, TakeMeasureArgs(args));
  AZ_ASSIGN_OR_RETURN(const std::vector<RunPoint> points, RunPoints(run));
  AZ_ASSIGN_OR_RETURN(YardstickCurve curve, YardstickCurve::Open(run / "yardstick.jsonl"));
  std::optional<YardstickMeasure> measure;
  for (const RunPoint& point : points) {
    const YardstickSubject subject = {point.iteration, point.checkpoint};
    AZ_ASSIGN_OR_RETURN(
        const TrainedPlayer player,
        MakeTrainedPlayer((run / "checkpoints" / point.checkpoint).string(), taken.simulations));
    const YardstickSettings settings = SettingsOf(taken, player);
    if (curve.Holds(subject, settings)) continue;
    if (!measure) {
      AZ_ASSIGN_OR_RETURN(YardstickMeasure made,
                          YardstickMeasure::Create(*player.game, taken.options));
      measure.emplace(std::move(made));
    }
    AZ_ASSIGN_OR_RETURN(const YardstickReport report, measure->Measure(player.ask));
    AZ_ASSIGN_OR_RETURN(const MetricsLine line,
                        YardstickPoint(subject, point.cost, settings, report));
    AZ_RETURN_IF_ERROR(curve.Append(subject, settings, line));
    std::printf("%s\n", taken.json ? line.text().c_str()
                                   : StrCat(point.checkpoint, " ", Fixed(point.cost.elapsed_s, 0),
                                            " s: ", YardstickLine(report))
                                         .c_str());
    std::fflush(stdout);
  }
  return {};
}

}  // namespace

Result<void> RunYardstickBench(BenchArgs& args) {
  if (const auto checkpoint = args.TakeText("--checkpoint")) {
    return MeasureTrained(args, *checkpoint);
  }
  if (const auto run = args.TakeText("--run")) return MeasureRun(args, *run);
  const bool convert = args.TakeFlag("--convert");
  Printer printer{.json = args.TakeFlag("--json")};
  printer.game = args.TakeText("--game").value_or("hex5");
  const std::string players = args.TakeText("--player").value_or("random");
  AZ_ASSIGN_OR_RETURN(const int simulations, args.TakeCount("--sims", 200));
  AZ_ASSIGN_OR_RETURN(const int positions, args.TakeCount("--positions", 200));
  AZ_ASSIGN_OR_RETURN(printer.seed, args.TakeCount("--seed", 1));
  AZ_RETURN_IF_ERROR(args.Finish());
  AZ_ASSIGN_OR_RETURN(const GameOps* game, FindGame(printer.game));
  printer.game = game->info().entry;
  std::vector<YardstickPlayer> made;  // made before the positions, which may take a minute
  for (const std::string_view text : Split(players, ',')) {
    AZ_ASSIGN_OR_RETURN(made.emplace_back(), MakeYardstickPlayer(text, printer.game, simulations));
  }
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Solver> solver, MakeSolver(printer.game));
  AZ_ASSIGN_OR_RETURN(const std::vector<YardstickPosition> yardstick,
                      MakeYardstick(*game, *solver,
                                    {.positions = positions,
                                     .seed = static_cast<std::uint64_t>(printer.seed),
                                     .first_ply = FirstSolvedPly(printer.game)}));
  for (const YardstickPlayer& player : made) {
    printer.player = player.name;
    AZ_ASSIGN_OR_RETURN(const std::vector<ClassScore> scores,
                        ScoreMistakes(*game, yardstick, player.choose));
    for (const ClassScore& score : scores) printer.Score(score.in_class.Name(), score);
    if (!scores.empty()) printer.Score("all", SumOf(scores));
    if (!convert) continue;
    AZ_ASSIGN_OR_RETURN(const Conversions conversions,
                        ConvertWins(*game, *solver, yardstick, player.choose));
    printer.Conversion(conversions);
  }
  return {};
}

}  // namespace az
