#include "engine/data/surprise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "engine/data/short_term_value.h"

namespace az {
namespace {

constexpr double kLeastMeanValueSurprise = 0.01;
constexpr double kLeastChance = 1e-3;  // nothing is certain: keeps logarithms finite

double Chance(double value) {
  return std::clamp((1.0 + value) / 2.0, kLeastChance, 1.0 - kLeastChance);
}

double ValueSurprise(double short_term, double network) {
  const double p = Chance(short_term);
  const double q = Chance(network);
  const double kl = p * std::log(p / q) + (1.0 - p) * std::log((1.0 - p) / (1.0 - q));
  return std::clamp(kl, 0.0, 1.0);
}

// Each full ply's share of the sum, times their number; 1 where there is no surprise at all.
void AddShare(std::span<const double> surprise, std::span<const std::size_t> plies, double share,
              std::vector<float>& weights) {
  double sum = 0.0;
  for (const double s : surprise) sum += s;
  const double mean = sum / static_cast<double>(plies.size());
  for (std::size_t i = 0; i < plies.size(); ++i) {
    weights[plies[i]] += static_cast<float>(share * (mean > 0.0 ? surprise[i] / mean : 1.0));
  }
}

}  // namespace

std::vector<float> SurpriseWeights(const GameRecord& record, std::span<const Player> movers,
                                   int cells, const SurpriseOptions& options) {
  AZ_CHECK(record.outcome.has_value()) << "game " << record.id.packed;
  AZ_CHECK_EQ(movers.size(), record.moves.size());
  std::vector<float> weights(record.moves.size(), 1.0f);
  std::vector<std::size_t> plies;
  std::vector<double> policy;
  std::vector<double> value;
  for (std::size_t ply = 0; ply < record.moves.size(); ++ply) {
    const MoveRecord& move = record.moves[ply];
    if (move.policy.empty()) continue;
    ShortTermValue short_term(movers[ply], ShortTermHorizon(cells));
    for (std::size_t j = ply; j < record.moves.size(); ++j) {
      if (record.moves[j].visits > 0) short_term.Add(movers[j], record.moves[j].root_value);
    }
    plies.push_back(ply);
    policy.push_back(std::max(0.0, static_cast<double>(move.policy_kl_nats)));
    value.push_back(ValueSurprise(static_cast<double>(short_term.EndedWith(*record.outcome)),
                                  static_cast<double>(move.network_value)));
  }
  if (plies.empty()) return weights;
  double mean_value = 0.0;
  for (const double v : value) mean_value += v / static_cast<double>(plies.size());
  const double value_share =
      options.value_share * std::min(1.0, mean_value / kLeastMeanValueSurprise);
  for (const std::size_t ply : plies) {
    weights[ply] = static_cast<float>(1.0 - options.policy_share - value_share);
  }
  AddShare(policy, plies, options.policy_share, weights);
  AddShare(value, plies, value_share, weights);
  return weights;
}

}  // namespace az
