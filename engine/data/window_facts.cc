#include "engine/data/window_facts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace az {
namespace {

struct Weighted {
  std::uint64_t value = 0;
  std::int64_t positions = 0;
};
struct MeanAndP95 {
  double mean = 0;
  double p95 = 0;
};

MeanAndP95 Summarise(std::vector<Weighted> values) {
  std::ranges::sort(values, {}, &Weighted::value);
  double sum = 0;
  std::int64_t total = 0;
  for (const Weighted& part : values) {
    sum += static_cast<double>(part.value) * static_cast<double>(part.positions);
    total += part.positions;
  }
  if (total == 0) return {};
  const double needed = 0.95 * static_cast<double>(total);
  std::int64_t seen = 0;
  for (const Weighted& part : values) {
    seen += part.positions;
    if (static_cast<double>(seen) >= needed) {
      return {sum / static_cast<double>(total), static_cast<double>(part.value)};
    }
  }
  return {};
}

}  // namespace

WindowAge AgeOf(const PositionStore& store, std::uint32_t iteration) {
  std::uint64_t newest = 0;
  for (const PackedGame& game : store.games()) newest = std::max(newest, game.weights_version());
  std::vector<Weighted> lags;
  std::vector<Weighted> ages;
  for (const PackedGame& game : store.games()) {
    lags.push_back({newest - game.weights_version(), game.positions()});
    ages.push_back({iteration - game.id().iteration(), game.positions()});
  }
  const MeanAndP95 lag = Summarise(std::move(lags));
  const MeanAndP95 age = Summarise(std::move(ages));
  return {.lag_mean_versions = lag.mean,
          .lag_p95_versions = lag.p95,
          .mean_iterations = age.mean,
          .p95_iterations = age.p95};
}

Result<PositionCensus> CountPositions(const GameOps& game, const PositionStore& store,
                                      std::uint32_t iteration) {
  PositionCensus census;
  std::unordered_set<std::uint64_t> seen;
  for (const PackedGame& played : store.games()) {
    if (played.id().iteration() != iteration) continue;
    if (census.positions >= kCensusPositions) break;
    const std::unique_ptr<Position> position = game.Start();
    for (const PackedMove& move : played.moves()) {
      if (move.is_position) {
        ++census.positions;
        seen.insert(position->Hash());
      }
      if (Result<void> applied = position->Apply(move.action); !applied) {
        return WithContext(StrCat("count positions of game ", played.id().packed),
                           Error{Errc::kCorrupt, std::move(applied).error().message});
      }
    }
  }
  census.distinct = static_cast<std::int64_t>(seen.size());
  return census;
}

}  // namespace az
