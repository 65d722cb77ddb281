#pragma once
// SampleRatio: how often a position is trained on, on average, held to a given number whether
// self-play and training take turns or run side by side. Pure arithmetic: no lock, no clock. Saved
// in every checkpoint.

#include <cstdint>

#include "base/result.h"

namespace az {

struct SampleRatioOptions {
  double samples_per_position = 4.0;
  std::int64_t min_to_sample = 2'000;  // positions that must be in before the first sample
  double slack = 0;                    // samples that the two sides may be apart
  std::int64_t largest_sample = 512;   // positions sampled at once: a batch
  std::int64_t largest_insert = 0;  // positions inserted at once: a game, or in phases an iteration
};

// debt = samples_per_position * inserted - sampled. Once min_to_sample positions are in and the
// debt of these has been worked off, -slack <= debt <= slack as long as every step was asked for
// first; one of both sides may always go on. Thread-compatible.
class SampleRatio {
 public:
  // What a checkpoint keeps.
  struct State {
    std::int64_t inserted = 0;
    std::int64_t sampled = 0;  // or forgone
    friend bool operator==(const State&, const State&) = default;
  };

  // kInvalid: a number out of range, or a slack below max(largest_sample, samples_per_position *
  // largest_insert), with which both sides could wait for each other for ever.
  static Result<SampleRatio> Create(const SampleRatioOptions& options);
  // As Create, from what state() said before. kCorrupt: a negative count.
  static Result<SampleRatio> Restore(const SampleRatioOptions& options, State state);

  bool CanSample(std::int64_t positions) const;
  void OnSample(std::int64_t positions) { state_.sampled += positions; }
  bool CanInsert(std::int64_t positions) const;
  void OnInsert(std::int64_t positions) { state_.inserted += positions; }
  // Samples that are due and will never be taken (a trial of few steps): they are owed no more.
  void Forgo(std::int64_t positions) { state_.sampled += positions; }

  // Whole batches that bring the debt below one batch: what a train phase runs. 0 before
  // min_to_sample.
  std::int64_t StepsDue(std::int64_t batch) const;

  double debt() const;
  State state() const { return state_; }

 private:
  explicit SampleRatio(const SampleRatioOptions& options) : options_(options) {}

  SampleRatioOptions options_;
  State state_;
};

}  // namespace az
