#pragma once
// A player and a controller that tests of dialogues command.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/play/dialogue.h"
#include "engine/play/thinker.h"
#include "games/registry.h"

namespace az::testing {

// What the thinker is told and what it says, shared with the test.
struct ThinkerScript {
  double value = 0.25;  // of every position, for the side to move
  int reports = 0;      // offered before an answer, until one is declined
  bool fails = false;
  ThinkLimits limits;  // of the last call
  StartOptions start;  // of the last game
  int games = 0;
  int calls = 0;
};

// Plays the legal action with the highest number (in go: passes). Confined to one thread.
class FakeThinker final : public Thinker {
 public:
  FakeThinker(const GameOps& game, ThinkerScript& script) : game_(game), script_(script) {}

  Result<void> NewGame(const StartOptions& start) override {
    script_.start = start;
    ++script_.games;
    return {};
  }
  Result<Thought> Think(std::span<const Action> moves, const ThinkLimits& limits,
                        const OnProgress& on_progress) override {
    ++script_.calls;
    script_.limits = limits;
    if (script_.fails) return Error{Errc::kPeerGone, "the player is gone"};
    AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Position> position, game_.Replay(moves));
    const std::vector<Action> legal = position->LegalActions();
    Thought thought{.best = legal.back(), .value = script_.value};
    thought.raw_policy.assign(legal.size(), 1.0f / static_cast<float>(legal.size()));
    thought.moves = {{.action = legal.back(),
                      .visits = 3,
                      .prior = 0.5f,
                      .value = script_.value,
                      .variation = {legal.back()}},
                     {.action = legal.front(),
                      .visits = 1,
                      .prior = 0.25f,
                      .value = -0.5,
                      .variation = {legal.front()}}};
    thought.simulations = 4;
    for (int report = 0; report < script_.reports && on_progress; ++report) {
      if (!on_progress(thought) || (limits.goes_on && !limits.goes_on())) break;
    }
    return thought;
  }

 private:
  const GameOps& game_;
  ThinkerScript& script_;
};

// Keeps what is written. Confined to one thread.
class FakePort final : public LinePort {
 public:
  bool Write(std::string_view text) override {
    if (is_closed) return false;
    written += text;
    return true;
  }
  bool InputWaits(Duration) override { return questions_before_input-- <= 0; }

  std::string Taken() { return std::exchange(written, {}); }

  std::string written;
  bool is_closed = false;
  int questions_before_input = 0;
};

}  // namespace az::testing
