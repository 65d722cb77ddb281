#pragma once
// What the tests of batch assembly share.

#include <gtest/gtest.h>

#include <cstdint>
#include <span>

#include "engine/data/batch_assembly.h"

namespace az {

inline GameId Id(std::uint32_t index) { return GameId::Make(GameKind::kSelfPlay, 2, index); }

inline TrainBatch Assembled(const GameOps& ops, const PositionStore& store,
                            std::span<const Sample> samples, BatchOptions options = {}) {
  TrainBatch batch;
  BatchAssembler assembler(ops, options);
  const Result<void> result = assembler.Assemble(store, samples, batch);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return batch;
}

inline const BatchOptions kAllTargets{.heads = {.opponent = true, .short_term = true}};

}  // namespace az
