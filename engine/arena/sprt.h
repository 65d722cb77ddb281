#pragma once
// SPRT: stops a match as soon as it has decided between two Elo differences. Used by az_arena and
// by the gate. Pure: a verdict is a function of the pairs so far.
//
// Generalised sequential probability ratio test on the pentanomial model (pentanomial.h): nothing
// but the score is fixed under each hypothesis, the draws and the openings are what the games show.
// Log likelihood ratio log R(s1) - log R(s0), s the logistic score of an Elo difference: "logistic
// (exact)" of Fishtest, Van den Bergh, "Comments on the MLE of multinomial distributions". Wald's
// bounds log(beta / (1 - alpha)) and log((1 - beta) / alpha) (Wald, Sequential Analysis,
// 1947, 3.2).

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "engine/arena/pentanomial.h"
#include "engine/config/options.h"

namespace az {

enum class SprtVerdict : std::uint8_t { kContinue, kAcceptElo0, kAcceptElo1 };
std::string_view SprtVerdictName(SprtVerdict verdict);  // "continue", "elo0", "elo1"

// Thread-safe: never changes. An Sprt that exists is a valid one.
class Sprt {
 public:
  // kInvalid: elo0 not below elo1, one of them beyond +-1000, alpha or beta outside (0, 0.5].
  static Result<Sprt> Create(const SprtOptions& options);

  // Of pairs in the view of the player that is tested.
  double LogRatio(const PairCounts& pairs) const;
  // To be asked after each pair, in an order that does not follow the results (MatchCount,
  // kByPair). Asking seldom only makes the errors rarer and the match longer.
  SprtVerdict Verdict(const PairCounts& pairs) const;

  double lower_bound() const { return lower_bound_; }
  double upper_bound() const { return upper_bound_; }
  const SprtOptions& options() const { return options_; }

 private:
  explicit Sprt(const SprtOptions& options);

  SprtOptions options_;
  double score0_;
  double score1_;
  double lower_bound_;
  double upper_bound_;
};

}  // namespace az
