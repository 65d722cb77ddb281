#include "mcts/symmetry.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/rng.h"
#include "games/registry.h"
#include "tests/mcts/support/drive.h"

namespace az {
namespace {

template <GameState S>
std::vector<std::uint64_t> Planes(const S& state) {
  std::vector<std::uint64_t> planes(static_cast<std::size_t>(S::kShape.words()));
  state.Encode(planes);
  return planes;
}

// Playing the images of a game's actions gives the image of its planes.
template <GameState S>
void ExpectImagesAgree() {
  const SymmetryTable<S>& table = SymmetryTable<S>::Get();
  for (int symmetry = 0; symmetry < S::kNumSymmetries; ++symmetry) {
    Rng rng(9);
    S state;
    S image;
    while (!state.Result().has_value()) {
      std::vector<std::uint64_t> mapped(Planes(state).size(), ~std::uint64_t{0});
      table.MapPlanes(Planes(state), symmetry, mapped);
      ASSERT_EQ(mapped, Planes(image)) << S::kName << " symmetry " << symmetry;
      const auto legal = state.LegalActions();
      const Action a =
          legal.Nth(static_cast<int>(rng.Below(static_cast<std::uint64_t>(legal.Count()))));
      state.Apply(a);
      image.Apply(static_cast<Action>(table.MapAction(Index(a), symmetry)));
    }
  }
}

TEST(SymmetryTable, MapsPlanesAsTheGameDoes) {
  ForEachGame([]<GameState S>() { ExpectImagesAgree<S>(); });
}

TEST(HashedSymmetry, ReachesAllImagesEvenly) {
  std::array<int, 8> counts{};
  for (std::uint64_t hash = 0; hash < 8000; ++hash) {
    ++counts[static_cast<std::size_t>(HashedSymmetry(Mix64(hash), 5, 8))];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

// A network that is itself symmetric must not notice: here a logit is the number of stones around
// the cell.
TEST(Search, GivesTheSameTreeInEveryImageForASymmetricNetwork) {
  const auto answer = [](EvalRow& row) {
    for (int cell = 0; cell < 9; ++cell) {
      const int row_of = cell / 3;
      const int col = cell % 3;
      float logit = 0.0f;
      for (int other = 0; other < 9; ++other) {
        const bool near = std::abs(other / 3 - row_of) + std::abs(other % 3 - col) == 1;
        if (near && (row.planes[0] >> other & 1) != 0) logit += 1.0f;
        if (near && (row.planes[1] >> other & 1) != 0) logit -= 0.25f;
      }
      row.logits[static_cast<std::size_t>(cell)] = logit;
    }
    *row.value = (row.planes[0] & 16) != 0 ? 0.5f : (row.planes[1] & 16) != 0 ? -0.5f : 0.0f;
  };
  SearchOptions options;
  options.symmetry = SymmetryMode::kNone;
  Search<TicTacToe> plain(options, SearchMode::kPlay, 300, 1, {});
  plain.SetRoot(After<TicTacToe>({0, 5}), Rng(1));
  RunSearch(plain, answer);
  options.symmetry = SymmetryMode::kHashed;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Search<TicTacToe> mapped(options, SearchMode::kPlay, 300, seed, {});
    mapped.SetRoot(After<TicTacToe>({0, 5}), Rng(1));
    RunSearch(mapped, answer);
    EXPECT_EQ(mapped.TreeHash(), plain.TreeHash());
  }
  options.symmetry = SymmetryMode::kCanonical;
  EvalCache cache(MiB(1), TicTacToe::kNumActions);
  for (EvalCache* const shared : {static_cast<EvalCache*>(nullptr), &cache}) {
    Search<TicTacToe> mapped(options, SearchMode::kPlay, 300, 1, {.cache = shared});
    mapped.SetRoot(After<TicTacToe>({0, 5}), Rng(1));
    RunSearch(mapped, answer);
    EXPECT_EQ(mapped.TreeHash(), plain.TreeHash()) << (shared != nullptr);
  }
}

// Breadth first over the nine first moves: a corner, an edge, the centre, and nothing else is new.
TEST(CanonicalImages, ShareAnEvaluationAmongMirrorImages) {
  SearchOptions options;
  options.symmetry = SymmetryMode::kCanonical;
  options.c_puct = 100.0f;
  const auto rows_of = [&](int ply) {
    EvalCache cache(MiB(1), TicTacToe::kNumActions);
    Search<TicTacToe> search(options, SearchMode::kPlay, 9, 1, {.cache = &cache});
    search.SetRoot({}, Rng(1), {.ply = ply});
    RunSearch(search, AnswerUniform);
    EXPECT_EQ(search.Report().visits.size(), 9u);
    return search.Report().rows;
  };
  EXPECT_EQ(rows_of(0), 4u);
  EXPECT_EQ(rows_of(8), 10u) << "canonical_plies are over";
}

// Searches that take positions as they are and others share a worker's cache, and not its entries.
TEST(PlainImages, AndDrawnOnesDoNotAnswerForEachOther) {
  const auto run = [&]<GameState S>(SymmetryMode symmetry, EvalCache* cache) {
    SearchOptions options;
    options.symmetry = symmetry;
    Search<S> search(options, SearchMode::kPlay, 200, 1, {.cache = cache});
    search.SetRoot({}, Rng(1));
    RunSearch(search, AnswerByHash);
    return search.TreeHash();
  };
  ForEachGame([&]<GameState S>() {
    if (S::kNumActions > 64 || S::kNumSymmetries == 1) return;
    constexpr SymmetryMode kModes[] = {SymmetryMode::kNone, SymmetryMode::kHashed};
    for (const SymmetryMode first : kModes) {
      EvalCache cache(MiB(4), S::kNumActions);
      run.template operator()<S>(first, &cache);
      for (const SymmetryMode then : kModes) {
        EXPECT_EQ(run.template operator()<S>(then, &cache),
                  run.template operator()<S>(then, nullptr))
            << S::kName;
      }
    }
  });
}

// A network that is not symmetric: what a mirror image stored is what a fresh answer would give.
TEST(CanonicalImages, TheCacheDoesNotMatter) {
  SearchOptions options;
  options.symmetry = SymmetryMode::kCanonical;
  options.canonical_plies = 100;
  const auto run = [&]<GameState S>(EvalCache* cache) {
    Search<S> search(options, SearchMode::kPlay, 400, 1, {.cache = cache});
    search.SetRoot({}, Rng(1));
    RunSearch(search, AnswerByHash);
    return search.TreeHash();
  };
  ForEachGame([&]<GameState S>() {
    if (S::kNumActions > 64) return;
    EvalCache cache(MiB(4), S::kNumActions);
    EXPECT_EQ(run.template operator()<S>(&cache), run.template operator()<S>(nullptr)) << S::kName;
  });
}

}  // namespace
}  // namespace az
