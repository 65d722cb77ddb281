#include "engine/arena/pairing.h"

#include <memory>
#include <utility>

#include "base/rng.h"

namespace az {
namespace {

// The legal actions after which the game goes on, rising.
std::vector<Action> QuietActions(const Position& position) {
  std::vector<Action> quiet;
  for (const Action action : position.LegalActions()) {
    const std::unique_ptr<Position> next = position.Clone();
    AZ_CHECK(next->Apply(action).has_value());
    if (!next->FinalOutcome().has_value()) quiet.push_back(action);
  }
  return quiet;
}

void Shuffle(std::vector<Action>& actions, Rng rng) {
  for (std::size_t i = actions.size(); i > 1; --i) {
    std::swap(actions[i - 1], actions[rng.Below(i)]);
  }
}

}  // namespace

std::vector<Action> OpeningDealer::Opening(std::uint32_t pair) const {
  std::vector<Action> opening;
  const std::unique_ptr<Position> position = game_.Start();
  Rng node = Rng(seed_);       // one stream per position, given by the actions that lead to it
  std::uint64_t deals = pair;  // the number of earlier openings through this position
  for (int ply = 0; ply < plies_ || (plies_ > 0 && deals > 0); ++ply) {
    if (ply >= plies_) --deals;  // without the earlier pair whose opening ended here
    std::vector<Action> actions = QuietActions(*position);
    if (actions.empty()) break;
    // Round r of a position deals all of its actions in the order of shuffle r.
    const std::uint64_t round = deals / actions.size();
    Shuffle(actions, node.Fork(0).Fork(round));
    const Action action = actions[deals % actions.size()];
    AZ_CHECK(position->Apply(action).has_value());
    opening.push_back(action);
    node = node.Fork(1 + static_cast<std::uint64_t>(Index(action)));
    deals = round;
  }
  return opening;
}

}  // namespace az
