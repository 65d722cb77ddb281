#pragma once
// Simulated matches with a known truth: each pair has an opening that favours one side by `bias`
// Elo, both games are drawn with the given frequency, and the mean score is exactly as asked.

#include <algorithm>
#include <array>
#include <cmath>

#include "base/rng.h"
#include "engine/arena/pentanomial.h"

namespace az {

struct PairWorld {
  double bias_elo = 0;
  double draws = 0;  // share of the weaker side's points that are draws, 0 to 1
};

class SimulatedPairs {
 public:
  SimulatedPairs(double score, PairWorld world) {
    double low = -4000;
    double high = 4000;
    for (int step = 0; step < 100; ++step) {
      const double middle = (low + high) / 2;
      shares_ = SharesAt(middle, world);
      (Mean() < score ? low : high) = middle;
    }
  }

  double Mean() const {
    double mean = 0;
    for (std::size_t i = 0; i < 5; ++i) mean += shares_[i] * static_cast<double>(i) / 4;
    return mean;
  }
  std::size_t Draw(Rng& rng) const {
    double u = rng.Uniform();
    std::size_t result = 0;
    while (result < 4 && u >= shares_[result]) u -= shares_[result++];
    return result;
  }
  PairCounts Match(int pairs, Rng& rng) const {
    PairCounts counts{};
    for (int i = 0; i < pairs; ++i) ++counts[Draw(rng)];
    return counts;
  }

 private:
  using Shares = std::array<double, 5>;
  static std::array<double, 3> Game(double elo, double draws) {
    const double score = ScoreOfElo(elo);
    const double drawn = draws * 2 * std::min(score, 1 - score);
    return {1 - score - drawn / 2, drawn, score - drawn / 2};
  }
  static Shares SharesAt(double elo, PairWorld world) {
    Shares shares{};
    const auto first = Game(elo + world.bias_elo, world.draws);
    const auto second = Game(elo - world.bias_elo, world.draws);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) shares[i + j] += first[i] * second[j];
    }
    return shares;
  }

  Shares shares_{};
};

}  // namespace az
