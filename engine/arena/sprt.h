#pragma once
// SPRT: stops a match as soon as the games decide between two Elo differences. Used by az_arena and
// by the gate. Pure: a verdict is a function of the pairs so far.
//
// It is a generalised sequential probability ratio test on the pentanomial model (pentanomial.h):
// each hypothesis fixes only the score; draws and openings are as the games show them. The log
// likelihood ratio is log R(s1) - log R(s0), with s the logistic score of an Elo difference:
// Fishtest's "logistic (exact)" (Van den Bergh, "Comments on the MLE of multinomial
// distributions"). The bounds are Wald's, log(beta / (1 - alpha)) and log((1 - beta) / alpha)
// (Wald, Sequential Analysis, 1947, 3.2).

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/describe.h"
#include "base/result.h"
#include "engine/arena/pentanomial.h"
#include "engine/config/options.h"

namespace az {

enum class SprtVerdict : std::uint8_t { kContinue, kAcceptElo0, kAcceptElo1 };
template <>
struct EnumNames<SprtVerdict> {
  static constexpr auto value =
      std::to_array<std::pair<SprtVerdict, std::string_view>>({{SprtVerdict::kContinue, "continue"},
                                                               {SprtVerdict::kAcceptElo0, "elo0"},
                                                               {SprtVerdict::kAcceptElo1, "elo1"}});
};

// Every Sprt that exists is valid. Thread-safe: immutable.
class Sprt {
 public:
  // Fails with kInvalid when elo0 is not below elo1, one of them is beyond +-1000, or alpha or beta
  // is outside (0, 0.5].
  static Result<Sprt> Create(const SprtOptions& options);

  // The log likelihood ratio of pairs in the view of the player that is tested.
  double LogRatio(const PairCounts& pairs) const;
  // The verdict after these pairs. Call it after each pair, in an order that does not depend on the
  // results (MatchCount, kByPair). Calling it less often makes errors rarer and the match longer.
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
