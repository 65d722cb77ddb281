#include "engine/data/random_rows.h"

namespace az {

void FillRandomPlanes(const PlaneShape& shape, Rng& rng, std::span<std::uint64_t> words) {
  const auto words_a_plane = static_cast<std::size_t>(shape.words_per_plane());
  const int tail = shape.cells() % 64;
  const std::uint64_t last = tail == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << tail) - 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = rng.Next() & ((i + 1) % words_a_plane == 0 ? last : ~std::uint64_t{0});
  }
}

std::vector<std::uint64_t> RandomPlanes(const PlaneShape& shape, int rows, Rng& rng) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(rows) *
                                   static_cast<std::size_t>(shape.words()));
  FillRandomPlanes(shape, rng, words);
  return words;
}

TrainBatch RandomTrainBatch(const PlaneShape& shape, int actions, int rows, Rng& rng,
                            const HeadTargets& heads) {
  const auto n = static_cast<std::size_t>(rows);
  const auto cells = n * static_cast<std::size_t>(actions);
  TrainBatch batch{.rows = rows, .actions = actions, .shape = shape};
  batch.planes = RandomPlanes(shape, rows, rng);
  batch.policy.assign(cells, 1.0f / static_cast<float>(actions));
  batch.legal.assign(cells, 1);
  batch.policy_weight.assign(n, 1.0f);
  for (std::size_t i = 0; i < n; ++i) {
    batch.value_class.push_back(static_cast<std::int64_t>(rng.Below(3)));
    batch.root_value.push_back(static_cast<float>(rng.Uniform()));
  }
  batch.has = heads;
  if (heads.opponent) {
    batch.opponent = batch.policy;
    batch.opponent_weight = batch.policy_weight;
  }
  if (heads.short_term) batch.short_term = batch.root_value;
  return batch;
}

}  // namespace az
