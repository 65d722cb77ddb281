#pragma once
// What self-play does to the priors of the root: temperature, then Dirichlet noise with a fixed
// total (KataGo's methods).

#include <span>

#include "base/rng.h"

namespace az {

// P^(1 / temperature), normalised. REQUIRES: temperature > 0, priors sum to 1.
void ApplyRootTemperature(std::span<float> priors, double temperature);

// The Dirichlet's parameters: half of `total` evenly, half in proportion to how far ln(min(P,
// 0.01)) lies above its mean over the legal actions; all evenly when none does. alphas.size() =
// priors.size().
void ShapedAlphas(std::span<const float> priors, double total, std::span<double> alphas);

// Replaces the parameters by one draw of the distribution; non-negative, sums to 1. When every
// gamma underflows, one action, drawn evenly, gets all.
void DrawDirichlet(std::span<double> alphas, Rng& rng);

struct RootNoise {
  double fraction = 0.25;  // share of the prior replaced
  double total = 10.83;    // sum of the Dirichlet's parameters
  bool shaped = true;      // ShapedAlphas; otherwise total / L for each of the L actions
};
// P' = (1 - fraction) P + fraction eta. `scratch` has priors.size() entries.
void AddRootNoise(std::span<float> priors, RootNoise noise, Rng& rng, std::span<double> scratch);

}  // namespace az
