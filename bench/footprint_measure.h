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
  int checkpoint_blocks = 0;                 // training
  NetKernels kernels = NetKernels::kOnednn;  // inference
};

// One number of a case: what was traced beside what was predicted.
struct FootprintFigure {
  const char* phase;  // "train state", "train step", "optimizer", "inference weights", "forward"
  Bytes traced;
  Bytes predicted;
  // Taken from the system at most, and what is planned for: predicted with slack. 0: not compared.
  Bytes reserved;
  Bytes planned;
  double error() const {  // signed, of the traced bytes
    return (static_cast<double>(predicted.count()) - static_cast<double>(traced.count())) /
           static_cast<double>(traced.count());
  }
};

// Builds the network, runs it a few times and gives its figures. kUnavailable: this processor
// cannot run the case (direct kernels). REQUIRES: InstallCappedCpuAllocator was called; no other
// thread uses LibTorch.
Result<std::vector<FootprintFigure>> TraceFootprint(const FootprintCase& wanted);

enum class FootprintSet : std::uint8_t {
  kSmall,  // some thirty cases of small networks, for a test: seconds
  kAll,    // over a hundred
};
std::vector<FootprintCase> FootprintCases(FootprintSet set);

}  // namespace az
