#pragma once
// TrainingDeaths: whether a training kills the process that does it. A training begins from its
// checkpoint in each process, so one that ends its process at some step does so in every successor,
// however long that takes; a limit of deaths within a time does not see it. Pure; fed by the fleet.

#include <cstdint>

namespace az {

// Of one training, from when it is asked for until it is done. A value.
class TrainingDeaths {
 public:
  static constexpr int kMost = 3;

  // A process was sent the training. What dies before is no training's doing.
  void Sent() { is_sent_ = true; }
  // It told of this step. Steps are told of some time apart.
  void Reached(std::int64_t step);
  // The process died. A death counts unless the process got further than all before it: two of the
  // steps that it told of lie beyond theirs (one may, for where in between they died is not known);
  // then it is the first. True: that is one of kMost in a row.
  bool Died();

  int in_a_row() const { return in_a_row_; }
  std::int64_t furthest() const { return furthest_; }  // step told of by any of the dead

 private:
  bool is_sent_ = false;   // to the process that runs now
  std::int64_t step_ = 0;  // that it told of
  int beyond_ = 0;         // steps that it told of beyond furthest_
  int in_a_row_ = 0;
  std::int64_t furthest_ = 0;
};

}  // namespace az
