#include "engine/net/inference_device.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/net/checkpoint.h"
#include "engine/net/cuda_device.h"
#include "tests/engine/net/net_testing.h"

namespace az {
namespace {

InferenceDeviceOptions Options() {
  InferenceDeviceOptions options;
  options.shape = testing::SmallShape();
  options.game = "toy";
  return options;
}

// Publishes weights and runs one row; on a GPU twice, so that a captured graph is replayed.
void ExpectAnswers(InferenceDevice& device) {
  const testing::TemporaryFolder folder;
  WeightsInfo info;
  info.game = "toy";
  const Weights weights = WeightsOf(*testing::TrainedLikeNetwork(testing::SmallShape(), 1), info);
  ASSERT_TRUE(SaveWeights(folder / "w", weights));
  ASSERT_TRUE(device.Load(kBestModel, folder / "w", 3));
  auto runner = device.MakeRunner(8);
  ASSERT_TRUE(runner) << runner.error().message;
  const std::array<std::uint64_t, 3> planes = {5, 6, 7};
  for (int round = 0; round < 2; ++round) {
    std::vector<float> logits(21, NAN);
    float value = NAN;
    const BlockView block{planes.data(), logits.data(), &value, 1};
    const Result<WeightsVersion> version = (*runner)->Launch(kBestModel, 8, {&block, 1});
    ASSERT_TRUE(version) << version.error().message;
    EXPECT_EQ(*version, 3u);
    ASSERT_TRUE((*runner)->Finish());
    EXPECT_TRUE(std::abs(value) <= 1.0f);
    for (const float logit : logits) EXPECT_TRUE(std::isfinite(logit));
  }
  const BlockView none{planes.data(), nullptr, nullptr, 1};
  EXPECT_EQ((*runner)->Launch(kBestModel, 9, {&none, 1}).error().code, Errc::kInvalid);
  device.Unload(kBestModel);
  EXPECT_EQ((*runner)->Launch(kBestModel, 8, {&none, 1}).error().code, Errc::kNoModel);
}

TEST(InferenceDevice, RunsOnTheCpu) {
  auto device = InferenceDevice::Open("cpu", Options());
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_FALSE((*device)->is_asynchronous());
  EXPECT_EQ((*device)->Describe().substr(0, 3), "cpu");
  ExpectAnswers(**device);
}

TEST(InferenceDevice, RunsOnAGpu) {
  if (CudaDeviceCount() == 0) GTEST_SKIP() << "no GPU, or a build without CUDA parts";
  auto device = InferenceDevice::Open("cuda:0", Options());
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_TRUE((*device)->is_asynchronous());
  ExpectAnswers(**device);
}

TEST(InferenceDevice, RefusesWhatIsNotThere) {
  EXPECT_EQ(InferenceDevice::Open("auto", Options()).error().code, Errc::kInvalid);
  EXPECT_EQ(InferenceDevice::Open("tpu", Options()).error().code, Errc::kInvalid);
  EXPECT_EQ(InferenceDevice::Open("cuda:x", Options()).error().code, Errc::kInvalid);
  EXPECT_EQ(InferenceDevice::Open("cuda:99", Options()).error().code, Errc::kUnavailable);
  InferenceDeviceOptions bad = Options();
  bad.shape.filters = 0;
  EXPECT_EQ(InferenceDevice::Open("cpu", bad).error().code, Errc::kInvalid);
}

}  // namespace
}  // namespace az
