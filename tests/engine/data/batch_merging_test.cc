// Of batch assembly: samples that stand for several games.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/data/batch_assembly.h"
#include "engine/data/replay_window.h"
#include "games/registry.h"
#include "tests/engine/data/assembled.h"
#include "tests/engine/data/random_games.h"

namespace az {
namespace {

// Three games that begin alike: what a group teaches is the mean of what its members do.
TEST(BatchMerging, MergedPositionsHaveTheMeanOfTheirTargets) {
  const GameOps& ops = *FindGame("hex3").value();
  const WindowOptions merging{.merges_duplicates = true};
  PositionStore store;
  for (std::uint32_t index = 0; index < 3; ++index) {
    GameRecord game = RandomGame(ops, Id(index), 0.8);
    store.Add(PackedGame(game, SampledPlies::kFastToo, CheckGame(ops, game, merging).value()));
  }
  GameRecord other = RandomGame(ops, Id(1), 0.8);  // the second again, with other searches
  other.id = Id(9);
  for (MoveRecord& move : other.moves) {
    move.root_value *= 0.5f;
    for (PolicyEntry& entry : move.policy) {
      entry.weight = static_cast<std::uint16_t>(1 + entry.weight * 7 % 5000);
    }
  }
  store.Add(PackedGame(other, SampledPlies::kWithPolicy, CheckGame(ops, other, merging).value()));
  store.Settle();
  store.IndexSamples();
  const SampleIndex& index = *store.index();
  BatchOptions alone = kAllTargets;
  BatchOptions merged = alone;
  merged.merges_duplicates = true;
  int groups = 0;
  for (std::uint32_t group = 0; group < index.groups(); ++group) {
    const std::span<const PositionAt> members = index.members(group);
    groups += members.size() > 1 ? 1 : 0;
    std::vector<Sample> each;
    for (const PositionAt& at : members) each.push_back({at.game, at.ply, 1});
    const TrainBatch parts = Assembled(ops, store, each, alone);
    const Sample sample{members.back().game, members.back().ply, 1, group};
    const TrainBatch whole = Assembled(ops, store, std::span(&sample, 1), merged);
    ASSERT_TRUE(whole.has_shares);
    const auto words = static_cast<std::size_t>(parts.shape.words());
    for (std::size_t i = 0; i < members.size() * words; ++i) {
      EXPECT_EQ(parts.planes[i], whole.planes[i % words]) << "equal positions";
    }
    const auto n = static_cast<double>(members.size());
    const auto mean = [&](const std::vector<float>& array, std::size_t width, std::size_t at,
                          const std::vector<float>* weights) {
      double sum = 0;
      double count = 0;
      for (std::size_t i = 0; i < members.size(); ++i) {
        const double weight = weights ? static_cast<double>((*weights)[i]) : 1.0;
        sum += weight * static_cast<double>(array[i * width + at]);
        count += weight;
      }
      return count > 0 ? sum / count : 0.0;
    };
    for (std::size_t a = 0; a < 9; ++a) {
      EXPECT_NEAR(whole.policy[a], mean(parts.policy, 9, a, &parts.policy_weight), 1e-6);
      EXPECT_NEAR(whole.opponent[a], mean(parts.opponent, 9, a, &parts.opponent_weight), 1e-6);
    }
    EXPECT_EQ(whole.policy_weight[0], mean(parts.policy_weight, 1, 0, nullptr) > 0 ? 1.0f : 0.0f);
    EXPECT_NEAR(whole.root_value[0], mean(parts.root_value, 1, 0, nullptr), 1e-6);
    EXPECT_NEAR(whole.short_term[0], mean(parts.short_term, 1, 0, nullptr), 1e-6);
    for (std::int64_t result = 0; result < 3; ++result) {
      EXPECT_NEAR(whole.value_shares[static_cast<std::size_t>(result)],
                  static_cast<double>(
                      std::count(parts.value_class.begin(), parts.value_class.end(), result)) /
                      n,
                  1e-6);
    }
  }
  EXPECT_GE(groups, 3);
}

// `begin`, then stones at random until the longest game's end.
GameRecord LongestGame(const GameOps& ops, GameId id, const std::vector<int>& begin) {
  Rng rng = Rng(7).Fork(id.packed);
  const auto pass = static_cast<Action>(ops.info().num_actions - 1);
  for (;;) {
    GameRecord record{.id = id};
    const std::unique_ptr<Position> position = ops.Start();
    while (!position->FinalOutcome().has_value()) {
      std::vector<Action> legal = position->LegalActions();
      if (legal.size() > 1) std::erase(legal, pass);
      const std::size_t ply = record.moves.size();
      const Action action =
          ply < begin.size() ? static_cast<Action>(begin[ply]) : legal[rng.Below(legal.size())];
      record.moves.push_back({.ply = static_cast<std::uint16_t>(ply), .action = action});
      record.moves.back().visits = 100;
      record.moves.back().policy = {{action, 65535}};
      EXPECT_TRUE(position->Apply(action).has_value()) << ply;
    }
    record.outcome = position->FinalOutcome();
    if (static_cast<int>(record.moves.size()) == ops.info().max_plies) return record;
  }
}

// Two ways to one position of Go, one of them two plies longer: what follows is each game's own.
TEST(BatchMerging, MergedGamesGoOnFromTheirOwnPast) {
  const GameOps& ops = *FindGame("go5").value();
  constexpr int kPass = 25;
  const WindowOptions merging{.merges_duplicates = true};
  PositionStore store;
  for (const GameRecord& game : {LongestGame(ops, Id(0), {0, 2, 1, 3}),
                                 LongestGame(ops, Id(1), {0, kPass, 1, 2, kPass, 3})}) {
    store.Add(PackedGame(game, SampledPlies::kFastToo, CheckGame(ops, game, merging).value()));
  }
  store.Settle();
  store.IndexSamples();
  BatchOptions options = kAllTargets;
  options.merges_duplicates = true;
  int groups = 0;
  for (std::uint32_t group = 0; group < store.index()->groups(); ++group) {
    const std::span<const PositionAt> members = store.index()->members(group);
    if (members.size() < 2 || members.front().ply == members.back().ply) continue;
    ++groups;
    for (const PositionAt& at : members) {
      const Sample sample{at.game, at.ply, 0, group};
      const TrainBatch batch = Assembled(ops, store, std::span(&sample, 1), options);
      EXPECT_EQ(batch.opponent_weight[0], 1.0f);
    }
  }
  EXPECT_EQ(groups, 1);
}

}  // namespace
}  // namespace az
