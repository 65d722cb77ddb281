#include "games/points.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "games/registry.h"

namespace az {
namespace {

template <class S>
concept HasKomi = requires {
  S::kDefaultKomi.half_points;
};

template <HasKomi S>
Result<std::optional<double>> AreaMarginOf(const StartOptions& options,
                                           std::span<const Action> actions) {
  const double komi = options.komi.value_or(S::kDefaultKomi.half_points / 2.0);
  AZ_ASSIGN_OR_RETURN(S state, S::WithKomi(komi));
  for (const Action action : actions) state.Apply(action);
  return std::optional<double>(state.AreaMargin() - komi);
}

double DiscMargin(const GameOps& game, const Position& position) {
  std::vector<std::uint64_t> planes(static_cast<std::size_t>(game.info().shape.words()));
  position.Encode(planes);
  const auto words = static_cast<std::size_t>(game.info().shape.words_per_plane());
  int margin = 0;  // plane 0 is the mover's, plane 1 the opponent's
  for (std::size_t w = 0; w < words; ++w) {
    margin += std::popcount(planes[w]) - std::popcount(planes[words + w]);
  }
  return position.ToMove() == Player::kFirst ? margin : -margin;
}

}  // namespace

Result<std::optional<double>> PointsMargin(const GameOps& game, const StartOptions& options,
                                           std::span<const Action> actions) {
  // First by the dynamic rules, which refuse an illegal action.
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Position> position, game.Replay(actions));
  if (game.info().family == "othello") return std::optional<double>(DiscMargin(game, *position));
  return WithGame(game.info().entry, [&]<GameState S>() -> Result<std::optional<double>> {
    if constexpr (HasKomi<S>) {
      return AreaMarginOf<S>(options, actions);
    } else {
      return std::optional<double>();
    }
  });
}

std::optional<double> DefaultKomi(const GameOps& game) {
  const auto komi = WithGame(game.info().entry, []<GameState S>() -> Result<std::optional<double>> {
    if constexpr (HasKomi<S>) {
      return std::optional<double>(S::kDefaultKomi.half_points / 2.0);
    } else {
      return std::optional<double>();
    }
  });
  return komi.has_value() ? *komi : std::nullopt;
}

}  // namespace az
