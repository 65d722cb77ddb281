#include "engine/play/terminal_level.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/check.h"
#include "base/strings.h"

namespace az {

bool HasLevels(PlayerKind kind) {
  return kind == PlayerKind::kCheckpoint || kind == PlayerKind::kMcts;
}

Error NoLevels(std::string_view player) {
  return {Errc::kInvalid, StrCat(player,
                                 " has no levels: they are numbers of simulations, and it "
                                 "makes none (0: the player as it is)")};
}

PlayLevel LevelOf(int level) {
  static constexpr std::array<PlayLevel, kMostLevel> kLevels = {{{8, 1.0},
                                                                 {16, 0.8},
                                                                 {32, 0.6},
                                                                 {64, 0.4},
                                                                 {128, 0.2},
                                                                 {200, 0.0},
                                                                 {400, 0.0},
                                                                 {800, 0.0},
                                                                 {1600, 0.0},
                                                                 {3200, 0.0}}};
  AZ_CHECK(level >= 1 && level <= kMostLevel) << level;
  return kLevels[static_cast<std::size_t>(level - 1)];
}

Action ChooseMove(const Thought& thought, double temperature, Rng& rng) {
  if (temperature <= 0 || thought.proven.has_value() || thought.moves.empty()) return thought.best;
  std::vector<double> weights;
  double sum = 0;
  for (const MoveInfo& move : thought.moves) {
    weights.push_back(std::pow(static_cast<double>(move.visits), 1 / temperature));
    sum += weights.back();
  }
  double draw = rng.Uniform() * sum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    draw -= weights[i];
    if (draw < 0) return thought.moves[i].action;
  }
  return thought.best;
}

}  // namespace az
