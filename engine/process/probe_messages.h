#pragma once
// The control messages of a probe: what a batch size takes of the device, tried out before it is
// planned with (docs/memory.md). Part of messages.h, which includes it.

#include <cstdint>
#include <string>

namespace az {

// Supervisor -> device: run `steps` batches of `rows` rows and tell what they took. Inference takes
// all runners at once, training all learner shards, each with `micro_batches` of `rows` rows a
// step. Only while no phase runs.
struct ProbeMessage {
  std::string phase;  // "train", "inference"
  int rows = 0;       // of a micro-batch or a bucket
  int steps = 3;
  int micro_batches = 1;      // of training, gradients added up
  int checkpoint_blocks = 0;  // of training, as in a plan: 0 = all is saved
};

// Device -> supervisor. Bytes are -1 where the device cannot tell.
struct ProbedMessage {
  std::string phase;
  int rows = 0;
  bool out_of_memory = false;             // the other numbers are then of what ran before
  std::int64_t state_bytes = -1;          // alive before the first step
  std::int64_t first_peak_bytes = -1;     // of the first step, with what libraries set up once
  std::int64_t peak_bytes = -1;           // alive at most in the later steps, state included
  std::int64_t reserved_peak_bytes = -1;  // held by the allocator at most
  std::int64_t process_bytes = -1;        // anonymous memory of the process after the steps
  std::int64_t context_bytes = -1;        // of a GPU: of the process, outside of the allocator
  double step_us = 0;                     // the fastest of the later steps
  std::string identity_json;              // what these numbers hold for (scheduler/device_memory.h)
};

}  // namespace az
