#include "engine/run/health.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/strings.h"

namespace az {
namespace {

using Rows = std::span<const HealthRow>;

constexpr std::size_t kSpan = 6;        // iterations that "lately" means
constexpr double kFewestHeldOut = 200;  // positions; fewer say nothing of the values

std::string Percent(double fraction) { return StrCat(Fixed(100.0 * fraction, 1), " %"); }

struct Change {
  double before = 0;  // means of the earlier and the later half of some rows
  double after = 0;
  double error = 0;  // standard error of their difference, from the scatter within the halves
};

double MeanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Of the mean, squared.
double SquaredError(std::span<const double> values) {
  const double mean = MeanOf(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(values.size());
  return squares / (count - 1) / count;
}

// Over the last `span` rows that hold the key; nothing when fewer do.
std::optional<Change> ChangeOf(Rows rows, std::string_view key, std::size_t span) {
  std::vector<double> newest_first;
  for (auto row = rows.rbegin(); row != rows.rend() && newest_first.size() < span; ++row) {
    if (const std::optional<double> value = (*row)[key]) newest_first.push_back(*value);
  }
  if (newest_first.size() < span) return std::nullopt;
  const auto after = std::span(newest_first).first(span / 2);
  const auto before = std::span(newest_first).subspan(span / 2);
  return Change{.before = MeanOf(before),
                .after = MeanOf(after),
                .error = std::sqrt(SquaredError(before) + SquaredError(after))};
}

// The sum over the last kSpan rows.
double Lately(Rows rows, std::string_view key) {
  double sum = 0;
  for (const HealthRow& row : rows.last(std::min(rows.size(), kSpan))) sum += row[key].value_or(0);
  return sum;
}

// Of the last three rows that hold the key; nothing when fewer do.
std::optional<double> LeastOfThree(Rows rows, std::string_view key) {
  double least = INFINITY;
  int found = 0;
  for (auto row = rows.rbegin(); row != rows.rend() && found < 3; ++row) {
    if (const std::optional<double> value = (*row)[key]) {
      least = std::min(least, *value);
      ++found;
    }
  }
  return found == 3 ? std::optional(least) : std::nullopt;
}

// Each rule: a text where its warning stands, else nothing.
using Verdict = std::optional<std::string>;

Verdict NotFinite(Rows rows) {
  const double skipped = Lately(rows, "skipped_steps");
  if (skipped == 0) return {};
  return StrCat(Fixed(skipped, 0), " training steps of the last ", std::min(rows.size(), kSpan),
                " iterations were not finite and were skipped: lower train.lr, or set "
                "train.grad_clip");
}

Verdict WentBack(Rows rows) {
  const double restores = Lately(rows, "restores");
  const double factor = rows.back()["lr_factor"].value_or(1.0);
  if (restores == 0 && factor >= 1.0) return {};
  const std::string now =
      StrCat("the rate is now ", Percent(factor), " of the schedule's", factor < 1.0 ? " and" : ",",
             factor < 1.0 ? " climbs as trainings end well: lower train.lr by as much"
                          : " all of it again: lower train.lr if it goes on so");
  if (restores == 0) return StrCat("training went back to its last good checkpoint before; ", now);
  return StrCat("training went back to its last good checkpoint ", Fixed(restores, 0),
                " times in the last ", std::min(rows.size(), kSpan), " iterations; ", now);
}

Verdict LostByDevice(Rows rows) {
  const double lost = Lately(rows, "device_returns");
  if (lost == 0) return {};
  return StrCat("the device failed ", Fixed(lost, 0), " updates of the last ",
                std::min(rows.size(), kSpan),
                " iterations half-way, and training began again: see log.txt");
}

Verdict Overfit(Rows rows) {
  constexpr double kChange = 0.02;
  // Held-out games are few, so their losses scatter: by the first limit alone the rule stood in a
  // quarter of the iterations of 15 sound runs, with this one in 1 of 988.
  constexpr double kErrors = 3.0;
  constexpr std::size_t kLongSpan = 10;
  for (const std::string_view part : {"loss_policy_nats", "loss_value"}) {
    const auto train = ChangeOf(rows, part, kLongSpan);
    const auto held_out = ChangeOf(rows, StrCat("held_out_latest_", part), kLongSpan);
    if (!train || !held_out) continue;
    if (held_out->after > held_out->before * (1 + kChange) &&
        held_out->after - held_out->before > kErrors * held_out->error &&
        train->after < train->before * (1 - kChange)) {
      return StrCat("the held-out ", part == "loss_value" ? "value" : "policy", " loss rises (",
                    Fixed(held_out->before, 3), " to ", Fixed(held_out->after, 3),
                    ") while the training loss falls (", Fixed(train->before, 3), " to ",
                    Fixed(train->after, 3),
                    "): overfitting; lower train.samples_per_position, or raise "
                    "train.window_start");
    }
  }
  return {};
}

Verdict Clipping(Rows rows) {
  constexpr double kMost = 0.5;
  const std::optional<double> least = LeastOfThree(rows, "clipped_fraction");
  if (!least || *least <= kMost || rows.back().iteration < 3) return {};
  return StrCat("at least ", Percent(*least),
                " of the steps were clipped in each of the last three iterations: lower train.lr, "
                "or raise train.grad_clip");
}

Verdict BigUpdates(Rows rows) {
  constexpr double kMost = 0.1;
  const std::optional<double> ratio = rows.back()["update_weight_ratio"];
  if (!ratio || *ratio <= kMost) return {};
  return StrCat("a step moves the weights by ", Percent(*ratio),
                " of their length (0.1 % is usual): lower train.lr");
}

Verdict OneOpening(Rows rows) {
  constexpr double kLeast = 0.1;
  constexpr double kDealt = 0.25;  // of the games: by themselves openings enough
  const HealthRow& row = rows.back();
  const std::optional<double> entropy = row["self_play_first_move_entropy_nats"];
  if (!entropy || *entropy >= kLeast) return {};
  const double games = row["self_play_games"].value_or(0);
  if (games - row["self_play_games_from_start"].value_or(games) > kDealt * games) return {};
  return StrCat(
      "self-play has one opening: the entropy of first moves, where they are not drawn "
      "at random, is ",
      Fixed(*entropy, 3),
      " nats; raise search.noise_fraction, or (Gumbel) search.gumbel.explore_plies");
}

Verdict SharpTooEarly(Rows rows) {
  constexpr double kLeast = 0.1;
  constexpr std::uint32_t kEarly = 10;
  const std::optional<double> entropy = rows.back()["target_entropy_nats"];
  if (!entropy || *entropy >= kLeast || rows.back().iteration >= kEarly) return {};
  return StrCat("policy targets are sharp after ", rows.back().iteration + 1,
                " iterations already (entropy ", Fixed(*entropy, 3),
                " nats): play varies too little; raise search.noise_fraction or search.visits");
}

Verdict LagGrows(Rows rows) {
  constexpr double kLittle = 10.0;  // versions: a young run's window has to fill
  const auto lag = ChangeOf(rows, "weights_lag_mean_versions", kSpan);
  if (!lag || lag->after < kLittle || lag->after < 1.25 * lag->before) return {};
  return StrCat("the window's data falls behind the weights (mean lag ", Fixed(lag->before, 1),
                " to ", Fixed(lag->after, 1),
                " versions): lower train.window_start, or play more games an iteration");
}

Verdict StaleWeights(Rows rows) {
  // Sound runs of four configs have up to 0.15 (another image of a position has another value),
  // first weights that answer for ever 0.24.
  constexpr double kMost = 0.2;
  const std::optional<double> least = LeastOfThree(rows, "served_value_rmse");
  if (!least || *least <= kMost) return {};
  return StrCat("self-play's values are at least ", Fixed(*least, 2),
                " off those of the newest network in each of the last three iterations: it plays "
                "with older weights; where no gate refuses the candidates (arena.gate), that is a "
                "fault: report it");
}

Verdict ResignErrors(Rows rows) {
  constexpr double kMost = 0.05;
  constexpr double kFewest = 20;  // games, for a share that means something
  const double audited = Lately(rows, "resign_audited");
  const double errors = Lately(rows, "resign_errors");
  if (audited < kFewest || errors <= kMost * audited) return {};
  return StrCat(Percent(errors / audited), " of ", Fixed(audited, 0),
                " audited resignations were wrong (at most 5 %): raise search.resign.threshold");
}

Verdict ProofErrors(Rows rows) {
  const double errors = Lately(rows, "proven_errors");
  if (errors == 0) return {};
  return StrCat(Fixed(errors, 0),
                " games ended otherwise than was proven: a fault of the rules or of the search's "
                "proofs; set search.solver: false and report it");
}

Verdict SureAndWrong(Rows rows) {
  constexpr double kMostError = 0.15;
  const HealthRow& row = rows.back();
  const std::optional<double> error = row["held_out_value_ece"];
  if (!error || *error <= kMostError || row["held_out_value_rows"].value_or(0) < kFewestHeldOut)
    return {};
  return StrCat("values are ", Fixed(*error, 2), " off the outcomes on average (mean |v| ",
                Fixed(row["held_out_value_mean_abs"].value_or(0), 2),
                ", held-out calibration error): raise train.value_mix, or lower "
                "train.samples_per_position");
}

Verdict ValuesSayNothing(Rows rows) {
  constexpr double kLeast = 0.1;
  constexpr std::uint32_t kAfter = 10;
  const HealthRow& row = rows.back();
  const std::optional<double> correlation = row["held_out_value_correlation"];
  if (!correlation || *correlation >= kLeast || row.iteration < kAfter) return {};
  if (row["held_out_value_rows"].value_or(0) < kFewestHeldOut) return {};
  return StrCat("values hardly follow the outcomes (correlation ", Fixed(*correlation, 2),
                "): games may be too noisy, or the value head does not learn");
}

Verdict Duplicates(Rows rows) {
  constexpr double kMost = 0.8;
  const std::optional<double> share = rows.back()["duplicate_fraction"];
  if (!share || *share <= kMost) return {};
  return StrCat(Percent(*share),
                " of an iteration's positions are repeats: more exploration, or "
                "train.merge_duplicates");
}

Verdict LostGames(Rows rows) {
  const double failed = Lately(rows, "failed_games");
  if (failed == 0) return {};
  return StrCat(Fixed(failed, 0),
                " games were given up for answers that were not finite: see log.txt");
}

Verdict ProtocolBroken(Rows rows) {
  const double violations = Lately(rows, "protocol_violations");
  if (violations == 0) return {};
  return StrCat(Fixed(violations, 0),
                " times a process wrote into a block of the shared memory that was another's: a "
                "fault of this program; report it with log.txt");
}

struct Rule {
  std::string_view name;
  Verdict (*judge)(Rows);
};
constexpr Rule kRules[] = {
    {"not_finite", NotFinite},
    {"went_back", WentBack},
    {"lost_by_device", LostByDevice},
    {"overfit", Overfit},
    {"clipping", Clipping},
    {"big_updates", BigUpdates},
    {"one_opening", OneOpening},
    {"sharp_early", SharpTooEarly},
    {"lag_grows", LagGrows},
    {"stale_weights", StaleWeights},
    {"resign_errors", ResignErrors},
    {"proof_errors", ProofErrors},
    {"calibration", SureAndWrong},
    {"values_say_nothing", ValuesSayNothing},
    {"duplicates", Duplicates},
    {"lost_games", LostGames},
    {"protocol_broken", ProtocolBroken},
};

// Of an iteration's line; nothing of any other.
std::optional<std::uint32_t> IterationOf(const nlohmann::json& line) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!line.is_object() || !line.contains("kind") || line["kind"] != "iteration") return {};
  const auto number = line.find("iteration");
  if (number == line.end() || !number->is_number_unsigned()) return {};
  if (number->get<std::uint64_t>() > kMost) return {};
  return number->get<std::uint32_t>();
}

}  // namespace

std::optional<double> HealthRow::operator[](std::string_view key) const {
  const auto found = numbers.find(key);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::vector<HealthRow> ReadHealth(std::string_view metrics_jsonl) {
  std::map<std::uint32_t, HealthRow> rows;
  for (const std::string_view line : Split(metrics_jsonl, '\n')) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    const std::optional<std::uint32_t> iteration = IterationOf(json);
    if (!iteration) continue;
    HealthRow row{.iteration = *iteration, .numbers = {}};
    for (const auto& [key, value] : json.items()) {
      if (value.is_number()) row.numbers.emplace(key, value.get<double>());
    }
    rows.try_emplace(*iteration, std::move(row));  // a kill may have it written again, with less
  }
  std::vector<HealthRow> sorted;
  for (auto& [iteration, row] : rows) sorted.push_back(std::move(row));
  return sorted;
}

std::vector<HealthWarning> JudgeHealth(std::span<const HealthRow> rows) {
  std::vector<HealthWarning> warnings;
  if (rows.empty()) return warnings;
  for (const Rule& rule : kRules) {
    if (Verdict text = rule.judge(rows)) warnings.push_back({rule.name, *std::move(text)});
  }
  return warnings;
}

}  // namespace az
