#include "engine/net/checkpoint.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "tests/engine/net/net_testing.h"

namespace az {
namespace {

Weights SomeWeights() {
  WeightsInfo info;
  info.game = "hex5";
  info.game_hash = 0xFEDCBA9876543210u;
  info.iteration = 12;
  info.version = 34;
  return WeightsOf(*testing::TrainedLikeNetwork(testing::SmallShape(), 1), info);
}

TEST(Checkpoint, GivesBackTheNetworkAndItsOrigin) {
  const testing::TemporaryFolder folder;
  const Weights weights = SomeWeights();
  ASSERT_TRUE(SaveWeights(folder / "w", weights));
  const Result<Weights> loaded = LoadWeightsFor(folder / "w", testing::SmallShape(), "hex5");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->info.shape, testing::SmallShape());
  EXPECT_EQ(loaded->info.game_hash, 0xFEDCBA9876543210u);
  EXPECT_EQ(loaded->info.iteration, 12u);
  EXPECT_EQ(loaded->info.version, 34u);

  torch::manual_seed(9);
  Network other(testing::SmallShape());
  ASSERT_TRUE(ApplyWeights(*loaded, *other));
  const Weights again = WeightsOf(*other, {});
  ASSERT_EQ(again.tensors.size(), weights.tensors.size());
  for (const NamedTensor& item : weights.tensors) {
    EXPECT_TRUE(again.Get(item.name).equal(item.tensor)) << item.name;
  }
}

TEST(Checkpoint, HoldsACopyThatTrainingDoesNotTouch) {
  Network network = testing::TrainedLikeNetwork(testing::SmallShape(), 2);
  const Weights weights = WeightsOf(*network, {});
  const at::Tensor before = weights.Get("stem.conv.weight").clone();
  {
    const at::NoGradGuard no_grad;
    for (at::Tensor& p : network->parameters()) p.zero_();
  }
  EXPECT_TRUE(weights.Get("stem.conv.weight").equal(before));
}

TEST(Checkpoint, ExpectsExactlyTheTensorsOfTheModule) {
  const Weights pooling = WeightsOf(*testing::TrainedLikeNetwork(testing::PoolingShape(), 3), {});
  for (const Weights& weights : {SomeWeights(), pooling}) {
    ASSERT_TRUE(ValidateWeights(weights));
    for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
      Weights without = weights;
      without.tensors.erase(without.tensors.begin() + static_cast<std::ptrdiff_t>(i));
      const Result<void> valid = ValidateWeights(without);
      ASSERT_FALSE(valid) << weights.tensors[i].name;
      EXPECT_EQ(valid.error().code, Errc::kIncompatible);
      EXPECT_NE(valid.error().message.find(weights.tensors[i].name), std::string::npos);
    }
  }
}

// Files from before there were pooling blocks have no such key, and files without such blocks do
// not get one.
TEST(Checkpoint, PoolingIsInTheMetadataOnlyWhereThereIsSome) {
  const testing::TemporaryFolder folder;
  const auto key = [](const Weights& weights) {
    return MetadataOf(weights.info).contains("net.global_pool_every");
  };
  EXPECT_FALSE(key(SomeWeights()));
  Network network = testing::TrainedLikeNetwork(testing::PoolingShape(), 5);
  const Weights pooling = WeightsOf(*network, {.game = "hex5"});
  EXPECT_TRUE(key(pooling));
  ASSERT_TRUE(SaveWeights(folder / "w", pooling));
  const Result<Weights> loaded = LoadWeightsFor(folder / "w", testing::PoolingShape(), "hex5");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(ApplyWeights(*loaded, *network));
  EXPECT_EQ(LoadWeightsFor(folder / "w", testing::SmallShape(), "hex5").error().code,
            Errc::kIncompatible);
}

TEST(Checkpoint, RefusesAnotherGameOrNetworkAndTellsBoth) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(SaveWeights(folder / "w", SomeWeights()));
  const Result<Weights> game = LoadWeightsFor(folder / "w", testing::SmallShape(), "hex7");
  ASSERT_FALSE(game);
  EXPECT_EQ(game.error().code, Errc::kIncompatible);
  EXPECT_NE(game.error().message.find("hex5"), std::string::npos);
  EXPECT_NE(game.error().message.find("hex7"), std::string::npos);

  NetShape wider = testing::SmallShape();
  wider.filters = 48;
  const Result<Weights> shape = LoadWeightsFor(folder / "w", wider, "hex5");
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error().code, Errc::kIncompatible);
  EXPECT_NE(shape.error().message.find("filters 16"), std::string::npos);
  EXPECT_NE(shape.error().message.find("filters 48"), std::string::npos);
}

TEST(Checkpoint, TakesAnotherNetworkOfTheSameRowsWhereThatIsAllowed) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(SaveWeights(folder / "w", SomeWeights()));
  NetShape wanted = testing::SmallShape();
  wanted.filters = 48;
  wanted.res_blocks += 1;
  const Result<Weights> loaded = LoadWeightsFor(folder / "w", wanted, "hex5", true);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->info.shape, testing::SmallShape());
  wanted.actions += 1;
  const Result<Weights> refused = LoadWeightsFor(folder / "w", wanted, "hex5", true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kIncompatible);
}

TEST(Checkpoint, RefusesWeightsThatAreNotFinite) {
  const testing::TemporaryFolder folder;
  Weights weights = SomeWeights();
  weights.tensors[3].tensor.view(-1)[0] = std::numeric_limits<float>::quiet_NaN();
  const Result<void> saved = SaveWeights(folder / "w", weights);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, Errc::kNotFinite);
}

TEST(Checkpoint, RefusesFilesOfAnotherKindOrFormat) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(WriteSafetensors(folder / "a", SomeWeights().tensors, {}));
  EXPECT_EQ(LoadWeights(folder / "a").error().code, Errc::kIncompatible);
  ASSERT_TRUE(WriteSafetensors(folder / "b", SomeWeights().tensors, {{"format", "99"}}));
  const Result<Weights> newer = LoadWeights(folder / "b");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, Errc::kIncompatible);
  EXPECT_NE(newer.error().message.find("99"), std::string::npos);
}

}  // namespace
}  // namespace az
