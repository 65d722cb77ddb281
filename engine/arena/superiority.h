#pragma once
// Likelihood of superiority: how sure the games are that one player is the stronger one.

#include "engine/arena/pentanomial.h"

namespace az {

// Probability that the player is the stronger one, if nothing was known before the match: Phi of
// the signed root of -2 log R(1/2) (pentanomial.h), which for long matches is the usual Phi((score
// - 1/2) / standard error) and stays below 1 when every pair was won. 1/2 without pairs.
double LikelihoodOfSuperiority(const PairCounts& pairs);

}  // namespace az
