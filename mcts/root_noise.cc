#include "mcts/root_noise.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace az {

void ApplyRootTemperature(std::span<float> priors, double temperature) {
  AZ_CHECK_GT(temperature, 0.0);
  double sum = 0.0;
  for (const float prior : priors) sum += std::pow(static_cast<double>(prior), 1.0 / temperature);
  for (float& prior : priors) {
    prior = static_cast<float>(std::pow(static_cast<double>(prior), 1.0 / temperature) / sum);
  }
}

void ShapedAlphas(std::span<const float> priors, double total, std::span<double> alphas) {
  AZ_CHECK_EQ(priors.size(), alphas.size());
  const double count = static_cast<double>(priors.size());
  double mean = 0.0;
  for (std::size_t i = 0; i < priors.size(); ++i) {
    alphas[i] = std::log(std::min(static_cast<double>(priors[i]), 0.01) + 1e-20);
    mean += alphas[i] / count;
  }
  double sum = 0.0;
  for (double& alpha : alphas) {
    alpha = std::max(0.0, alpha - mean);
    sum += alpha;
  }
  for (double& alpha : alphas) {
    alpha = sum > 1e-9 ? total * (1.0 / count + alpha / sum) / 2.0 : total / count;
  }
}

void DrawDirichlet(std::span<double> alphas, Rng& rng) {
  double sum = 0.0;
  for (double& alpha : alphas) {
    alpha = rng.Gamma(alpha);
    sum += alpha;
  }
  if (sum < 1e-300) {
    std::fill(alphas.begin(), alphas.end(), 0.0);
    alphas[rng.Below(alphas.size())] = 1.0;
    return;
  }
  for (double& alpha : alphas) alpha /= sum;
}

void AddRootNoise(std::span<float> priors, RootNoise noise, Rng& rng, std::span<double> scratch) {
  if (noise.shaped) {
    ShapedAlphas(priors, noise.total, scratch);
  } else {
    std::ranges::fill(scratch, noise.total / static_cast<double>(scratch.size()));
  }
  DrawDirichlet(scratch, rng);
  for (std::size_t i = 0; i < priors.size(); ++i) {
    priors[i] = static_cast<float>((1.0 - noise.fraction) * static_cast<double>(priors[i]) +
                                   noise.fraction * scratch[i]);
  }
}

}  // namespace az
