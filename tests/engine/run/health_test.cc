#include "engine/run/health.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/strings.h"

namespace az {
namespace {

using Change = std::function<void(int, HealthRow&)>;

// Twelve iterations of a run that learns well, with what `change` makes of each.
std::vector<HealthRow> TwelveIterations(const Change& change = {}) {
  std::vector<HealthRow> rows;
  for (int i = 0; i < 12; ++i) {
    HealthRow row{.iteration = static_cast<std::uint32_t>(i),
                  .numbers = {{"loss_policy_nats", 2.0 - 0.05 * i},
                              {"loss_value", 0.8 - 0.02 * i},
                              {"held_out_latest_loss_policy_nats", 2.1 - 0.05 * i},
                              {"held_out_latest_loss_value", 0.9 - 0.02 * i},
                              {"clipped_fraction", 0.1},
                              {"skipped_steps", 0},
                              {"restores", 0},
                              {"lr_factor", 1},
                              {"update_weight_ratio", 2e-3},
                              {"self_play_first_move_entropy_nats", 2.5},
                              {"target_entropy_nats", 1.0},
                              {"weights_lag_mean_versions", std::min(i, 5)},
                              {"served_value_rmse", 0.15},
                              {"resign_audited", 20},
                              {"resign_errors", 0},
                              {"proven_errors", 0},
                              {"held_out_value_ece", 0.05},
                              {"held_out_value_rows", 500},
                              {"held_out_value_correlation", 0.6},
                              {"duplicate_fraction", 0.3},
                              {"failed_games", 0},
                              {"protocol_violations", 0}}};
    if (change) change(i, row);
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> Names(std::span<const HealthRow> rows) {
  std::vector<std::string> names;
  for (const HealthWarning& warning : JudgeHealth(rows)) names.emplace_back(warning.name);
  return names;
}

TEST(Health, AHealthyRunHasNoWarnings) {
  const std::vector<HealthRow> rows = TwelveIterations();
  EXPECT_EQ(Names(rows), std::vector<std::string>{});
  EXPECT_NE(HealthText(rows).find("no warnings stand"), std::string::npos);
  EXPECT_TRUE(JudgeHealth({}).empty());
  EXPECT_EQ(HealthText({}), "");
  for (std::size_t length = 1; length <= rows.size(); ++length) {
    EXPECT_TRUE(JudgeHealth(std::span(rows).first(length)).empty()) << length;
  }
}

TEST(Health, EachFaultIsNamedAndNothingElse) {
  struct Case {
    const char* warning;
    Change change;
  };
  const auto last = [](const char* key, double value) {
    return [=](int i, HealthRow& row) {
      if (i == 11) row.numbers[key] = value;
    };
  };
  const auto always = [](const char* key, double value) {
    return [=](int, HealthRow& row) { row.numbers[key] = value; };
  };
  const Case cases[] = {
      {"not_finite", last("skipped_steps", 1)},
      {"went_back", last("restores", 1)},
      {"went_back", last("lr_factor", 0.25)},
      {"lost_by_device", last("device_returns", 1)},
      {"stale_weights", always("served_value_rmse", 0.24)},  // first weights answer for ever
      {"overfit",
       [](int i, HealthRow& row) { row.numbers["held_out_latest_loss_value"] = 0.7 + 0.02 * i; }},
      {"overfit",
       [](int i, HealthRow& row) {
         row.numbers["held_out_latest_loss_policy_nats"] = 1.7 + 0.05 * i;
       }},
      {"clipping", always("clipped_fraction", 0.6)},
      {"big_updates", last("update_weight_ratio", 0.2)},
      {"one_opening", last("self_play_first_move_entropy_nats", 0.05)},
      {"lag_grows", [](int i, HealthRow& row) { row.numbers["weights_lag_mean_versions"] = i; }},
      {"resign_errors", always("resign_errors", 1.1)},  // 5.5 %
      {"proof_errors", last("proven_errors", 1)},
      {"calibration", last("held_out_value_ece", 0.2)},
      {"values_say_nothing", last("held_out_value_correlation", 0.05)},
      {"duplicates", last("duplicate_fraction", 0.9)},
      {"lost_games", last("failed_games", 2)},
      {"protocol_broken", last("protocol_violations", 1)},
  };
  for (const Case& c : cases) {
    const std::vector<HealthRow> rows = TwelveIterations(c.change);
    EXPECT_EQ(Names(rows), std::vector<std::string>{c.warning});
    const std::string text = HealthText(rows);
    EXPECT_NE(text.find("warning"), std::string::npos) << text;
    EXPECT_EQ(text.find("no warnings"), std::string::npos);
  }
}

TEST(Health, SharpTargetsAreAFaultOnlyEarly) {
  const std::vector<HealthRow> rows =
      TwelveIterations([](int, HealthRow& row) { row.numbers["target_entropy_nats"] = 0.05; });
  EXPECT_EQ(Names(std::span(rows).first(4)), std::vector<std::string>{"sharp_early"});
  EXPECT_EQ(Names(rows), std::vector<std::string>{});
}

TEST(Health, JustInsideTheLimitsIsSilent) {
  const std::vector<HealthRow> rows = TwelveIterations([](int i, HealthRow& row) {
    row.numbers["clipped_fraction"] = i == 10 ? 0.5 : 0.9;  // not three in a row
    row.numbers["resign_errors"] = 1;                       // 5 %
    row.numbers["held_out_value_ece"] = 0.3;
    row.numbers["held_out_value_correlation"] = 0.02;
    row.numbers["held_out_value_rows"] = 150;  // too few to say
    row.numbers["served_value_rmse"] = i == 10 ? 0.2 : 0.4;
    // Both losses rise: the data has changed, that is no overfitting.
    row.numbers["loss_policy_nats"] = 1.0 + 0.1 * i;
    row.numbers["held_out_latest_loss_policy_nats"] = 1.1 + 0.1 * i;
  });
  EXPECT_EQ(Names(rows), std::vector<std::string>{});
}

// Two per cent of an iteration's games are few: their losses scatter by a half.
TEST(Health, HeldOutLossesThatScatterAreNoOverfitting) {
  constexpr double kScatter[] = {0.21, 0.09, 0.32, 0.25, 0.09, 0.34,
                                 0.43, 0.23, 0.38, 0.60, 0.33, 0.17};
  const auto run = [&](double rise) {
    return TwelveIterations([&](int i, HealthRow& row) {
      row.numbers["held_out_latest_loss_value"] = kScatter[i] + rise * i;
    });
  };
  EXPECT_EQ(Names(run(0)), std::vector<std::string>{});
  EXPECT_EQ(Names(run(0.1)), std::vector<std::string>{"overfit"});
}

TEST(Health, DealtOpeningsAreVariedOnes) {
  const auto run = [](double from_start) {
    return TwelveIterations([&](int, HealthRow& row) {
      row.numbers["self_play_first_move_entropy_nats"] = 0.0;
      row.numbers["self_play_games"] = 500;
      row.numbers["self_play_games_from_start"] = from_start;
    });
  };
  EXPECT_EQ(Names(run(100)), std::vector<std::string>{});
  EXPECT_EQ(Names(run(480)), std::vector<std::string>{"one_opening"});
  EXPECT_EQ(Names(run(500)), std::vector<std::string>{"one_opening"});
}

TEST(Health, OldFaultsStandNoLonger) {
  const std::vector<HealthRow> rows = TwelveIterations([](int i, HealthRow& row) {
    if (i < 6) row.numbers["restores"] = row.numbers["failed_games"] = 1;
  });
  EXPECT_EQ(Names(rows), std::vector<std::string>{});
  EXPECT_EQ(Names(std::span(rows).first(8)), (std::vector<std::string>{"went_back", "lost_games"}));
}

TEST(Health, WhatWasNotMeasuredIsNotJudged) {
  const std::vector<HealthRow> rows =
      TwelveIterations([](int, HealthRow& row) { row.numbers.clear(); });
  EXPECT_EQ(Names(rows), std::vector<std::string>{});
}

TEST(ReadHealth, TakesIterationsByNumberAndTheFirstOfEach) {
  const std::string text =
      "{\"kind\":\"iteration\",\"iteration\":1,\"loss\":3,\"note\":\"x\"}\n"
      "{\"kind\":\"phase\",\"iteration\":1,\"loss\":9}\n"
      "{\"kind\":\"iteration\",\"iteration\":0,\"loss\":4,\"lr\":null}\n"
      "{\"kind\":\"iteration\",\"iteration\":1,\"loss\":2}\n"
      "{\"kind\":\"iterat";
  const std::vector<HealthRow> rows = ReadHealth(text);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["loss"], 4.0);
  EXPECT_EQ(rows[0]["lr"], std::nullopt);
  EXPECT_EQ(rows[1].iteration, 1u);
  EXPECT_EQ(rows[1]["loss"], 3.0);
}

// Half a disk block of another file, or a person's hand.
TEST(ReadHealth, PassesOverLinesWhoseKeysHaveAnotherType) {
  const std::string good = "{\"kind\":\"iteration\",\"iteration\":0,\"loss\":4}\n";
  for (const char* line :
       {R"({"kind":5})", R"({"kind":null,"iteration":1})", R"({"kind":["iteration"]})", R"([1])",
        R"("iteration")", R"(null)", R"({"kind":"iteration"})",
        R"({"kind":"iteration","iteration":"1"})", R"({"kind":"iteration","iteration":-1})",
        R"({"kind":"iteration","iteration":1e300})",
        R"({"kind":"iteration","iteration":4294967296})"}) {
    const std::vector<HealthRow> rows = ReadHealth(StrCat(line, "\n", good));
    ASSERT_EQ(rows.size(), 1u) << line;
    EXPECT_EQ(rows[0]["loss"], 4.0) << line;
  }
}

TEST(HealthText, SpeaksOfTheLastIteration) {
  const std::string text = HealthText(TwelveIterations());
  EXPECT_NE(text.find("health after iteration 12:"), std::string::npos) << text;
  EXPECT_NE(text.find("policy 1.450 nats, value 0.580, held out: policy 1.550 nats"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("calibration error 0.050, correlation with outcomes 0.60, of 500 held-out"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(HealthText, SpeaksOfTheServer) {
  const std::vector<HealthRow> rows = {{.iteration = 0,
                                        .numbers = {{"mean_batch_rows", 61.5},
                                                    {"pad_fraction", 0.0391},
                                                    {"full_batch_fraction", 0.25},
                                                    {"queue_wait_mean_ms", 0.3},
                                                    {"round_trip_mean_ms", 1.25},
                                                    {"failed_blocks", 0}}}};
  EXPECT_NE(HealthText(rows).find("  inference  batches of 61.50 rows, padding 3.9 %, full 25.0 %, "
                                  "a block waits 0.30 ms, is answered in 1.25 ms, failed blocks 0"),
            std::string::npos)
      << HealthText(rows);
}

TEST(ReturnsText, IsSilentUntilATrainingWentBack) {
  EXPECT_EQ(ReturnsText("{}"), "");
  EXPECT_EQ(ReturnsText(""), "");
  EXPECT_EQ(ReturnsText(R"({"restores":0})"), "");
  EXPECT_EQ(ReturnsText(R"({"restores":2,"restore_reason":"loss 812","lr_factor":0.125})"),
            "training went back to its last good checkpoint 2 times (loss 812); its rate is now "
            "12.50 % of the schedule's");
}

}  // namespace
}  // namespace az
