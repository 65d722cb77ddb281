// What each option of the search means, seen from outside: depths, Gumbel root, forced visits,
// pruned targets, rows in flight, early stops.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "games/registry.h"
#include "mcts/policy_target.h"
#include "mcts/search.h"
#include "tests/mcts/support/drive.h"

namespace az {
namespace {

constexpr std::uint64_t kSeed = 29;

template <GameState S>
std::unique_ptr<Search<S>> Searched(const SearchOptions& options, SearchMode mode, int visits,
                                    RootTask task = {}, int rows = 1) {
  auto search = std::make_unique<Search<S>>(options, mode, visits, kSeed, SearchResources{});
  search->SetRoot({}, Rng(kSeed), task);
  RunSearchWithRows(*search, rows, AnswerByHash);
  ExpectConsistent(search->tree());
  return search;
}

TEST(SearchDepth, AFastSearchIsAShortOneWithoutExploration) {
  SearchOptions options;
  options.fast_visits = 30;
  const auto fast = Searched<Hex<5>>(options, SearchMode::kSelfPlay, 200, {SearchDepth::kFast});
  const auto play = Searched<Hex<5>>(options, SearchMode::kPlay, 30);
  EXPECT_EQ(fast->TreeHash(), play->TreeHash());
  EXPECT_EQ(fast->Report().simulations, 30u);
}

TEST(SearchDepth, APolicySearchAsksForTheRootAlone) {
  const auto search = Searched<TicTacToe>({}, SearchMode::kSelfPlay, 200, {SearchDepth::kPolicy});
  const SearchReport report = search->Report();
  EXPECT_EQ(report.rows, 1u);
  EXPECT_EQ(report.simulations, 0u);
  std::array<int, 9> drawn{};
  Rng rng(3);
  constexpr int kDraws = 30'000;
  for (int i = 0; i < kDraws; ++i) {
    ++drawn[static_cast<std::size_t>(Index(search->DrawFromPolicy(rng)))];
  }
  ASSERT_EQ(report.prior.size(), 9u);
  for (std::size_t a = 0; a < 9; ++a) {
    EXPECT_EQ(Index(report.prior[a].action), static_cast<int>(a));
    EXPECT_NEAR(drawn[a] / double{kDraws}, static_cast<double>(report.prior[a].weight), 0.012);
  }
}

TEST(SearchReport, KeepsThePriorsWithoutNoise) {
  const auto noisy = Searched<Hex<5>>({}, SearchMode::kSelfPlay, 40);
  const auto plain = Searched<Hex<5>>({}, SearchMode::kPlay, 40);
  const auto noisy_prior = noisy->Report().prior;
  const auto plain_prior = plain->Report().prior;
  for (std::size_t i = 0; i < 25; ++i) {
    EXPECT_EQ(noisy_prior[i].weight, plain_prior[i].weight);
  }
  EXPECT_NE(noisy->TreeHash(), plain->TreeHash());
}

TEST(ForcedVisits, EveryTriedMoveGetsItsShare) {
  SearchOptions options;
  options.forced_playouts = 2.0f;
  options.target_pruning = true;
  const auto search = Searched<Hex<5>>(options, SearchMode::kSelfPlay, 400);
  const auto plain = Searched<Hex<5>>({}, SearchMode::kSelfPlay, 400);
  const auto shortfall = [](const Tree& tree) {
    double most = 0.0;
    for (const Node& child : tree.Children(tree.root())) {
      if (child.visits == 0) continue;
      const double forced = std::sqrt(2.0 * static_cast<double>(child.prior) * 400.0);
      most = std::max(most, forced - child.visits);
    }
    return most;
  };
  EXPECT_LE(shortfall(search->tree()), 1.0);
  EXPECT_GT(shortfall(plain->tree()), 2.0);
  EXPECT_EQ(search->Report().simulations, 400u);
}

TEST(TargetPruning, TakesForcedVisitsOutOfTheTarget) {
  SearchOptions options;
  options.forced_playouts = 2.0f;
  options.target_pruning = true;
  const auto search = Searched<Hex<5>>(options, SearchMode::kSelfPlay, 400);
  const Tree& tree = search->tree();
  const auto children = tree.Children(tree.root());
  std::vector<double> pruned(children.size());
  PrunedVisits(children, {.exploration = PuctExploration(options, 401), .forced_playouts = 2.0f},
               pruned);
  const double sum = std::accumulate(pruned.begin(), pruned.end(), 0.0);
  EXPECT_LT(sum, 390.0);
  for (const PolicyTarget& target : search->Report().target) {
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (children[i].action != target.action) continue;
      EXPECT_NEAR(static_cast<double>(target.weight), pruned[i] / sum, 1e-6);
    }
  }
}

// The target of a search with stdev scale is pruned by the exploration that chose its visits.
TEST(TargetPruning, FollowsTheStdevScale) {
  SearchOptions options;
  options.forced_playouts = 2.0f;
  options.target_pruning = true;
  options.c_puct_stdev_scale = 0.85f;
  const auto search = Searched<Hex<5>>(options, SearchMode::kSelfPlay, 400);
  const Tree& tree = search->tree();
  const auto children = tree.Children(tree.root());
  const float factor = StdevFactor(tree.root(), tree.squares(kRootNode), 0.85f);
  ASSERT_GT(factor, 1.05f);
  std::vector<double> pruned(children.size());
  PrunedVisits(children,
               {.exploration = PuctExploration(options, 401) * factor, .forced_playouts = 2.0f},
               pruned);
  const double sum = std::accumulate(pruned.begin(), pruned.end(), 0.0);
  ASSERT_FALSE(search->Report().target.empty());
  for (const PolicyTarget& target : search->Report().target) {
    const auto child = std::ranges::find(children, target.action, &Node::action);
    const double expected = pruned[static_cast<std::size_t>(child - children.begin())] / sum;
    EXPECT_NEAR(static_cast<double>(target.weight), expected, 1e-6);
  }
}

// Without a limit all is pruned that the score does not want, forced or not.
TEST(TargetPruning, TakesMoreWithoutALimit) {
  SearchOptions options;
  options.target_pruning = true;
  const auto dropped = [&](PruneLimit limit, float forced) {
    options.prune_limit = limit;
    options.forced_playouts = forced;
    const SearchReport report = Searched<Hex<5>>(options, SearchMode::kSelfPlay, 400)->Report();
    const auto tried_twice = std::ranges::count_if(
        report.visits, [](const auto& visited) { return visited.second > 1; });
    EXPECT_EQ(report.simulations, 400u);
    return tried_twice - static_cast<std::ptrdiff_t>(report.target.size());
  };
  EXPECT_EQ(dropped(PruneLimit::kForced, 0.0f), 0) << "nothing was forced";
  EXPECT_GT(dropped(PruneLimit::kNone, 0.0f), 0);
}

TEST(GumbelRootSearch, VisitsByHalving) {
  SearchOptions options;
  options.root = RootRule::kGumbel;
  const auto search = Searched<Hex<5>>(options, SearchMode::kSelfPlay, 200);
  EXPECT_TRUE(search->HasGumbelRoot());
  std::vector<std::uint32_t> counts;
  for (const auto& [action, visits] : search->Report().visits) counts.push_back(visits);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  EXPECT_EQ(counts,
            (std::vector<std::uint32_t>{49, 49, 21, 21, 9, 9, 9, 9, 3, 3, 3, 3, 3, 3, 3, 3}));
}

TEST(GumbelRootSearch, AWholeRoundInFlightChangesNothing) {
  SearchOptions options;
  options.root = RootRule::kGumbel;
  ForEachGame([&]<GameState S>() {
    if (S::kNumActions > 64) return;
    for (const SearchMode mode : {SearchMode::kPlay, SearchMode::kSelfPlay}) {
      options.max_in_flight = 1;
      const auto one_by_one = Searched<S>(options, mode, 60);
      options.max_in_flight = 16;
      const auto round = Searched<S>(options, mode, 60, {}, 16);
      EXPECT_EQ(round->Report().visits, one_by_one->Report().visits) << S::kName;
      EXPECT_EQ(round->Report().root_value, one_by_one->Report().root_value) << S::kName;
      const auto few_rows = Searched<S>(options, mode, 60, {}, 3);
      EXPECT_EQ(few_rows->Report().visits, one_by_one->Report().visits) << S::kName;
    }
  });
}

// X completes a line in the first round, which visits each of the five moves once.
TEST(GumbelRootSearch, StartsNoRoundAfterAProof) {
  SearchOptions options;
  options.root = RootRule::kGumbel;
  for (const int in_flight : {1, 8}) {
    options.max_in_flight = in_flight;
    Search<TicTacToe> search(options, SearchMode::kPlay, 100, kSeed, {});
    search.SetRoot(After<TicTacToe>({0, 1, 4, 2}), Rng(kSeed));
    RunSearchWithRows(search, in_flight, AnswerByHash);
    EXPECT_EQ(search.Report().proven, 1);
    EXPECT_EQ(search.Report().simulations, 5u);
  }
}

TEST(GumbelRootSearch, TheTargetIsTheImprovedPolicy) {
  SearchOptions options;
  options.root = RootRule::kGumbel;
  const auto search = Searched<Hex<5>>(options, SearchMode::kSelfPlay, 16);
  const SearchReport report = search->Report();
  // Moves without a visit are targets too: their value is the mixed one, which may well be better
  // than that of a move that was tried.
  EXPECT_LE(report.visits.size(), 16u);
  float sum = 0.0f;
  for (const PolicyTarget& target : report.target) sum += target.weight;
  EXPECT_NEAR(sum, 1.0f, 1e-5f);
  EXPECT_GT(report.target.size(), report.visits.size());
}

// c_visit weighs the values against the priors, even when few moves were tried.
TEST(GumbelRootSearch, VisitConstantWeighsTheValues) {
  SearchOptions options;
  options.root = RootRule::kGumbel;
  const auto highest = [&](float c_visit) {
    options.gumbel.c_visit = c_visit;
    const auto search = Searched<Hex<5>>(options, SearchMode::kSelfPlay, 16);
    float most = 0.0f;
    for (const PolicyTarget& target : search->Report().target) {
      most = std::max(most, target.weight);
    }
    return most;
  };
  EXPECT_LT(highest(0.0f), 0.3f);
  EXPECT_GT(highest(1e5f), 0.99f);
}

TEST(GumbelRootSearch, AutoLeavesFastAndLongSearchesToPuct) {
  SearchOptions options;
  options.root = RootRule::kAuto;
  options.fast_visits = 5;
  EXPECT_TRUE(Searched<Hex<5>>(options, SearchMode::kSelfPlay, 32)->HasGumbelRoot());
  EXPECT_FALSE(Searched<Hex<5>>(options, SearchMode::kSelfPlay, 33)->HasGumbelRoot());
  EXPECT_FALSE(
      Searched<Hex<5>>(options, SearchMode::kSelfPlay, 32, {SearchDepth::kFast})->HasGumbelRoot());
}

TEST(GumbelRootSearch, AbandonedRoundsCountNothing) {
  SearchOptions options;
  options.root = RootRule::kGumbel;
  options.max_in_flight = 6;
  const auto plain = Searched<ConnectFour>(options, SearchMode::kSelfPlay, 60, {}, 6);
  Search<ConnectFour> hindered(options, SearchMode::kSelfPlay, 60, kSeed, {});
  hindered.SetRoot({}, Rng(kSeed));
  std::array<OneRow<ConnectFour>, 6> memory;
  std::vector<EvalRow> rows;
  for (auto& one : memory) rows.push_back(one.row());
  for (int i = 0; !hindered.Done(); ++i) {
    const auto gathered = static_cast<std::size_t>(hindered.Gather(rows));
    if (i % 3 == 0) {
      hindered.Abandon();
      continue;
    }
    for (std::size_t row = 0; row < gathered; ++row) AnswerByHash(rows[row]);
    hindered.Absorb(std::span<const EvalRow>(rows).first(gathered));
  }
  EXPECT_EQ(hindered.Report().visits, plain->Report().visits);
  EXPECT_EQ(hindered.Report().root_value, plain->Report().root_value);
}

TEST(InFlight, OneTreeFillsABatchAndCountsEveryVisitOnce) {
  for (const InFlightRule rule : {InFlightRule::kUnobserved, InFlightRule::kVirtualLoss}) {
    SearchOptions options;
    options.max_in_flight = 8;
    options.in_flight_rule = rule;
    Search<Hex<5>> search(options, SearchMode::kPlay, 300, kSeed, {});
    search.SetRoot({}, Rng(kSeed));
    EXPECT_EQ(RunSearchWithRows(search, 8, AnswerByHash), 8);
    EXPECT_EQ(search.tree().root().visits, 301u);
    ExpectConsistent(search.tree());
  }
}

// Waiting rows that count as losses drive the search away from where it is.
TEST(InFlight, LossesSpreadTheVisits) {
  SearchOptions options;
  options.max_in_flight = 8;
  const auto most_visits = [&](InFlightRule rule, float losses) {
    options.in_flight_rule = rule;
    options.virtual_loss = losses;
    const auto search = Searched<Hex<5>>(options, SearchMode::kPlay, 300, {}, 8);
    std::uint32_t most = 0;
    for (const auto& [action, visits] : search->Report().visits) most = std::max(most, visits);
    return most;
  };
  const std::uint32_t unobserved = most_visits(InFlightRule::kUnobserved, 1.0f);
  const std::uint32_t one = most_visits(InFlightRule::kVirtualLoss, 1.0f);
  EXPECT_LT(one, unobserved);
  EXPECT_GT(most_visits(InFlightRule::kVirtualLoss, 0.1f), one);
  EXPECT_EQ(most_visits(InFlightRule::kUnobserved, 20.0f), unobserved) << "of the other rule alone";
}

TEST(InFlight, OneAtATimeIsThePlainSearch) {
  SearchOptions options;
  options.max_in_flight = 8;
  const auto many = Searched<Hex<5>>(options, SearchMode::kPlay, 200, {}, 1);
  const auto plain = Searched<Hex<5>>({}, SearchMode::kPlay, 200);
  EXPECT_EQ(many->TreeHash(), plain->TreeHash());
}

TEST(StopWhenDecided, ChoosesTheSameMoveSooner) {
  SearchOptions options;
  int saved = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto run = [&](bool stop, SearchMode mode) {
      options.stop_when_decided = stop;
      auto search =
          std::make_unique<Search<ConnectFour>>(options, mode, 100, seed, SearchResources{});
      ConnectFour state;
      state.Apply(static_cast<Action>(seed % 7));
      search->SetRoot(state, Rng(seed));
      RunSearch(*search, AnswerByHash);
      return search;
    };
    const auto stopped = run(true, SearchMode::kPlay);
    const auto full = run(false, SearchMode::kPlay);
    Rng rng(1);
    EXPECT_EQ(stopped->ChooseMove(0.0f, rng), full->ChooseMove(0.0f, rng));
    saved += static_cast<int>(full->Report().simulations - stopped->Report().simulations);
    EXPECT_EQ(run(true, SearchMode::kSelfPlay)->Report().simulations, 100u) << "bends no target";
  }
  EXPECT_GT(saved, 0);
}

