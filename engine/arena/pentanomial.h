#pragma once
// The pentanomial model: a match as counts of game pairs by their points. Both games of a pair
// share an opening and are not independent, so the pair is the unit of every statistic of a match:
// estimate and interval here, SPRT in sprt.h, superiority in superiority.h. Pure functions.
//
// The model behind all three is one multinomial distribution over the five results of a pair, with
// nothing else assumed about draws, openings or colours. What it says about a score s is the
// empirical likelihood ratio R(s) = max L(p | mean s) / max L(p). The p that maximises L with mean
// s is p_i = w_i / (1 + x (a_i - s)), w the observed shares, a_i the score of result i, x the root
// of sum w_i (a_i - s) / (1 + x (a_i - s)) = 0 (Owen, Empirical Likelihood, 2001, 2.9; Van den
// Bergh, "Comments on the MLE of multinomial distributions", cantate.be/Fishtest, prop. 1.1).

#include <array>
#include <cstdint>

#include "base/stats.h"

namespace az {

// Finished pairs in the view of one player, by the points of both games: 0, 1/2, 1, 3/2, 2.
using PairCounts = std::array<std::int64_t, 5>;

// The Elo difference at which `score` is the expected score: -infinity at 0, +infinity at 1.
double EloOfScore(double score);
// The expected score, in [0, 1], at an Elo difference.
double ScoreOfElo(double elo);

std::int64_t PairsIn(const PairCounts& pairs);
// The share of the points; 1/2 when there are no pairs.
double ScoreOf(const PairCounts& pairs);

// log R(score) <= 0. Results that have not come up yet count as 0.03 pairs each, because a
// likelihood of only what was seen would rule them out. 0 without pairs. REQUIRES: 0 < score < 1.
double LogLikelihoodRatio(const PairCounts& pairs, double score);

// A score in [0, 1] and its Elo, each with a 95 % interval; Elo bounds may be infinite.
struct ScoreEstimate {
  double score = 0.5;
  Interval score_interval{0, 1};
  double elo = 0;
  Interval elo_interval;
};

// Estimates the score. The interval holds every score with -2 log R(score) <= 1.96^2 (Owen 2001,
// 2.4). Where all pairs are alike it is Wilson's interval over the pairs, which is wider. It covers
// the true score in about 94 to 97 % of matches of 50 pairs and more, also of lopsided and drawish
// ones, and in at least 89 % of matches of 10 pairs (pentanomial_test.cc prints both). Without
// pairs the score is 1/2 and the interval [0, 1].
ScoreEstimate EstimateFromPairs(const PairCounts& pairs);

}  // namespace az
