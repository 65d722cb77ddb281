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

ServedRoots DrawServedRoots(const PositionStore& store, std::uint32_t iteration, int most,
                            Rng& rng) {
  constexpr int kDrawsEach = 8;  // where games begun in advance are most of them, few are found
  ServedRoots roots;
  const PositionRange range = store.Range(iteration, iteration);
  if (range.count() == 0) return roots;
  std::uint64_t newest = 0;
  for (const PackedGame& game : store.games()) {
    if (game.id().iteration() == iteration) newest = std::max(newest, game.weights_version());
  }
  const auto wanted = static_cast<std::size_t>(most);
  for (int draw = 0; draw < kDrawsEach * most && roots.samples.size() < wanted; ++draw) {
    // By number: what weighs samples weighs the whole window.
    const auto number = rng.Below(static_cast<std::uint64_t>(range.count()));
    const Sample sample = store.Locate(range.begin + static_cast<std::int64_t>(number));
    const PackedGame& game = store.games()[sample.game];
    if (game.weights_version() != newest || sample.ply < game.newest_from()) continue;
    const PackedMove& move = game.moves()[sample.ply];
    if (!move.is_searched || (move.flags & kMoveProven) != 0) continue;
    roots.samples.push_back(sample);
    roots.values.push_back(move.network_value());
  }
  return roots;
}

}  // namespace az
