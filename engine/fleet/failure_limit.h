#pragma once
// When games without a result are too many for the run to go on.

#include <cstdint>

#include "base/result.h"

namespace az {

// Of the games of one phase so far: at least 20, and more than one in 20. A few are the price of
// going on after a bad answer; many say that something is broken.
constexpr bool TooManyFailed(std::uint64_t failed, std::uint64_t finished) {
  return failed >= 20 && failed * 20 > finished;
}

// The same when the phase is over: however short it was, some game had a result.
constexpr bool TooManyFailedInAll(std::uint64_t failed, std::uint64_t finished) {
  return TooManyFailed(failed, finished) || (failed > 0 && failed == finished);
}

// Of a phase that is over, with the answers in it that no search could use. kNotFinite, or kIo
// where the answers were not to blame.
Result<void> CheckFailures(std::uint64_t failed, std::uint64_t finished, std::uint64_t bad_rows);

}  // namespace az
