#pragma once
// When a training has gone wrong, and what becomes of its rate: pure rules over losses. The trainer
// goes back to its last good checkpoint with a lower rate then (docs/learning.md).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "engine/train/judged_loss.h"

namespace az {

// What is left of the schedule's learning rate; kept in checkpoints. Thread-compatible.
struct RateGuard {
  static constexpr double kLeast = 1.0 / 1024;
  static constexpr std::int64_t kGoodTrainings = 3;  // that double it again
  static constexpr std::int64_t kMostReturns = 5;    // to one checkpoint: more, and the run ends

  double factor = 1.0;              // on the schedule's rate, [kLeast, 1]
  std::int64_t returns = 0;         // to one checkpoint: since a training last ended well
  std::int64_t good_trainings = 0;  // in a row, below the full rate
  // Of the loss of ignorance, the best share that trainings lately left behind (KnownShare), each
  // since then counting for a tenth less: what many small losses are held against. 0: unknown.
  double known = 0;

  enum class Blame : std::uint8_t { kTraining, kDevice };
  // A training goes back. One that diverged: the n-th return to one checkpoint leaves 1/2ⁿ of the
  // rate: one bad moment costs a half, and a rate a thousand times too high is reached in four;
  // what was known is held against it no more, for these weights may not know it either. One whose
  // device lost the weights: the rate is not to blame, all stays.
  void OnReturn(Blame blame);
  // A training ended well, after at least one step, and knows so much. One without a return counts
  // for the climb.
  void OnGoodEnd(double known_now);
  bool must_give_up() const { return returns > kMostReturns; }
  bool operator==(const RateGuard&) const = default;
};

// Watches one iteration's steps. Thread-compatible.
class DivergenceWatch {
 public:
  static constexpr int kInARow = 3;
  static constexpr std::size_t kMemory = 64;  // steps that the median is taken over
  static constexpr std::size_t kFewest = 32;  // for a median that means something

  // `ignorance`: LossOfIgnorance (loss.h).
  explicit DivergenceWatch(double ignorance) : ignorance_(ignorance) {}

  // Takes a step's loss; nothing for a step that was skipped, its loss or gradient not finite. A
  // step is bad when it was skipped or its loss is above limit(). True: the third bad one in a row.
  bool Explodes(std::optional<double> loss);
  // Twice the loss of ignorance; once kFewest losses are in, also three times their running median,
  // though never below the loss of ignorance.
  double limit() const;
  // After a return: what was seen before counts no more.
  void Forget();

 private:
  double ignorance_;
  std::deque<double> recent_;
  int in_a_row_ = 0;
};

// Whether weights that had the loss `before` when training began, and now have the loss `after` of
// the same rows, must not be kept. However few the steps were: after an end that is not finite;
// that is more than half-way from `before` to the loss of ignorance (a twentieth of ignorance is
// always forgiven); or that is above 1.05 times ignorance and more than 1 % above `before`.
bool EndedDiverged(double before, double after, double ignorance);

struct Divergence {
  std::string_view what;  // "loss", "policy loss", "value loss"
  double before = 0;
  double after = 0;
  double ignorance = 0;
};
// The first of the whole loss and its terms that EndedDiverged: one head that is lost may hide
// behind others that learn. The whole loss is held against `known` (RateGuard) as well, where that
// was better than `before`: weights that lose a little in every training lose everything.
std::optional<Divergence> FindDivergence(const JudgedLoss& before, const JudgedLoss& after,
                                         const JudgedLoss& ignorance, double known);
// 1: everything; 0: as much as ignorance, or less.
double KnownShare(double loss, double ignorance);

}  // namespace az
