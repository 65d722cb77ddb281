#include "games/solvers/position_limit.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace az {

PositionLimit::PositionLimit(const SolverOptions& options)
    : most_(options.max_positions), look_up_(options.look_up) {
  AskNext();
}

void PositionLimit::Restart() {
  count_ = 0;
  failure_.reset();
  AskNext();
}

void PositionLimit::AskNext() {
  unasked_until_ = look_up_ ? std::min(most_, count_ + kBetweenLooks - 1) : most_;
}

bool PositionLimit::GoesOn() {
  if (failure_) return false;
  if (count_ > most_) {
    failure_ =
        Error{Errc::kTimeout, StrCat("solve: not decided after ", most_,
                                     " positions (allow more, or ask for a later position)")};
    return false;
  }
  Result<void> looked = look_up_();
  if (!looked) {
    failure_ = std::move(looked).error();
    return false;
  }
  AskNext();
  return true;
}

}  // namespace az
