// The last iteration in words.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "engine/run/health.h"

namespace az {
namespace {

enum class Form : std::uint8_t { kCount, kShort, kLong, kPercent, kExponent };

// One number of a group: "entropy of the prior 1.23 nats".
struct Item {
  std::string_view key;
  std::string_view before;
  std::string_view after;
  Form form = Form::kShort;
};
struct Group {
  std::string_view name;
  std::span<const Item> items;
};

constexpr Item kLosses[] = {
    {"loss_policy_nats", "policy", " nats", Form::kLong},
    {"loss_value", "value", "", Form::kLong},
    {"held_out_latest_loss_policy_nats", "held out: policy", " nats", Form::kLong},
    {"held_out_latest_loss_value", "value", "", Form::kLong},
    {"held_out_older_loss_policy_nats", "of older games: policy", " nats", Form::kLong},
    {"held_out_older_loss_value", "value", "", Form::kLong},
};
constexpr Item kPolicy[] = {
    {"prior_entropy_nats", "entropy of the prior", " nats", Form::kShort},
    {"target_entropy_nats", "of the target", " nats", Form::kShort},
    {"search_kl_nats", "the search adds", " nats", Form::kShort},
    {"best_action_agreement_fraction", "same best action", "", Form::kPercent},
};
constexpr Item kValue[] = {
    {"held_out_value_ece", "calibration error", "", Form::kLong},
    {"held_out_value_mean_abs", "mean |v|", "", Form::kShort},
    {"held_out_value_correlation", "correlation with outcomes", "", Form::kShort},
    {"held_out_value_brier", "Brier score", "", Form::kLong},
    {"held_out_value_rows", "of", " held-out positions", Form::kCount},
};
constexpr Item kGames[] = {
    {"self_play_games", "", " games", Form::kCount},
    {"self_play_mean_plies", "of", " plies", Form::kShort},
    {"self_play_first_player_score_fraction", "first player scores", "", Form::kPercent},
    {"draw_fraction", "draws", "", Form::kPercent},
    {"self_play_first_move_entropy_nats", "entropy of the first move", " nats", Form::kShort},
    {"duplicate_fraction", "repeated positions", "", Form::kPercent},
};
constexpr Item kSearch[] = {
    {"rows_per_move", "evaluations a move", "", Form::kShort},
    {"cache_hit_fraction", "cache hits", "", Form::kPercent},
    {"tree_reuse_fraction", "visits kept from the last move", "", Form::kPercent},
    {"proven_root_fraction", "proven roots", "", Form::kPercent},
    {"resign_error_fraction", "wrong resignations", "", Form::kPercent},
    {"proven_errors", "wrong proofs", "", Form::kCount},
};
constexpr Item kInference[] = {
    {"mean_batch_rows", "batches of", " rows", Form::kShort},
    {"pad_fraction", "padding", "", Form::kPercent},
    {"full_batch_fraction", "full", "", Form::kPercent},
    {"queue_wait_mean_ms", "a block waits", " ms", Form::kShort},
    {"round_trip_mean_ms", "is answered in", " ms", Form::kShort},
    {"failed_blocks", "failed blocks", "", Form::kCount},
};
constexpr Item kData[] = {
    {"window_positions", "window", " positions", Form::kCount},
    {"weights_lag_mean_versions", "behind the weights by", " versions", Form::kShort},
    {"weights_lag_p95_versions", "95 % by at most", "", Form::kShort},
    {"data_age_mean_iterations", "age", " iterations", Form::kShort},
    {"data_age_p95_iterations", "95 % at most", "", Form::kShort},
};
constexpr Item kOptimiser[] = {
    {"lr", "rate", "", Form::kExponent},
    {"grad_norm", "gradient norm", "", Form::kLong},
    {"clipped_fraction", "clipped", "", Form::kPercent},
    {"update_weight_ratio", "a step moves the weights by", "", Form::kExponent},
    {"skipped_steps", "skipped steps", "", Form::kCount},
    {"restores", "returns", "", Form::kCount},
    {"lr_factor", "of the schedule's rate", "", Form::kPercent},
};
constexpr Item kSeconds[] = {
    {"self_play_s", "self-play", "", Form::kShort}, {"train_s", "training", "", Form::kShort},
    {"arena_s", "arena", "", Form::kShort},         {"publish_s", "publishing", "", Form::kShort},
    {"panel_s", "panel", "", Form::kShort},
};
constexpr Group kGroups[] = {
    {"losses", kLosses},       {"policy", kPolicy},   {"value", kValue},
    {"games", kGames},         {"search", kSearch},   {"inference", kInference},
    {"optimiser", kOptimiser}, {"seconds", kSeconds}, {"data", kData},
};

std::string Number(double value, Form form) {
  switch (form) {
    case Form::kCount:
      return Fixed(value, 0);
    case Form::kShort:
      return Fixed(value, 2);
    case Form::kLong:
      return Fixed(value, 3);
    case Form::kPercent:
      return StrCat(Fixed(100.0 * value, 1), " %");
    case Form::kExponent: {
      char text[32];
      std::snprintf(text, sizeof text, "%.2g", value);
      return text;
    }
  }
  return "";
}

}  // namespace

std::string HealthText(std::span<const HealthRow> rows) {
  if (rows.empty()) return "";
  const HealthRow& row = rows.back();
  std::string text = StrCat("health after iteration ", row.iteration + 1, ":\n");
  for (const Group& group : kGroups) {
    std::string line;
    for (const Item& item : group.items) {
      const std::optional<double> value = row[item.key];
      if (!value) continue;
      line += StrCat(line.empty() ? "" : ", ", item.before, item.before.empty() ? "" : " ",
                     Number(*value, item.form), item.after);
    }
    if (line.empty()) continue;
    text += StrCat("  ", group.name, std::string(11 - group.name.size(), ' '), line, "\n");
  }
  const std::vector<HealthWarning> warnings = JudgeHealth(rows);
  if (warnings.empty()) return text + "  no warnings stand\n";
  for (const HealthWarning& warning : warnings) {
    text += StrCat("  warning    ", warning.text, "\n");
  }
  return text;
}

std::string ReturnsText(std::string_view train_metrics) {
  const auto json = nlohmann::json::parse(train_metrics, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return "";
  const auto restores = json.value("restores", std::int64_t{0});
  if (restores == 0) return "";
  return StrCat("training went back to its last good checkpoint ", restores,
                restores == 1 ? " time" : " times", " (", json.value("restore_reason", "?"),
                "); its rate is now ", Fixed(100.0 * json.value("lr_factor", 1.0), 2),
                " % of the schedule's");
}

}  // namespace az
