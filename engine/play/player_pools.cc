#include "engine/play/player_pools.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "base/strings.h"

namespace az {
namespace {

constexpr std::size_t kMostKnown = 1024;
constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

}  // namespace

PlayerPools::PlayerPools(PlayerRequest defaults, PlayEnvironment environment)
    : defaults_(std::move(defaults)), environment_(std::move(environment)) {
  AZ_CHECK(environment_.time == TimeKept::kNone);
}

Result<OpenPool> PlayerPools::PoolFor(const AnalysisRequest& request) {
  PlayerRequest wanted = defaults_;
  if (!request.player.empty()) wanted.player = request.player;
  if (!request.game.empty()) {
    wanted.game = request.game;
    wanted.board_size = request.board_size;
  } else if (request.board_size != 0) {
    wanted.board_size = request.board_size;
  }
  const std::string text = StrCat(wanted.game, "\n", wanted.board_size, "\n", wanted.player);
  auto known = known_.find(text);
  if (known == known_.end()) {
    AZ_ASSIGN_OR_RETURN(Open* const found, Find(wanted));
    if (known_.size() >= kMostKnown) known_.clear();
    known = known_.emplace(text, found).first;
  }
  Open& open = *known->second;
  open.used = ++uses_;
  return OpenPool{open.game, open.opened.pool.get(), open.simulations};
}

Result<PlayerPools::Open*> PlayerPools::Find(const PlayerRequest& wanted) {
  AZ_ASSIGN_OR_RETURN(const ResolvedPlayer player, ResolvePlayer(wanted, environment_));
  const std::string key = StrCat(player.game->info().entry, "\n", ToString(player.spec));
  for (const auto& open : open_) {
    if (open->key == key) return open.get();
  }
  AZ_RETURN_IF_ERROR(MakeRoom());
  auto open = std::make_unique<Open>();
  open->key = key;
  open->game = player.game;
  open->simulations = std::min(player.search.visits, kMostSimulations);
  AZ_ASSIGN_OR_RETURN(open->opened, OpenPoolOf(player, environment_));
  return open_.emplace_back(std::move(open)).get();
}

// Closes the empty pool that was used least recently when there are too many.
Result<void> PlayerPools::MakeRoom() {
  if (open_.size() < kMostOpen) return {};
  auto oldest = open_.end();
  for (auto at = open_.begin(); at != open_.end(); ++at) {
    if (!(*at)->opened.pool->is_empty()) continue;
    if (oldest == open_.end() || (*at)->used < (*oldest)->used) oldest = at;
  }
  if (oldest == open_.end()) {
    return Error{Errc::kBusy, StrCat("all ", kMostOpen, " open players are searching")};
  }
  std::erase_if(known_, [&](const auto& entry) { return entry.second == oldest->get(); });
  open_.erase(oldest);
  return {};
}

std::vector<PositionPool*> PlayerPools::Pools() {
  std::vector<PositionPool*> pools;
  for (const auto& open : open_) pools.push_back(open->opened.pool.get());
  return pools;
}

Result<void> PlayerPools::Idle() {
  const TimePoint now = clock_.Now();
  if (now - looked_at_ < kBetweenLooks) return {};
  looked_at_ = now;
  for (const auto& open : open_) {
    if (open->opened.service) AZ_RETURN_IF_ERROR(open->opened.service->Idle());
  }
  return {};
}

}  // namespace az
