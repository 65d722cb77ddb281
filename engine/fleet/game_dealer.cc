#include "engine/fleet/game_dealer.h"

#include <algorithm>

namespace az {

GameDealer::GameDealer(const Options& options, const std::set<GameId>& finished,
                       const std::vector<GameId>& open)
    : options_(options) {
  for (const GameId id : finished) {
    if (!Known(id)) continue;
    finished_.insert(id);
    if (Wanted(id)) ++finished_count_;
  }
  std::set<GameId> queued;
  const auto push = [&](GameId id) {
    if (!Known(id) || finished_.contains(id) || !queued.insert(id).second) return;
    queue_.push_back(id);
  };
  std::vector<GameId> sorted_open = open;
  std::sort(sorted_open.begin(), sorted_open.end());
  for (const GameId id : sorted_open) push(id);
  for (std::uint32_t i = 0; i < options_.games; ++i) {
    push(GameId::Make(options_.kind, options_.iteration, i));
  }
  for (std::uint32_t i = 0; i < options_.extra_games; ++i) {
    push(GameId::Make(options_.kind, options_.iteration + 1, i));
  }
}

bool GameDealer::Wanted(GameId id) const {
  return id.kind() == options_.kind && id.iteration() == options_.iteration &&
         id.index() < options_.games;
}

bool GameDealer::Known(GameId id) const {
  return Wanted(id) || (id.kind() == options_.kind && id.iteration() == options_.iteration + 1 &&
                        id.index() < options_.extra_games);
}

// Of one lane, now. The shares of all lanes hold all games, so each game finds a lane.
std::size_t GameDealer::MostHeld() const {
  std::size_t left = queue_.size();
  for (const auto& [lane, held] : held_) left += held.size();
  const auto lanes = static_cast<std::size_t>(options_.lanes);
  return std::min(static_cast<std::size_t>(options_.per_lane), (left + lanes - 1) / lanes);
}

std::vector<GameId> GameDealer::Deal(int lane) {
  std::set<GameId>& held = held_[lane];
  std::vector<GameId> dealt;
  const std::size_t most = MostHeld();
  while (held.size() < most && !queue_.empty()) {
    const GameId id = queue_.front();
    queue_.pop_front();
    if (finished_.contains(id)) continue;
    held.insert(id);
    dealt.push_back(id);
  }
  return dealt;
}

bool GameDealer::Finish(GameId id) {
  if (!Known(id) || !finished_.insert(id).second) return false;
  for (auto& [lane, held] : held_) held.erase(id);
  if (!Wanted(id)) return false;
  ++finished_count_;
  return true;
}

void GameDealer::LaneLost(int lane) {
  std::set<GameId>& held = held_[lane];
  // Wanted games come before extra ones in the order of ids, so pushing in falling order keeps them
  // first.
  for (auto it = held.rbegin(); it != held.rend(); ++it) queue_.push_front(*it);
  held.clear();
}

}  // namespace az
