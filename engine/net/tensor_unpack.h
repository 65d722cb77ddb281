#pragma once
// From bit planes to the numbers a network reads, by tensor operations: on whatever device the bits
// are, so that a copy to a GPU carries bits. plane_unpack.h does the same in host memory.

#include <ATen/core/Tensor.h>

#include "games/game.h"

namespace az {

// What UnpackBits shifts by: int64 [64], 0, 1, 2, … A captured graph may not make it itself.
at::Tensor BitShifts(at::Device device);

// `bits`: int64 [rows, shape.words()], `shifts` of its device. Returns 0 and 1 as `type`, [rows,
// planes, board rows, board cols] in channels-last memory. Bits beyond the board are ignored.
at::Tensor UnpackBits(const at::Tensor& bits, const at::Tensor& shifts, const PlaneShape& shape,
                      at::ScalarType type);

}  // namespace az
