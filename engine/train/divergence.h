#pragma once
// When a training has gone wrong: pure rules over the losses of its steps. The trainer goes back to
// its last good checkpoint with a lower rate then (docs/learning.md). A loss that is not finite is
// none of its concern: such a step is skipped.

#include <cstddef>
#include <cstdint>
#include <deque>

namespace az {

// Of what is left of the rate at the n-th return within an iteration (1, 2, …): 1/2, 1/4, 1/8, …;
// one bad moment costs little, and five returns reach a rate 30,000 times too high.
double RateCut(std::int64_t returns);

// Watches one iteration's steps. Thread-compatible.
class DivergenceWatch {
 public:
  static constexpr int kInARow = 3;
  static constexpr std::size_t kMemory = 64;  // steps that the median is taken over
  static constexpr std::size_t kFewest = 32;  // for a median that means something

  // `ignorance`: LossOfIgnorance (loss.h).
  explicit DivergenceWatch(double ignorance) : ignorance_(ignorance) {}

  // Takes a step's loss, finite. True: this is the third in a row above limit().
  bool Explodes(double loss);
  // Twice the loss of ignorance; once kFewest steps are in, also three times their running median,
  // though never below the loss of ignorance.
  double limit() const;
  // The last steps are worse than knowing nothing: what training should not end with. False before
  // kFewest steps.
  bool EndsIgnorant() const;
  // After a return: what was seen before counts no more.
  void Forget();

 private:
  double ignorance_;
  std::deque<double> recent_;
  int in_a_row_ = 0;
};

}  // namespace az
