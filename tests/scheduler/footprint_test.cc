#include "scheduler/footprint.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/scheduler/plan_testing.h"

namespace az {
namespace {

// The shape of configs/5x5.yaml.
NetShape Hex128x8() { return testing::Hex5x5().net; }

TEST(Footprint, CountsASmallNetworkAsAHandDoes) {
  const NetShape shape = {.planes = 2,
                          .rows = 3,
                          .cols = 3,
                          .actions = 9,
                          .filters = 4,
                          .res_blocks = 1,
                          .heads = 0,
                          .attention_blocks = 0,
                          .policy_filters = 2,
                          .value_filters = 3,
                          .value_hidden = 5};
  // stem 2*4*9+8 = 80; block 2*(4*4*9+8) = 304; policy conv 4*2+4 = 12, linear 18*9+9 = 171;
  // value conv 4*3+6 = 18, linear 27*5+5 = 140, linear 5*3+3 = 18.
  EXPECT_EQ(ParameterCount(shape), 80 + 304 + 12 + 171 + 18 + 140 + 18);
  EXPECT_EQ(RunningStatCount(shape), 2 * (4 + 2 * 4 + 2 + 3));
  EXPECT_EQ(LargestTensorCount(shape), 2 * 9 * 9);
  // multiply-adds: convs 9*(9*2*4 + 2*9*16 + 4*5), heads 162 + 135 + 15
  EXPECT_EQ(ForwardFlops(shape), 2 * (9 * (72 + 288 + 20) + 162 + 135 + 15));
}

TEST(Footprint, CountsPoolingBlocks) {
  NetShape shape = Hex128x8();
  const std::int64_t without = ParameterCount(shape);
  const std::int64_t plain_flops = ForwardFlops(shape);
  shape.global_pool_every = 3;  // two of eight
  // Instead of 128 inputs the second convolution has 96; the linear layer 64*96 + 96.
  EXPECT_EQ(ParameterCount(shape) - without, 2 * (6240 - 9 * 32 * 128));
  EXPECT_EQ(ForwardFlops(shape) - plain_flops, 2 * 2 * (6144 - 25 * 9 * 32 * 128));
  shape.global_pool_every = 9;
  EXPECT_EQ(ParameterCount(shape), without);
}

TEST(Footprint, CountsAttention) {
  NetShape shape = Hex128x8();
  const std::int64_t with = ParameterCount(shape);
  shape.heads = shape.attention_blocks = 0;
  // norm 256; qkv 128*384+384; out 128*128+128; bias 8*25*25
  EXPECT_EQ(with - ParameterCount(shape), 256 + 49536 + 16512 + 5000);
}

// They cost training alone; what plays does not know of them.
TEST(Footprint, CountsTheHeadsOfTraining) {
  const NetShape plain = Hex128x8();
  NetShape shape = plain;
  shape.opponent_head = true;
  const std::int64_t opponent = ParameterCount(shape) - ParameterCount(plain);
  EXPECT_EQ(opponent, 32 * 25 * 25 + 25);
  shape.short_term_head = true;
  EXPECT_EQ(ParameterCount(shape) - ParameterCount(plain), opponent + 256 + 1);
  EXPECT_EQ(RunningStatCount(shape), RunningStatCount(plain));
  EXPECT_EQ(ForwardFlops(shape), ForwardFlops(plain));
  EXPECT_EQ(DirectStateBytes(shape), DirectStateBytes(plain));
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    for (const CpuUnit unit : {CpuUnit::kVectors, CpuUnit::kTiles}) {
      EXPECT_EQ(InferenceStateBytes(shape, precision, unit),
                InferenceStateBytes(plain, precision, unit));
    }
    EXPECT_EQ(InferenceRowBytes(shape, precision), InferenceRowBytes(plain, precision));
    NetShape small = plain;  // where the heads outweigh the trunk
    small.res_blocks = 1;
    small.heads = small.attention_blocks = 0;
    const Bytes without = TrainingStepBytes(small, precision, 0, 96);
    small.opponent_head = true;
    EXPECT_GT(TrainingStepBytes(small, precision, 0, 96), without);
    EXPECT_GE(TrainingStepBytes(shape, precision, 0, 96),
              TrainingStepBytes(plain, precision, 0, 96));
  }
}

// Traced with the bytes of every allocation (az_bench footprint), LibTorch 2.11.
TEST(Footprint, AgreesWithTracesOfHex128x8) {
  const NetShape shape = Hex128x8();
  EXPECT_NEAR(static_cast<double>(ParameterCount(shape)), 2.67e6, 0.02e6);
  struct Trace {
    Precision precision;
    int checkpoint_blocks;
    int rows;
    double bytes;
  };
  for (const Trace& trace :
       {Trace{Precision::kFp32, 0, 32, 19107264}, Trace{Precision::kFp32, 0, 96, 57276864},
        Trace{Precision::kBf16, 0, 96, 36723264}, Trace{Precision::kFp32, 1, 96, 25310656},
        Trace{Precision::kFp32, 2, 32, 7523088}, Trace{Precision::kBf16, 2, 96, 18273856},
        Trace{Precision::kBf16, 2, 32, 10677004}}) {
    const Bytes predicted =
        TrainingStepBytes(shape, trace.precision, trace.checkpoint_blocks, trace.rows);
    EXPECT_NEAR(static_cast<double>(predicted.count()), trace.bytes, 0.005 * trace.bytes)
        << EnumName(trace.precision) << " " << trace.checkpoint_blocks << " " << trace.rows;
  }
  EXPECT_NEAR(static_cast<double>(DirectStateBytes(shape).count()), 5416720, 20000);
  EXPECT_NEAR(static_cast<double>(DirectScratchBytes(shape, CpuUnit::kVectors).count()), 795072,
              1000);
  // What a checkpoint keeps, and a gradient: 51 MiB.
  const TrainingState state = TrainingStateBytes(shape, Precision::kFp32, 1);
  EXPECT_NEAR(static_cast<double>(state.total().count()) / 1048576, 51, 0.5);
}

// The same on a processor with AMX, where LibTorch packs the attention of boards from 64 cells on.
TEST(Footprint, AgreesWithTracesOfAttentionWithAmx) {
  const NetShape small = {.planes = 17,
                          .rows = 9,
                          .cols = 9,
                          .actions = 82,
                          .filters = 64,
                          .res_blocks = 5,
                          .heads = 4,
                          .attention_blocks = 1};
  NetShape large = small;
  large.filters = 128;
  large.res_blocks = large.heads = 8;
  struct Trace {
    NetShape shape;
    int rows;
    double bytes;
  };
  for (const Trace& trace : {Trace{small, 8, 695456}, Trace{small, 64, 5420064},
                             Trace{small, 256, 21618720}, Trace{large, 256, 43216928}}) {
    const Bytes predicted =
        InferenceBatchBytes(trace.shape, Precision::kBf16, trace.rows, CpuUnit::kTiles);
    EXPECT_NEAR(static_cast<double>(predicted.count()), trace.bytes, 0.006 * trace.bytes)
        << trace.shape.filters << " " << trace.rows;
  }
  EXPECT_NEAR(static_cast<double>(DirectScratchBytes(small, CpuUnit::kTiles).count()), 1816112,
              100);
  // Smaller boards have no more than without it, larger ones more queries at a time.
  NetShape board = small;
  board.rows = board.cols = 7;
  EXPECT_EQ(InferenceBatchBytes(board, Precision::kBf16, 8, CpuUnit::kTiles) + KiB(56),
            InferenceBatchBytes(board, Precision::kBf16, 8, CpuUnit::kVectors));
  board = {.planes = 17,
           .rows = 19,
           .cols = 19,
           .actions = 362,
           .filters = 32,
           .res_blocks = 2,
           .heads = 4,
           .attention_blocks = 1};
  EXPECT_NEAR(
      static_cast<double>(InferenceBatchBytes(board, Precision::kBf16, 8, CpuUnit::kTiles).count()),
      1672464, 0.006 * 1672464);
}

// Weights of hex 5x5 in tiles: the policy's 25 outputs are filled up to 32, in vectors to 64; but
// 48 filters to 64.
TEST(Footprint, AgreesWithTracesOfWeightsInTiles) {
  NetShape shape = {.planes = 2, .filters = 48, .res_blocks = 6};
  const auto bytes = [&](CpuUnit unit) {
    return static_cast<double>(InferenceStateBytes(shape, Precision::kBf16, unit).count());
  };
  EXPECT_NEAR(bytes(CpuUnit::kTiles), 1357970, 0.01 * 1357970);
  shape.filters = 64;
  EXPECT_EQ(bytes(CpuUnit::kVectors) - bytes(CpuUnit::kTiles), 2 * 32 * 25 * 32);
}

TEST(Footprint, CheckpointingSavesOnLargeBatchesAndTheRowIsTheSlope) {
  const NetShape shape = Hex128x8();
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    for (const int k : {0, 1, 2, 3, 100}) {
      const auto step = [&](int rows) { return TrainingStepBytes(shape, precision, k, rows); };
      EXPECT_EQ((step(100001) - step(100000)), TrainingRowBytes(shape, precision, k));
      EXPECT_LE(step(65) - step(64), TrainingRowBytes(shape, precision, k));
    }
    EXPECT_LT(TrainingStepBytes(shape, precision, 2, 512) * 5,
              TrainingStepBytes(shape, precision, 0, 512) * 3);
    EXPECT_EQ(TrainingStepBytes(shape, precision, 100, 512),
              TrainingStepBytes(shape, precision, 0, 512));
  }
}

