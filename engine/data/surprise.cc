#include "engine/data/surprise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "base/check.h"
#include "engine/data/short_term_value.h"

namespace az {
namespace {

constexpr double kLeastMeanValueSurprise = 0.01;
constexpr double kLeastChance = 1e-3;  // nothing is certain: keeps logarithms finite

double Chance(double value) {
  return std::clamp((1.0 + value) / 2.0, kLeastChance, 1.0 - kLeastChance);
}

// NaN where what the network said is not known.
double ValueSurprise(double short_term, double network) {
  if (std::isnan(network)) return network;
  const double p = Chance(short_term);
  const double q = Chance(network);
  const double kl = p * std::log(p / q) + (1.0 - p) * std::log((1.0 - p) / (1.0 - q));
  return std::clamp(kl, 0.0, 1.0);
}

double MeanOf(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

// NaN is not known: those take the mean of the others.
void FillUnknown(std::vector<double>& values) {
  std::vector<double> known;
  for (const double value : values) {
    if (!std::isnan(value)) known.push_back(value);
  }
  const double mean = MeanOf(known);
  for (double& value : values) value = std::isnan(value) ? mean : value;
}

// Each full ply's share of the sum, times their number; 1 where there is no surprise at all.
void AddShare(std::span<const double> surprise, std::span<const std::size_t> plies, double share,
              std::vector<float>& weights) {
  const double mean = MeanOf(surprise);
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
  FillUnknown(value);
  const double value_share =
      options.value_share * std::min(1.0, MeanOf(value) / kLeastMeanValueSurprise);
  for (const std::size_t ply : plies) {
    weights[ply] = static_cast<float>(1.0 - options.policy_share - value_share);
  }
  AddShare(policy, plies, options.policy_share, weights);
  AddShare(value, plies, value_share, weights);
  return weights;
}

}  // namespace az
