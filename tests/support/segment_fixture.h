#pragma once
// A segment of small numbers, and rows that tell whether their answers are right.

#include <memory>

#include "engine/ipc/evaluator.h"
#include "engine/ipc/segment.h"
#include "tests/support/fake_runner.h"

namespace az::fakes {

inline constexpr std::uint64_t kTestGame = 0xA1;

inline SegmentSpec TestSpec(std::uint32_t lanes) {
  return {
      .shape =
          {.lanes = lanes, .blocks = 4, .rows = 8, .in_words = 3, .num_actions = 5, .models = 2},
      .game_hash = kTestGame,
      .run_id = {{1, 2, 3}}};
}

inline std::unique_ptr<Segment> MakeSegment(const SegmentSpec& spec) {
  auto segment = Segment::Create(spec);
  AZ_CHECK(segment.has_value()) << segment.error().message;
  return *std::move(segment);
}

// A network that fits the segment, version 1 in slot 0, version 2 in slot 1.
inline std::unique_ptr<FakeNetwork> MakeNetwork(const SegmentShape& shape) {
  auto network = std::make_unique<FakeNetwork>();
  network->words = static_cast<int>(shape.in_words);
  network->actions = static_cast<int>(shape.num_actions);
  network->versions[0] = 1;
  network->versions[1] = 2;
  return network;
}

// Rows that no other (seed, row) shares.
inline void FillRows(EvalBatch& batch, std::uint64_t seed) {
  for (int r = 0; r < batch.rows(); ++r) {
    const EvalRow row = batch.row(r);
    for (std::size_t w = 0; w < row.planes.size(); ++w) {
      row.planes[w] = HashCombine(HashCombine(seed, static_cast<std::uint64_t>(r)), w);
    }
  }
}

// Rows of an answered batch that are not what the network says of FillRows(seed).
inline int WrongRows(const EvalBatch& batch, std::uint64_t seed) {
  int wrong = 0;
  std::vector<std::uint64_t> planes;
  for (int r = 0; r < batch.rows(); ++r) {
    const EvalRow row = batch.row(r);
    planes.resize(row.planes.size());
    for (std::size_t w = 0; w < planes.size(); ++w) {
      planes[w] = HashCombine(HashCombine(seed, static_cast<std::uint64_t>(r)), w);
    }
    const std::uint64_t hash = RowHash(planes, batch.version());
    bool right = *row.value == FakeValue(hash);
    for (std::size_t a = 0; a < row.logits.size(); ++a)
      right &= row.logits[a] == FakeLogit(hash, a);
    wrong += !right;
  }
  return wrong;
}

}  // namespace az::fakes
