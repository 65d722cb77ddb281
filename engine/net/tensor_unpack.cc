#include "engine/net/tensor_unpack.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/bitwise_right_shift.h>

namespace az {

at::Tensor BitShifts(at::Device device) {
  return at::arange(64, at::TensorOptions(at::kLong)).to(device);
}

at::Tensor UnpackBits(const at::Tensor& bits, const at::Tensor& shifts, const PlaneShape& shape,
                      at::ScalarType type) {
  const std::int64_t rows = bits.size(0);
  const at::Tensor words = bits.view({rows, shape.planes, shape.words_per_plane(), 1});
  return at::bitwise_right_shift(words, shifts)
      .bitwise_and_(1)
      .view({rows, shape.planes, shape.words_per_plane() * 64})
      .narrow(2, 0, shape.cells())
      .reshape({rows, shape.planes, shape.rows, shape.cols})
      .to(at::TensorOptions(type), false, false, at::MemoryFormat::ChannelsLast);
}

}  // namespace az
