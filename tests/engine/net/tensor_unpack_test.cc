#include "engine/net/tensor_unpack.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/rng.h"
#include "engine/net/plane_unpack.h"

namespace az {
namespace {

constexpr int kRows = 5;

// Random words, so with bits beyond the board too.
at::Tensor RandomBits(const PlaneShape& shape) {
  const at::Tensor bits = at::empty({kRows, shape.words()}, at::kLong);
  Rng rng(3);
  for (std::int64_t i = 0; i < bits.numel(); ++i) {
    const std::uint64_t word = rng.Next();
    std::memcpy(bits.data_ptr<std::int64_t>() + i, &word, sizeof(word));
  }
  return bits;
}

// [row][cell][plane] as the host unpacks them.
template <class T>
std::vector<T> OnHost(const at::Tensor& bits, const PlaneShape& shape, T one) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(bits.numel()));
  std::memcpy(words.data(), bits.const_data_ptr(), words.size() * sizeof(std::uint64_t));
  std::vector<T> numbers(static_cast<std::size_t>(kRows * shape.cells() * shape.planes));
  UnpackPlanes<T>(words.data(), kRows, shape, {numbers.data(), one, shape.planes});
  return numbers;
}

TEST(UnpackBits, IsWhatTheHostUnpacks) {
  for (const PlaneShape& shape :
       {PlaneShape{4, 5, 5}, PlaneShape{3, 8, 8}, PlaneShape{7, 9, 9}, PlaneShape{2, 6, 7}}) {
    const at::Tensor bits = RandomBits(shape);
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
      const at::Tensor planes = UnpackBits(bits, BitShifts(at::kCPU), shape, type);
      EXPECT_TRUE(planes.is_contiguous(at::MemoryFormat::ChannelsLast));
      const at::Tensor numbers = planes.permute({0, 2, 3, 1}).to(at::kFloat).contiguous();
      const std::vector<float> got(numbers.const_data_ptr<float>(),
                                   numbers.const_data_ptr<float>() + numbers.numel());
      EXPECT_EQ(got, OnHost(bits, shape, 1.0f)) << shape.rows << "x" << shape.cols;
    }
  }
}

}  // namespace
}  // namespace az
