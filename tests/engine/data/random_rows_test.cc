#include "engine/data/random_rows.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(RandomPlanes, FillTheBoardAndNothingBehindIt) {
  for (const PlaneShape shape : {PlaneShape{2, 5, 5}, PlaneShape{3, 8, 8}, PlaneShape{5, 9, 9}}) {
    Rng rng(1);
    constexpr int kRows = 200;
    const std::vector<std::uint64_t> words = RandomPlanes(shape, kRows, rng);
    const auto a_plane = static_cast<std::size_t>(shape.words_per_plane());
    ASSERT_EQ(words.size(), static_cast<std::size_t>(kRows * shape.words()));
    for (int bit = 0; bit < 64 * shape.words_per_plane(); ++bit) {
      int set = 0;
      for (std::size_t at = 0; at < words.size(); at += a_plane) {
        set += static_cast<int>(words[at + static_cast<std::size_t>(bit / 64)] >> (bit % 64) & 1);
      }
      if (bit < shape.cells()) {
        EXPECT_GT(set, 0) << bit;
      } else {
        EXPECT_EQ(set, 0) << bit;
      }
    }
  }
}

TEST(RandomTrainBatch, HoldsWholeRows) {
  Rng rng(1);
  const TrainBatch batch = RandomTrainBatch({2, 5, 5}, 25, 40, rng);
  EXPECT_EQ(batch.planes.size(), 80u);
  EXPECT_EQ(batch.policy.size(), 1000u);
  EXPECT_EQ(batch.legal.size(), 1000u);
  EXPECT_EQ(batch.policy_weight, std::vector<float>(40, 1.0f));
  ASSERT_EQ(batch.value_class.size(), 40u);
  ASSERT_EQ(batch.root_value.size(), 40u);
  std::vector<int> classes(3);
  for (const std::int64_t value_class : batch.value_class) {
    ++classes.at(static_cast<std::size_t>(value_class));
  }
  for (const int count : classes) EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace az
