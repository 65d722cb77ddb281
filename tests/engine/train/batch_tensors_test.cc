#include "engine/train/batch_tensors.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <vector>

#include "engine/data/replay_window.h"
#include "games/registry.h"
#include "tests/engine/data/random_games.h"

namespace az {
namespace {

// Rows of random Hex 5x5 games, and the positions they were made of.
class BatchTensorsTest : public ::testing::Test {
 protected:
  BatchTensorsTest() : game_(*FindGame("hex5").value()) {
    for (std::uint32_t i = 0; i < 5; ++i) {
      store_.Add(PackedGame(RandomGame(game_, GameId::Make(GameKind::kSelfPlay, 0, i), 0.5)));
    }
    store_.Settle();
    Rng rng(4);
    samples_.resize(20);
    store_.Draw({0, store_.positions()}, game_.info().num_symmetries, rng, samples_);
    BatchAssembler assembler(game_, {.heads = {.opponent = true, .short_term = true}});
    AZ_CHECK(assembler.Assemble(store_, samples_, batch_).has_value());
  }

  const GameOps& game_;
  PositionStore store_;
  std::vector<Sample> samples_;
  TrainBatch batch_;
};

TEST_F(BatchTensorsTest, PlanesHoldTheBitsOfTheRows) {
  const StepRows rows = RowsOf(batch_, torch::kFloat, torch::kCPU);
  EXPECT_EQ(rows.rows, 20);
  EXPECT_EQ(rows.policy_weight, 20);
  const MicroBatch micro = rows.cut(7, 5);
  EXPECT_TRUE(micro.planes.is_contiguous(torch::MemoryFormat::ChannelsLast));
  const PlaneShape& shape = batch_.shape;
  for (int row = 0; row < 5; ++row) {
    for (int plane = 0; plane < shape.planes; ++plane) {
      for (int cell = 0; cell < shape.cells(); ++cell) {
        const std::size_t word = static_cast<std::size_t>((7 + row) * shape.words() + plane);
        const float bit = static_cast<float>(batch_.planes[word] >> cell & 1);
        ASSERT_EQ(micro.planes[row][plane][cell / shape.cols][cell % shape.cols].item<float>(),
                  bit);
      }
    }
  }
}

TEST_F(BatchTensorsTest, TargetsAreThoseOfTheRows) {
  const LossTargets targets = RowsOf(batch_, torch::kFloat, torch::kCPU).cut(3, 4).targets;
  for (int row = 0; row < 4; ++row) {
    const std::size_t at = static_cast<std::size_t>(3 + row);
    EXPECT_NEAR(targets.policy[row].sum().item<float>(), 1.0f, 1e-5f);
    EXPECT_EQ(targets.outcome[row].item<std::int64_t>(), batch_.value_class[at]);
    EXPECT_EQ(targets.root_value[row].item<float>(), batch_.root_value[at]);
    EXPECT_EQ(targets.policy_weight[row].item<float>(), batch_.policy_weight[at]);
    EXPECT_EQ(targets.opponent_weight[row].item<float>(), batch_.opponent_weight[at]);
    EXPECT_EQ(targets.short_term[row].item<float>(), batch_.short_term[at]);
    for (int action = 0; action < batch_.actions; ++action) {
      const std::size_t entry = at * 25 + static_cast<std::size_t>(action);
      EXPECT_EQ(targets.policy[row][action].item<float>(), batch_.policy[entry]);
      EXPECT_EQ(targets.opponent[row][action].item<float>(), batch_.opponent[entry]);
      EXPECT_EQ(targets.legal[row][action].item<bool>(), batch_.legal[entry] == 1);
    }
  }
}

TEST_F(BatchTensorsTest, TargetsThatNobodyAskedForAreNotThere) {
  TrainBatch batch;
  ASSERT_TRUE(BatchAssembler(game_, {}).Assemble(store_, samples_, batch));
  const StepRows rows = RowsOf(batch, torch::kFloat, torch::kCPU);
  const LossTargets targets = rows.cut(0, 20).targets;
  EXPECT_EQ(rows.opponent_weight, 0.0);
  EXPECT_FALSE(targets.opponent.defined());
  EXPECT_FALSE(targets.opponent_weight.defined());
  EXPECT_FALSE(targets.short_term.defined());
}

TEST_F(BatchTensorsTest, Bf16PlanesAreTheSameBits) {
  const torch::Tensor exact = RowsOf(batch_, torch::kFloat, torch::kCPU).cut(0, 20).planes;
  const torch::Tensor rounded = RowsOf(batch_, torch::kBFloat16, torch::kCPU).cut(0, 20).planes;
  EXPECT_EQ(rounded.scalar_type(), torch::kBFloat16);
  EXPECT_TRUE(rounded.to(torch::kFloat).equal(exact));
}

}  // namespace
}  // namespace az
