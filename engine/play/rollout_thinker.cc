#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/rng.h"
#include "engine/play/plain_thinkers.h"
#include "engine/play/played_state.h"
#include "engine/play/progress_timer.h"
#include "engine/play/thought_of_tree.h"
#include "games/registry.h"
#include "mcts/rollout_player.h"

namespace az {
namespace {

// Simulations between two checks of the limits: 64 random games take about a millisecond.
constexpr int kBetweenLooks = 64;

template <GameState S>
class RolloutThinker final : public Thinker {
 public:
  RolloutThinker(const RolloutPlayer& player, const Clock& clock)
      : player_(player), clock_(clock) {}

  Result<void> NewGame(const StartOptions& start) override {
    AZ_ASSIGN_OR_RETURN(start_, StartOf<S>(start));
    return {};
  }

  Result<Thought> Think(std::span<const Action> moves, const ThinkLimits& limits,
                        const OnProgress& on_progress) override {
    AZ_ASSIGN_OR_RETURN(const S state, PositionToThinkAbout(start_, moves));
    const int most =
        limits.simulations.value_or(limits.time ? kMostSimulations : player_.simulations);
    const int simulations = std::clamp(most, 1, kMostSimulations);
    ProgressTimer timer(limits, on_progress, clock_);
    Rng rng = Rng(player_.seed).Fork(moves.size());
    Tree tree(RolloutNodes<S>(simulations));
    StartRollouts(tree, state, rng);
    for (int done = 0; done < simulations;) {
      Rollout(tree, state, rng);
      if (++done % kBetweenLooks != 0) continue;
      if (!timer.GoesOn([&] { return Conclude(tree, timer.seconds()); })) break;
    }
    return Conclude(tree, timer.seconds());
  }

 private:
  static Thought Conclude(const Tree& tree, double seconds) {
    const auto children = tree.Children(tree.root());
    Thought thought;
    thought.best = children[static_cast<std::size_t>(BestChild(children, kNotProven))].action;
    const float share = 1.0f / static_cast<float>(children.size());
    thought.raw_policy.assign(children.size(), share);
    ReadTree(tree, thought);
    for (MoveInfo& move : thought.moves) move.prior = share;
    thought.simulations = tree.root().visits;
    thought.seconds = seconds;
    return thought;
  }

  RolloutPlayer player_;
  const Clock& clock_;
  S start_{};
};

}  // namespace

std::unique_ptr<Thinker> MakeRolloutThinker(const GameOps& game, const RolloutPlayer& player,
                                            const Clock& clock) {
  AZ_CHECK_GT(player.simulations, 0);
  auto made = WithGame(game.info().entry, [&]<GameState S>() -> Result<std::unique_ptr<Thinker>> {
    return std::unique_ptr<Thinker>(std::make_unique<RolloutThinker<S>>(player, clock));
  });
  return std::move(made).value();
}

}  // namespace az
