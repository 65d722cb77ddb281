#include "engine/train/batch_tensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <cstdint>

#include "base/check.h"
#include "engine/net/plane_unpack.h"
#include "engine/net/tensor_unpack.h"

namespace az {
namespace {

constexpr std::uint16_t kOneBf16 = 0x3F80;

const std::uint64_t* BitsOf(const TrainBatch& batch, int first) {
  return batch.planes.data() +
         static_cast<std::size_t>(first) * static_cast<std::size_t>(batch.shape.words());
}

// [rows, planes, board rows, board cols], channels-last, in host memory.
at::Tensor PlanesOnHost(const TrainBatch& batch, int first, int rows, at::ScalarType type) {
  const PlaneShape& shape = batch.shape;
  const std::int64_t channels = shape.planes;
  at::Tensor planes = at::empty({rows, shape.rows, shape.cols, channels}, type);
  const std::uint64_t* bits = BitsOf(batch, first);
  if (type == at::kBFloat16) {
    UnpackPlanes<std::uint16_t>(
        bits, rows, shape,
        {reinterpret_cast<std::uint16_t*>(planes.data_ptr()), kOneBf16, shape.planes});
  } else {
    AZ_CHECK(type == at::kFloat);
    UnpackPlanes<float>(bits, rows, shape, {planes.data_ptr<float>(), 1.0f, shape.planes});
  }
  return planes.permute({0, 3, 1, 2});
}

// The same on another device: bits are copied there, not numbers.
at::Tensor PlanesOnDevice(const TrainBatch& batch, int first, int rows, at::ScalarType type,
                          at::Device device) {
  const at::Tensor bits = at::from_blob(const_cast<std::uint64_t*>(BitsOf(batch, first)),
                                        {rows, batch.shape.words()}, at::kLong);
  return UnpackBits(bits.to(device), BitShifts(device), batch.shape, type);
}

// Rows [first, first + rows) of an array of `width` numbers a row, not copied. LibTorch has no
// tensors of const data; nothing writes to these.
template <class T>
at::Tensor View(const std::vector<T>& array, int first, std::vector<std::int64_t> sizes,
                at::ScalarType type) {
  std::int64_t width = 1;
  for (std::size_t i = 1; i < sizes.size(); ++i) width *= sizes[i];
  T* data = const_cast<T*>(array.data()) + first * width;
  return at::from_blob(data, sizes, type);
}

}  // namespace

StepRows RowsOf(const TrainBatch& batch, at::ScalarType type, at::Device device) {
  StepRows result;
  result.rows = batch.rows;
  for (int row = 0; row < batch.rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    result.policy_weight += batch.policy_weight[at];
    if (batch.has.opponent) result.opponent_weight += batch.opponent_weight[at];
  }
  result.cut = [&batch, type, device](int first, int rows) {
    AZ_CHECK(first >= 0 && rows > 0 && first + rows <= batch.rows);
    const std::int64_t n = rows;
    const std::int64_t actions = batch.actions;
    MicroBatch micro;
    micro.planes = device.is_cpu() ? PlanesOnHost(batch, first, rows, type)
                                   : PlanesOnDevice(batch, first, rows, type, device);
    LossTargets& targets = micro.targets;
    targets.policy = View(batch.policy, first, {n, actions}, at::kFloat).to(device);
    targets.legal = View(batch.legal, first, {n, actions}, at::kBool).to(device);
    targets.policy_weight = View(batch.policy_weight, first, {n}, at::kFloat).to(device);
    targets.outcome = batch.has_shares
                          ? View(batch.value_shares, first, {n, 3}, at::kFloat).to(device)
                          : View(batch.value_class, first, {n}, at::kLong).to(device);
    targets.root_value = View(batch.root_value, first, {n}, at::kFloat).to(device);
    if (batch.has.opponent) {
      targets.opponent = View(batch.opponent, first, {n, actions}, at::kFloat).to(device);
      targets.opponent_weight = View(batch.opponent_weight, first, {n}, at::kFloat).to(device);
    }
    if (batch.has.short_term) {
      targets.short_term = View(batch.short_term, first, {n}, at::kFloat).to(device);
    }
    return micro;
  };
  return result;
}

}  // namespace az
