#pragma once
// Byte traces of real networks beside the formulas of scheduler/footprint.h: training steps and
// inference batches, on the CPU's capped heap.

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "engine/net/inference_net.h"
#include "scheduler/net_shape.h"

namespace az {

// A network, a batch and how it is run.
struct FootprintCase {
  std::string name;  // "5x5 128x8h8"
  NetShape shape;
  int rows = 64;
  Precision precision = Precision::kFp32;
  bool trains = true;
  int checkpoint_blocks = 0;                 // for training
  NetKernels kernels = NetKernels::kOnednn;  // for inference
};

// One number of a case, traced and predicted.
struct FootprintFigure {
  const char* phase;  // "train state", "train step", "optimizer", "inference weights", "forward"
  Bytes traced;
  Bytes predicted;
  // The most that was taken from the system, and the plan's number for it: the prediction with
  // slack. 0: not compared.
  Bytes reserved;
  Bytes planned;
  double error() const {  // signed, relative to the traced bytes
    return (static_cast<double>(predicted.count()) - static_cast<double>(traced.count())) /
           static_cast<double>(traced.count());
  }
};

// Builds the network, runs it a few times and returns its figures. Fails with kUnavailable when
// this processor cannot run the case (direct kernels). REQUIRES: InstallCappedCpuAllocator was
// called; no other thread uses LibTorch.
Result<std::vector<FootprintFigure>> TraceFootprint(const FootprintCase& wanted);

enum class FootprintSet : std::uint8_t {
  kSmall,  // about thirty cases of small networks, for a test; takes seconds
  kAll,    // over a hundred cases
};
std::vector<FootprintCase> FootprintCases(FootprintSet set);

}  // namespace az
