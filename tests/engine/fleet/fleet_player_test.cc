#include "engine/fleet/fleet_player.h"

#include <gtest/gtest.h>

#include "engine/worker/phase_player.h"
#include "tests/engine/fleet/still_fleet.h"

namespace az {
namespace {

// Answers the positions backwards, each with its number of plies as the move; goes on with those
// under way when it is told that it is enough, as a fleet does that drains its workers.
class AnsweringFleet final : public StillFleet {
 public:
  GamePhaseSpec asked;
  int plies_too_many = 0;
  EndReason reason = EndReason::kCut;
  std::uint32_t well_below = 0;  // positions of these numbers are answered well in any case
  std::uint32_t answered_from = 0;
  int asked_after_enough = 0;

  Result<void> Play(const GamePhaseSpec& spec) override {
    asked = spec;
    bool enough = false;
    for (std::uint32_t i = spec.games; i-- > answered_from;) {
      const auto opening = spec.opening(i);
      const bool is_well = i < well_below;
      asked_after_enough += enough ? 1 : 0;
      enough |= !spec.on_finished(
          {.id = GameId::Make(spec.kind, spec.iteration, i),
           .outcome = std::nullopt,
           .plies = static_cast<int>(opening.size()) + 1 + (is_well ? 0 : plies_too_many),
           .reason = is_well ? EndReason::kCut : reason,
           .last = static_cast<Action>(opening.size()),
           .last_network_value = 0.5f});
    }
    return {};
  }
};

const std::vector<std::vector<Action>> kPositions = {
    {}, {Action{3}}, {Action{1}, Action{2}, Action{0}}};

TEST(FleetPlayer, AnswersInTheOrderOfThePositions) {
  AnsweringFleet fleet;
  std::size_t told = 0;
  const auto answers = AskFleet(fleet,
                                {.number = 9,
                                 .workers = 2,
                                 .player = YardstickPlayer(Thinking::kSearch, 0, 40),
                                 .on_answer = [&](std::size_t n) { EXPECT_EQ(n, ++told); }},
                                kPositions);
  ASSERT_TRUE(answers) << answers.error().message;
  EXPECT_FALSE(answers->fault);
  EXPECT_EQ(answers->of_positions[0].move, Action{0});
  EXPECT_EQ(answers->of_positions[1].move, Action{1});
  EXPECT_EQ(answers->of_positions[2].move, Action{3});
  EXPECT_EQ(answers->of_positions[2].raw_value, 0.5);
  EXPECT_EQ(told, 3u);
  EXPECT_EQ(fleet.asked.kind, GameKind::kYardstick);
  EXPECT_EQ(fleet.asked.iteration, 9u);
  EXPECT_EQ(fleet.asked.moves, 1);
  ASSERT_EQ(fleet.asked.players.size(), 1u);
  EXPECT_EQ(fleet.asked.players[0].visits, 40);
}

TEST(FleetPlayer, RefusesAnswersToOtherQuestions) {
  AnsweringFleet fleet;
  fleet.plies_too_many = 1;
  const auto answers = AskFleet(fleet, {}, kPositions);
  ASSERT_TRUE(answers);
  ASSERT_TRUE(answers->fault);
  EXPECT_EQ(answers->fault->code, Errc::kCorrupt);
}

TEST(FleetPlayer, SaysWhenTheNetworkIsNoUse) {
  AnsweringFleet fleet;
  fleet.reason = EndReason::kFailed;
  const auto answers = AskFleet(fleet, {}, kPositions);
  ASSERT_TRUE(answers);
  ASSERT_TRUE(answers->fault);
  EXPECT_EQ(answers->fault->code, Errc::kNotFinite);
}

// The games that end after the fault are well; it is not forgotten for them.
TEST(FleetPlayer, AFaultStaysAlthoughTheFleetGoesOn) {
  AnsweringFleet fleet;
  fleet.reason = EndReason::kFailed;
  fleet.well_below = 2;
  int told = 0;
  const auto answers = AskFleet(fleet, {.on_answer = [&](std::size_t) { ++told; }}, kPositions);
  EXPECT_EQ(fleet.asked_after_enough, 2);
  ASSERT_TRUE(answers);
  ASSERT_TRUE(answers->fault);
  EXPECT_EQ(answers->fault->code, Errc::kNotFinite);
  EXPECT_EQ(told, 0);
}

TEST(FleetPlayer, MissingAnswersAreAFault) {
  AnsweringFleet fleet;
  fleet.answered_from = 1;
  const auto answers = AskFleet(fleet, {.number = 5}, kPositions);
  ASSERT_TRUE(answers);
  ASSERT_TRUE(answers->fault);
  EXPECT_NE(answers->fault->message.find("2 of 3"), std::string::npos) << answers->fault->message;
}

// Whatever the run's search is, the raw policy is the network's alone.
TEST(FleetPlayer, TheRawPlayersSettingsFitEveryRun) {
  for (const RootRule root : {RootRule::kPuct, RootRule::kGumbel}) {
    SearchOptions run;
    run.root = root;
    run.gumbel.full = root == RootRule::kGumbel;
    const PhaseMessage phase{.phase = 1,
                             .kind = GameKind::kYardstick,
                             .players = {YardstickPlayer(Thinking::kRawPolicy, 0, 64)},
                             .moves = 1};
    const auto players = ReadPhasePlayers(phase, run);
    ASSERT_TRUE(players) << players.error().message;
    EXPECT_EQ(players->at(0).visits, 1);
    EXPECT_EQ(players->at(0).search.root, RootRule::kPuct);
    EXPECT_FALSE(players->at(0).search.solver);
    EXPECT_EQ(players->at(0).search.symmetry, SymmetryMode::kNone);
  }
}

}  // namespace
}  // namespace az