TEST(StdevScale, ChangesTheSearchAndKeepsItsSums) {
  SearchOptions options;
  options.c_puct_stdev_scale = 0.85f;
  const auto scaled = Searched<Hex<5>>(options, SearchMode::kPlay, 300);
  const auto plain = Searched<Hex<5>>({}, SearchMode::kPlay, 300);
  EXPECT_NE(scaled->TreeHash(), plain->TreeHash());
  EXPECT_GT(scaled->memory(), plain->memory());
}

TEST(StdevScale, SquaresMoveWithTheTree) {
  SearchOptions options;
  options.c_puct_stdev_scale = 0.85f;
  auto search = Searched<ConnectFour>(options, SearchMode::kPlay, 300);
  Rng rng(1);
  ConnectFour next;
  next.Apply(search->ChooseMove(0.0f, rng));
  search->SetRoot(next, Rng(2));
  EXPECT_GT(search->tree().root().visits, 10u);
  RunSearch(*search, AnswerByHash);
  ExpectConsistent(search->tree());
}

std::vector<double> NoisePriors(const SearchOptions& options) {
  const auto search = Searched<Hex<5>>(options, SearchMode::kSelfPlay, 10);
  std::vector<double> priors(25);
  for (const Node& child : search->tree().Children(search->tree().root())) {
    priors[static_cast<std::size_t>(Index(child.action))] = static_cast<double>(child.prior);
  }
  return priors;
}

