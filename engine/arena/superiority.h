#pragma once
// Likelihood of superiority: how certain the games make it that one player is the stronger one.

#include "engine/arena/pentanomial.h"

namespace az {

// The probability that the player is the stronger one, if nothing was known before the match: Phi
// of the signed root of -2 log R(1/2) (pentanomial.h). For long matches that is the usual
// Phi((score - 1/2) / standard error), and it stays below 1 when every pair was won. 1/2 without
// pairs.
double LikelihoodOfSuperiority(const PairCounts& pairs);

}  // namespace az