TEST(Footprint, StatePartsAddUpPerShard) {
  const NetShape shape = Hex128x8();
  const std::int64_t parameters = ParameterCount(shape);
  const TrainingState one = TrainingStateBytes(shape, Precision::kFp32, 1);
  const TrainingState four = TrainingStateBytes(shape, Precision::kFp32, 4);
  EXPECT_EQ(one.total().count(), 20 * parameters + 8 * RunningStatCount(shape));
  EXPECT_EQ(one.saved().count(), 16 * parameters + 8 * RunningStatCount(shape));
  EXPECT_EQ((four.total() - one.total()).count(), 3 * 4 * parameters);
  const TrainingState low = TrainingStateBytes(shape, Precision::kBf16, 4);
  EXPECT_EQ((low.total() - four.total()).count(), (4 * 2 + 4) * parameters);
  EXPECT_EQ(low.saved(), four.saved());
}

// Every count rises, or stays, with every part of the shape: what the planner's monotony rests on.
TEST(Footprint, GrowsWithEveryPartOfTheShape) {
  Rng rng(3);
  for (int round = 0; round < 1000; ++round) {
    NetShape shape;
    const auto draw = [&rng](int low, int high) {
      return low + static_cast<int>(rng.Below(static_cast<std::uint64_t>(high - low + 1)));
    };
    shape = {.planes = draw(2, 20),
             .rows = draw(3, 19),
             .cols = draw(3, 19),
             .actions = draw(2, 400),
             .filters = draw(1, 256),
             .res_blocks = draw(0, 40),
             .global_pool_every = draw(0, 4),
             .heads = draw(0, 8),
             .attention_blocks = 0,
             .policy_filters = draw(1, 64),
             .value_filters = draw(1, 64),
             .value_hidden = draw(1, 512)};
    if (shape.heads > 0) shape.attention_blocks = draw(1, 4);
    NetShape larger = shape;
    int* const parts[] = {&larger.planes,        &larger.rows,        &larger.actions,
                          &larger.filters,       &larger.res_blocks,  &larger.policy_filters,
                          &larger.value_filters, &larger.value_hidden};
    ++*parts[rng.Below(std::size(parts))];
    EXPECT_GE(ParameterCount(larger), ParameterCount(shape));
    EXPECT_GE(RunningStatCount(larger), RunningStatCount(shape));
    EXPECT_GE(LargestTensorCount(larger), LargestTensorCount(shape));
    EXPECT_GE(ForwardFlops(larger), ForwardFlops(shape));
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      EXPECT_GE(TrainingRowBytes(larger, precision), TrainingRowBytes(shape, precision));
      EXPECT_GE(TrainingStepBytes(larger, precision, 0, 64),
                TrainingStepBytes(shape, precision, 0, 64));
      EXPECT_GE(InferenceRowBytes(larger, precision), InferenceRowBytes(shape, precision));
    }
  }
}

}  // namespace
}  // namespace az
