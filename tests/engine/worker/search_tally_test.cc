#include "engine/worker/search_tally.h"

#include <cmath>

#include "engine/data/game_record.h"
#include "tests/engine/worker/worker_fixture.h"

namespace az {
namespace {

Action A(int index) { return static_cast<Action>(index); }

TEST(PolicyKlNats, IsThatOfTheTargetFromThePrior) {
  SearchReport report;
  report.prior = {{A(1), 0.5f}, {A(4), 0.25f}, {A(6), 0.25f}};
  report.target = {{A(4), 0.75f}, {A(6), 0.25f}};
  EXPECT_NEAR(PolicyKlNats(report), 0.75 * std::log(3.0), 1e-6);
  report.target = report.prior;
  EXPECT_EQ(PolicyKlNats(report), 0.0);
  report.target = {{A(1), 0.0f}, {A(4), 1.0f}};  // less than any float
  EXPECT_NEAR(PolicyKlNats(report), std::log(4.0), 1e-6);
  report.target = report.prior;
  report.prior[1].weight = 0.0f;
  EXPECT_TRUE(std::isfinite(PolicyKlNats(report)));
}

TEST(SearchTally, AddsWhatIsComputedByHand) {
  SearchReport report;
  report.prior = {{A(1), 0.5f}, {A(3), 0.25f}, {A(4), 0.25f}};
  report.target = {{A(3), 0.5f}, {A(4), 0.5f}};
  report.visits = {{A(3), 20}, {A(4), 20}};
  report.simulations = 30;
  WorkerCounts counts;
  TallyVisits(report, counts);
  TallyTarget(report, PolicyKlNats(report), counts);
  EXPECT_EQ(counts.kept_visits, 10u);
  EXPECT_EQ(counts.new_visits, 30u);
  EXPECT_EQ(counts.policy_targets, 1u);
  EXPECT_NEAR(counts.prior_entropy_nats, 1.5 * std::log(2.0), 1e-6);
  EXPECT_NEAR(counts.target_entropy_nats, std::log(2.0), 1e-6);
  EXPECT_NEAR(counts.search_kl_nats, std::log(2.0), 1e-6);  // 2 · ½ ln(½ / ¼)

  report.visits = {{A(3), 30}};  // of a fresh root
  TallyVisits(report, counts);
  EXPECT_EQ(counts.kept_visits, 10u);
  EXPECT_EQ(counts.new_visits, 60u);
}

TEST(SearchTally, AProofIsNoArgumentWithThePrior) {
  SearchReport report;
  report.prior = {{A(0), 0.5f}, {A(1), 0.5f}};
  report.target = {{A(0), 1.0f}};
  report.proven = 1;
  WorkerCounts counts;
  TallyTarget(report, PolicyKlNats(report), counts);
  EXPECT_EQ(counts.policy_targets, 0u);
  EXPECT_EQ(counts.search_kl_nats, 0.0);
}

TEST(SearchTally, APriorThatRoundedToNothingGivesAFiniteDivergence) {
  SearchReport report;
  report.prior = {{A(0), 1.0f}, {A(1), 0.0f}};
  report.target = {{A(1), 1.0f}};
  WorkerCounts counts;
  TallyTarget(report, PolicyKlNats(report), counts);
  EXPECT_TRUE(std::isfinite(counts.search_kl_nats));
  EXPECT_GT(counts.search_kl_nats, 20.0);
}

// The journal's policies say the same, up to their 16 bits.
TEST_F(WorkerTest, TheTargetsEntropyIsThatOfTheJournalsPolicies) {
  search_.visits = 40;
  ScriptedControl control;
  control.steps = {{SelfPlay(), Grant(GameKind::kSelfPlay, 40)}};
  ASSERT_TRUE(Run({}, control));
  std::uint64_t targets = 0;
  double entropy = 0;
  double kl = 0;
  for (const auto& [id, game] : Games()) {
    for (const MoveRecord& move : game.moves) {
      if (move.policy.empty() || (move.flags & kMoveProven) != 0) continue;
      ++targets;
      kl += static_cast<double>(move.policy_kl_nats);
      for (const PolicyEntry& entry : move.policy) {
        const double share = entry.weight / 65535.0;
        entropy -= share * std::log(share);
      }
    }
  }
  const WorkerStatsMessage stats = LastStats(control);
  EXPECT_GT(targets, 40u);
  EXPECT_EQ(stats.policy_targets, targets);
  EXPECT_NEAR(stats.target_entropy_nats, entropy, 1e-3 * entropy);
  EXPECT_GT(kl, 0.0);
  EXPECT_NEAR(stats.search_kl_nats, kl, 1e-5 * kl);
  EXPECT_GT(stats.prior_entropy_nats, 0.0);
  EXPECT_GT(stats.new_visits, stats.policy_targets);
}

}  // namespace
}  // namespace az
