#pragma once
// FakeFleet: a Fleet without processes whose games end as the test says.

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "games/registry.h"
#include "tests/engine/fleet/still_fleet.h"

namespace az {

// Plays every game at once with a prescribed result for player 0, and remembers what it was asked.
class FakeFleet final : public StillFleet {
 public:
  std::vector<std::string> calls;
  std::vector<std::string> trained_from;
  std::vector<std::string> unloaded_after;  // the call before each Unload
  int candidate_score = 1;                  // of every gate game, for player 0
  std::uint32_t gate_games_not = 0;         // so many at the start have the opposite score
  bool gate_games_not_end_last = false;
  int trainings_without_steps = 0;  // the next ones
  int trainings_without_room = 0;   // the next ones, that of a first network included
  bool training_breaks = false;     // of a candidate, by a file that cannot be read
  std::vector<int> trained_rows;    // micro-batches, of all
  int plays_without_room = 0;       // the next ones end after half of their games
  bool stops_in_play = false;       // self-play does, by a signal, after half of its games
  int fail_at_call = -1;            // the call of that number stops the run
  bool repeats_pairs = false;       // move for move; else no two games are alike
  int fail_at_release = -1;         // and the boundary of that number
  int releases = 0;
  std::function<void()> on_train;  // of a candidate
  std::function<void()> tick;      // the supervisor's, of the start that plays
  std::vector<OomMessage> ooms;    // told of when asked
  std::function<void(const GamePhaseSpec&)> on_play;
  std::function<void(FinishedGame&)> on_game;  // of self-play, before it is told of
  int questions_failing = 0;      // the next ones of a yardstick: one answer is not finite
  std::string refuses;            // the name of a checkpoint that slot 1 cannot read
  bool refuses_in_match = false;  // but in the first match against it
  bool refused = false;
  bool tells_refusals = true;
  std::string train_metrics = R"({"loss":1.5})";
  std::uint32_t failed_games = 0;  // self-play games at the start of a phase without a result
  FleetTotals per_phase;           // what each self-play phase adds to the totals
  std::vector<GamePhaseSpec> self_play;
  std::vector<std::string> placed;  // phases, each with the call before it
  std::string in_slot_1;            // the name of a checkpoint

