#include "engine/arena/sprt.h"

#include <cmath>

#include "base/strings.h"

namespace az {
namespace {

constexpr double kMaxElo = 1000;

Result<void> CheckRate(std::string_view name, double rate) {
  if (rate > 0 && rate <= 0.5) return {};
  return Error{Errc::kInvalid, StrCat("sprt: ", name, " = ", rate,
                                      " is out of range (0, 0.5] (share of wrong verdicts)")};
}

}  // namespace

Result<Sprt> Sprt::Create(const SprtOptions& options) {
  for (const double elo : {options.elo0, options.elo1}) {
    if (!(std::abs(elo) <= kMaxElo)) {
      return Error{Errc::kInvalid, StrCat("sprt: Elo difference ", elo, " is out of range [-",
                                          kMaxElo, ", ", kMaxElo, "]")};
    }
  }
  if (!(options.elo0 < options.elo1)) {
    return Error{Errc::kInvalid,
                 StrCat("sprt: elo0 = ", options.elo0, " must be below elo1 = ", options.elo1)};
  }
  AZ_RETURN_IF_ERROR(CheckRate("alpha", options.alpha));
  AZ_RETURN_IF_ERROR(CheckRate("beta", options.beta));
  return Sprt(options);
}

Sprt::Sprt(const SprtOptions& options)
    : options_(options),
      score0_(ScoreOfElo(options.elo0)),
      score1_(ScoreOfElo(options.elo1)),
      lower_bound_(std::log(options.beta / (1 - options.alpha))),
      upper_bound_(std::log((1 - options.beta) / options.alpha)) {}

double Sprt::LogRatio(const PairCounts& pairs) const {
  return LogLikelihoodRatio(pairs, score1_) - LogLikelihoodRatio(pairs, score0_);
}

SprtVerdict Sprt::Verdict(const PairCounts& pairs) const {
  // Without pairs there is no verdict; with alpha + beta = 1 both bounds would be 0.
  if (PairsIn(pairs) == 0) return SprtVerdict::kContinue;
  const double log_ratio = LogRatio(pairs);
  if (log_ratio >= upper_bound_) return SprtVerdict::kAcceptElo1;
  if (log_ratio <= lower_bound_) return SprtVerdict::kAcceptElo0;
  return SprtVerdict::kContinue;
}

}  // namespace az