// A Dirichlet of a large sum lies near its mean, one of a small sum in a corner.
TEST(Noise, TotalSaysHowEvenItIs) {
  SearchOptions options;
  options.noise_fraction = 1.0f;
  options.noise_shaped = false;
  options.noise_total = 1000.0f;
  for (const double prior : NoisePriors(options)) EXPECT_NEAR(prior, 0.04, 0.03);
  options.noise_total = 0.01f;
  const std::vector<double> corner = NoisePriors(options);
  EXPECT_GT(*std::ranges::max_element(corner), 0.95);
}

// Shaped noise of a large sum lies near its shape: half of it follows the network's policy.
TEST(Noise, ShapeFollowsThePolicy) {
  SearchOptions options;
  options.noise_fraction = 1.0f;
  options.noise_total = 1000.0f;
  auto search = std::make_unique<Search<Hex<5>>>(options, SearchMode::kSelfPlay, 10, kSeed,
                                                 SearchResources{});
  search->SetRoot({}, Rng(kSeed));
  RunSearch(*search, [](EvalRow& row) {
    AnswerUniform(row);
    row.logits[12] = 6.0f;  // the centre: the same cell in each image
  });
  for (const Node& child : search->tree().Children(search->tree().root())) {
    const double shape = (1.0 / 25 + (Index(child.action) == 12 ? 1.0 : 0.0)) / 2;
    EXPECT_NEAR(static_cast<double>(child.prior), shape, 0.05);
  }
}

TEST(NoiseTemperature, SoftensTheRootsPriors) {
  SearchOptions options;
  options.noise_fraction = 0.0f;
  options.root_temperature = 2.0f;
  const auto soft = Searched<Hex<5>>(options, SearchMode::kSelfPlay, 10);
  const Tree& tree = soft->tree();
  const auto raw = soft->Report().prior;
  double sum = 0.0;
  for (const PolicyTarget& prior : raw) sum += std::sqrt(static_cast<double>(prior.weight));
  for (const Node& child : tree.Children(tree.root())) {
    const double expected =
        std::sqrt(static_cast<double>(raw[static_cast<std::size_t>(Index(child.action))].weight)) /
        sum;
    EXPECT_NEAR(static_cast<double>(child.prior), expected, 1e-6);
  }
}

}  // namespace
}  // namespace az