  Result<void> Play(const GamePhaseSpec& spec) override {
    AZ_RETURN_IF_ERROR(Called(StrCat("play ", static_cast<int>(spec.kind), " ", spec.iteration, " ",
                                     spec.games, "+", spec.extra_games)));
    if (on_play) on_play(spec);
    if (!refuses.empty() && in_slot_1 == refuses) {
      refused = true;
      return Error{Errc::kCorrupt, "a device that was started again cannot read it"};
    }
    if (spec.kind == GameKind::kYardstick) return NameFirstMoves(spec);
    if (spec.kind == GameKind::kSelfPlay) {
      self_play.push_back(spec);
      totals += per_phase;
    }
    const bool lacks_room = plays_without_room > 0 && plays_without_room-- > 0;
    for (std::uint32_t ended = 0; ended < spec.games; ++ended) {
      const bool turned = spec.kind == GameKind::kGate && gate_games_not_end_last;
      const std::uint32_t index = turned ? (ended + gate_games_not) % spec.games : ended;
      if (lacks_room && index == spec.games / 2) return Error{Errc::kNoMemory, "a smaller device"};
      if (stops_in_play && spec.kind == GameKind::kSelfPlay && index == spec.games / 2) {
        return Error{Errc::kStopped, "stopped by the test"};
      }
      const bool failed = spec.kind == GameKind::kSelfPlay && index < failed_games;
      if (spec.opening && spec.opening(index) != spec.opening(index ^ 1)) {
        ADD_FAILURE() << "the games of a pair have different openings";
      }
      const bool first = spec.kind == GameKind::kSelfPlay || index % 2 == 0;
      const bool opposite = spec.kind == GameKind::kGate && index < gate_games_not;
      const int value = first != opposite ? candidate_score : -candidate_score;
      FinishedGame game{
          .id = GameId::Make(spec.kind, spec.iteration, index),
          .outcome = failed ? std::nullopt : std::optional(static_cast<Outcome>(value)),
          .plies = 7,
          .policy_samples = 5,
          .moves = repeats_pairs ? index % 2 : index};
      if (on_game && spec.kind == GameKind::kSelfPlay) on_game(game);
      if (!spec.on_finished(game)) break;
    }
    return {};
  }
  Result<void> Place(PlanPhase phase) override {
    placed.push_back(StrCat(EnumName(phase), " after ", calls.empty() ? "nothing" : calls.back()));
    return {};
  }
  Result<void> Load(int slot, const std::filesystem::path& checkpoint,
                    std::uint64_t version) override {
    const std::string name = checkpoint.filename();
    AZ_RETURN_IF_ERROR(Called(StrCat("load ", slot, " ", name, " v", version)));
    if (slot == 1) in_slot_1 = name;
    refused = slot == 1 && name == refuses && !refuses_in_match;
    if (refused) return Error{Errc::kNotFound, StrCat("load weights ", name, ": gone")};
    return {};
  }
  Result<ReleasedMessage> Release(CleanupLevel) override {
    if (releases++ == fail_at_release) return Error{Errc::kStopped, "stopped by the test"};
    return ReleasedMessage{};
  }
  std::vector<OomMessage> TakeOoms() override { return std::exchange(ooms, {}); }
  bool RefusedWeights() const override { return refused && tells_refusals; }
  void Unload(int slot) override {
    EXPECT_EQ(slot, 1);  // the best network stays
    unloaded_after.push_back(calls.back());
    in_slot_1.clear();
  }
  Result<TrainedMessage> Train(const TrainMessage& message,
                               const std::function<void(const TrainProgressMessage&)>&) override {
    const std::filesystem::path to = message.to;
    AZ_RETURN_IF_ERROR(Called(StrCat("train ", to.filename().string())));
    if (!message.from.empty() && on_train) on_train();
    trained_rows.push_back(message.micro_batch);
    if (trainings_without_room > 0) {
      --trainings_without_room;
      return Error{Errc::kNoMemory, "no room for a step"};
    }
    if (!message.from.empty() && training_breaks) return Error{Errc::kIo, "read: it broke"};
    trained_from.push_back(std::filesystem::path(message.from).filename());
    if (!message.from.empty() && trainings_without_steps > 0) {
      --trainings_without_steps;
      return TrainedMessage{message.iteration, "", "{}"};
    }
    std::filesystem::create_directories(to);
    return TrainedMessage{message.iteration, message.to, train_metrics};
  }

 private:
  // First legal moves, of nearly drawn values. Goes on after enough, as drained workers do.
  Result<void> NameFirstMoves(const GamePhaseSpec& spec) {
    EXPECT_EQ(spec.moves, 1);
    const GameOps& game = *FindGame("tic_tac_toe").value();
    const bool fails = questions_failing > 0 && questions_failing-- > 0;
    for (std::uint32_t index = 0; index < spec.games; ++index) {
      const std::vector<Action> opening = spec.opening(index);
      spec.on_finished({.id = GameId::Make(spec.kind, spec.iteration, index),
                        .outcome = std::nullopt,
                        .plies = static_cast<int>(opening.size()) + 1,
                        .reason = fails && index == 0 ? EndReason::kFailed : EndReason::kCut,
                        .last = (*game.Replay(opening))->LegalActions().front(),
                        .last_network_value = 0.25f});
    }
    totals.device_rows += spec.games;
    return {};
  }
  Result<void> Called(std::string call) {
    if (static_cast<int>(calls.size()) == fail_at_call) {
      return Error{Errc::kStopped, "stopped by the test"};
    }
    calls.push_back(std::move(call));
    return {};
  }
};

}  // namespace az
