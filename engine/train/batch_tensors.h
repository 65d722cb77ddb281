#pragma once
// From the plain arrays of engine/data to the tensors of a training step.

#include <ATen/core/Tensor.h>

#include "engine/data/batch_assembly.h"
#include "engine/train/learner.h"

namespace az {

// The rows of `batch` for a learner of this input type and device. `batch` must stay as it is while
// the rows are used: on a CPU the targets are read in place. Rows may be cut by several threads at
// the same time.
StepRows RowsOf(const TrainBatch& batch, at::ScalarType type, at::Device device);

}  // namespace az
