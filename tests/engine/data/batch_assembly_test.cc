#include "engine/data/batch_assembly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "engine/data/replay_window.h"
#include "engine/data/short_term_value.h"
#include "games/registry.h"
#include "tests/engine/data/assembled.h"
#include "tests/engine/data/random_games.h"
#include "tests/engine/data/two_plies_each.h"

namespace az {
namespace {

PositionStore StoreOf(const std::vector<GameRecord>& records) {
  PositionStore store;
  for (const GameRecord& record : records) store.Add(PackedGame(record));
  store.Settle();
  return store;
}

void ExpectSame(const TrainBatch& a, const TrainBatch& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.planes, b.planes);
  EXPECT_EQ(a.policy, b.policy);
  EXPECT_EQ(a.legal, b.legal);
  EXPECT_EQ(a.policy_weight, b.policy_weight);
  EXPECT_EQ(a.value_class, b.value_class);
  EXPECT_EQ(a.root_value, b.root_value);
  EXPECT_EQ(a.opponent, b.opponent);
  EXPECT_EQ(a.opponent_weight, b.opponent_weight);
  EXPECT_EQ(a.short_term, b.short_term);
}

std::vector<const GameOps*> SomeGames() {
  return {FindGame("tic_tac_toe").value(), FindGame("connect_four").value(),
          FindGame("hex3").value(),        FindGame("hex9").value(),
          FindGame("othello6").value(),    FindGame("breakthrough5").value()};
}

// The symmetric image of a game: every action mapped.
GameRecord Mapped(const GameOps& ops, GameRecord record, int symmetry) {
  for (MoveRecord& move : record.moves) {
    move.action = ops.MapAction(move.action, symmetry);
    for (PolicyEntry& entry : move.policy) entry.action = ops.MapAction(entry.action, symmetry);
  }
  return record;
}

TEST(BatchAssembly, SymmetryAndAssemblyCommute) {
  for (const GameOps* ops : SomeGames()) {
    for (int symmetry = 0; symmetry < ops->info().num_symmetries; ++symmetry) {
      SCOPED_TRACE(ops->info().entry + " symmetry " + std::to_string(symmetry));
      const GameRecord game = RandomGame(*ops, Id(1));
      const PositionStore store = StoreOf({game});
      const PositionStore mapped = StoreOf({Mapped(*ops, game, symmetry)});
      std::vector<Sample> samples(game.moves.size());
      std::vector<Sample> identity(game.moves.size());
      for (std::size_t ply = 0; ply < samples.size(); ++ply) {
        samples[ply].ply = identity[ply].ply = static_cast<std::uint16_t>(ply);
        samples[ply].symmetry = static_cast<std::uint16_t>(symmetry);
      }
      ExpectSame(Assembled(*ops, store, samples, kAllTargets),
                 Assembled(*ops, mapped, identity, kAllTargets));
    }
  }
}

TEST(BatchAssembly, RowsHoldThePositionAndItsTargets) {
  for (const GameOps* ops : SomeGames()) {
    SCOPED_TRACE(ops->info().entry);
    const GameRecord game = RandomGame(*ops, Id(2));
    const PositionStore store = StoreOf({game});
    const std::unique_ptr<Position> position = ops->Start();
    for (const MoveRecord& move : game.moves) {
      const Sample sample{.game = 0, .ply = move.ply};
      const TrainBatch batch = Assembled(*ops, store, std::span(&sample, 1));
      ASSERT_EQ(batch.rows, 1);
      std::vector<std::uint64_t> planes(static_cast<std::size_t>(ops->info().shape.words()));
      position->Encode(planes);
      EXPECT_EQ(batch.planes, planes);
      // The target is turned to the side to move.
      const int value = ValueFor(*game.outcome, position->ToMove());
      EXPECT_EQ(batch.value_class[0], 1 - value) << "win 0, draw 1, loss 2";
      EXPECT_EQ(batch.root_value[0], move.root_value);
      EXPECT_EQ(batch.policy_weight[0], 1);
      double total = 0;
      for (const PolicyEntry& entry : move.policy) total += entry.weight;
      for (int action = 0; action < batch.actions; ++action) {
        const auto at = static_cast<std::size_t>(action);
        EXPECT_EQ(batch.legal[at], position->IsLegal(static_cast<Action>(action)) ? 1 : 0);
        const auto entry =
            std::find_if(move.policy.begin(), move.policy.end(),
                         [&](const PolicyEntry& e) { return Index(e.action) == action; });
        const double share = entry == move.policy.end() ? 0 : entry->weight / total;
        EXPECT_NEAR(batch.policy[at], share, 1e-7);
      }
      EXPECT_NEAR(std::accumulate(batch.policy.begin(), batch.policy.end(), 0.0), 1.0, 1e-5);
      ASSERT_TRUE(position->Apply(move.action).has_value());
    }
  }
}

std::vector<float> RowOf(const std::vector<float>& array, std::size_t row, int width) {
  const auto n = static_cast<std::size_t>(width);
  const auto at = array.begin() + static_cast<std::ptrdiff_t>(row * n);
  return {at, at + static_cast<std::ptrdiff_t>(n)};
}

// What a player expects of the next ply is what that ply teaches, under the same symmetry.
TEST(BatchAssembly, TheOpponentsTargetIsThePolicyOfTheNextPly) {
  for (const GameOps* ops : SomeGames()) {
    const int last = ops->info().num_symmetries - 1;
    SCOPED_TRACE(ops->info().entry);
    const GameRecord game = RandomGame(*ops, Id(5), 0.7);
    const PositionStore store = StoreOf({game});
    std::vector<Sample> samples(game.moves.size());
    for (std::size_t ply = 0; ply < samples.size(); ++ply) {
      samples[ply] = {.game = 0,
                      .ply = static_cast<std::uint16_t>(ply),
                      .symmetry = static_cast<std::uint16_t>(last)};
    }
    const TrainBatch batch = Assembled(*ops, store, samples, kAllTargets);
    const std::vector<float> none(static_cast<std::size_t>(batch.actions));
    int present = 0;
    for (std::size_t ply = 0; ply < samples.size(); ++ply) {
      const bool is_last = ply + 1 == samples.size();
      const auto expected = is_last ? none : RowOf(batch.policy, ply + 1, batch.actions);
      EXPECT_EQ(RowOf(batch.opponent, ply, batch.actions), expected) << ply;
      EXPECT_EQ(batch.opponent_weight[ply], is_last ? 0.0f : batch.policy_weight[ply + 1]) << ply;
      present += batch.opponent_weight[ply] > 0 ? 1 : 0;
    }
    EXPECT_GT(present, 0);
    EXPECT_TRUE(Assembled(*ops, store, samples).opponent.empty());
  }
}

// Plies that a player makes twice in a row are nobody's answer.
TEST(BatchAssembly, AnAnswerToOneselfIsNoOpponentsPolicy) {
  const testing::TwoPliesEach ops;
  const GameRecord game = RandomGame(ops, Id(6));
  const PositionStore store = StoreOf({game});
  std::vector<Sample> samples(game.moves.size());
  for (std::size_t ply = 0; ply < samples.size(); ++ply) {
    samples[ply].ply = static_cast<std::uint16_t>(ply);
  }
  const TrainBatch batch = Assembled(ops, store, samples, kAllTargets);
  ASSERT_GE(samples.size(), 8u);
  for (std::size_t ply = 0; ply + 1 < samples.size(); ++ply) {
    EXPECT_EQ(batch.opponent_weight[ply], ply % 2 == 0 ? 0.0f : 1.0f) << ply;
  }
  // Every value is turned by who moves: brute force, from the end.
  const double keeps = 1.0 - 1.0 / ShortTermHorizon(ops.info().shape.cells());
  double next = ValueFor(*game.outcome, Player::kFirst);  // in the first player's view
  for (std::size_t ply = samples.size(); ply-- > 0;) {
    const double side = ply / 2 % 2 == 0 ? 1.0 : -1.0;
    next = (1.0 - keeps) * side * static_cast<double>(game.moves[ply].root_value) + keeps * next;
    EXPECT_NEAR(batch.short_term[ply], side * next, 1e-6) << ply;
  }
}

// From the end backwards, in the first player's view; plies without a search are not there.
TEST(BatchAssembly, ShortTermValuesAreThoseOfBruteForce) {
  for (const GameOps* ops : SomeGames()) {
    SCOPED_TRACE(ops->info().entry);
    GameRecord game = RandomGame(*ops, Id(7));
    for (std::size_t ply = 2; ply < game.moves.size(); ply += 5) game.moves[ply].visits = 0;
    const PositionStore store = StoreOf({game});
    std::vector<Player> movers;
    const std::unique_ptr<Position> position = ops->Start();
    for (const MoveRecord& move : game.moves) {
      movers.push_back(position->ToMove());
      ASSERT_TRUE(position->Apply(move.action).has_value());
    }
    const double keeps = 1.0 - 1.0 / (1.0 + 0.056 * ops->info().shape.cells());
    double next = ValueFor(*game.outcome, Player::kFirst);
    for (std::size_t ply = game.moves.size(); ply-- > 0;) {
      const double side = movers[ply] == Player::kFirst ? 1.0 : -1.0;
      const MoveRecord& move = game.moves[ply];
      if (move.visits > 0) {
        next = (1.0 - keeps) * side * static_cast<double>(move.root_value) + keeps * next;
      }
      const Sample sample{.game = 0, .ply = move.ply};
      const TrainBatch batch = Assembled(*ops, store, std::span(&sample, 1), kAllTargets);
      EXPECT_NEAR(batch.short_term[0], side * next, 1e-6) << ply;
    }
  }
}

TEST(BatchAssembly, AProvenRootReplacesTheOutcome) {
  const GameOps& ops = *FindGame("tic_tac_toe").value();
  GameRecord game = RandomGame(ops, Id(3));
  game.outcome = Outcome::kSecondWins;
  const float proven[] = {1.0f, 0.0f, -1.0f};
  for (int i = 0; i < 3; ++i) {
    game.moves[0].flags = kMoveProven;
    game.moves[0].root_value = proven[i];
    const PositionStore store = StoreOf({game});
    const Sample sample{};
    EXPECT_EQ(Assembled(ops, store, std::span(&sample, 1)).value_class[0], i);
    EXPECT_EQ(
        Assembled(ops, store, std::span(&sample, 1), {.proven_targets = false}).value_class[0], 2)
        << "the outcome, a loss for the first player";
  }
}

TEST(BatchAssembly, AMissingPolicyHasNoWeight) {
  const GameOps& ops = *FindGame("tic_tac_toe").value();
  GameRecord game = RandomGame(ops, Id(4));
  game.moves[1].policy.clear();
  const PositionStore store = StoreOf({game});
  const Sample sample{.game = 0, .ply = 1};
  const TrainBatch batch = Assembled(ops, store, std::span(&sample, 1));
  EXPECT_EQ(batch.policy_weight[0], 0);
  EXPECT_EQ(batch.policy, std::vector<float>(9));
  EXPECT_EQ(std::accumulate(batch.legal.begin(), batch.legal.end(), 0), 8);
}

TEST(BatchAssembly, DoesNotDependOnThreadsOrOnWhatTheBatchHeld) {
  const GameOps& ops = *FindGame("hex5").value();
  std::vector<GameRecord> games;
  for (std::uint32_t index = 0; index < 40; ++index)
    games.push_back(RandomGame(ops, Id(index), 0.7));
  const PositionStore store = StoreOf(games);
  const HeadTargets heads = kAllTargets.heads;
  std::vector<Sample> samples(333);
  Rng rng = Rng(1).Fork(2);
  store.Draw({0, store.positions()}, ops.info().num_symmetries, rng, samples);
  const TrainBatch expected = Assembled(ops, store, samples, {.threads = 1, .heads = heads});
  TrainBatch reused;
  BatchAssembler assembler(ops, {.threads = 4, .heads = heads});
  std::vector<Sample> other(333);
  store.Draw({0, store.positions()}, 1, rng, other);
  ASSERT_TRUE(assembler.Assemble(store, other, reused).has_value());
  const std::uint64_t* planes = reused.planes.data();
  ASSERT_TRUE(assembler.Assemble(store, samples, reused).has_value());
  ExpectSame(reused, expected);
  EXPECT_EQ(reused.planes.data(), planes) << "buffers are reused";
}

TEST(BatchAssembly, AnIllegalRecordIsNamed) {
  const GameOps& ops = *FindGame("tic_tac_toe").value();
  GameRecord moved = RandomGame(ops, Id(7));
  moved.moves[2].action = moved.moves[0].action;
  GameRecord aimed = RandomGame(ops, Id(8));
  aimed.moves[3].policy.push_back({aimed.moves[0].action, 77});
  const PositionStore store = StoreOf({RandomGame(ops, Id(6)), moved, aimed});
  const auto fault = [&](std::vector<Sample> samples) {
    TrainBatch batch;
    BatchAssembler assembler(ops, {.threads = 2});
    const Result<void> result = assembler.Assemble(store, samples, batch);
    EXPECT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, Errc::kCorrupt);
    return result.error().message;
  };
  const std::string at_move = fault({{.game = 0, .ply = 1}, {.game = 1, .ply = 4}});
  EXPECT_NE(at_move.find("iteration 2, index 7"), std::string::npos) << at_move;
  EXPECT_NE(at_move.find("ply 2"), std::string::npos) << at_move;
  const std::string at_policy = fault({{.game = 2, .ply = 3}});
  EXPECT_NE(at_policy.find("index 8"), std::string::npos) << at_policy;
  EXPECT_NE(at_policy.find("ply 3"), std::string::npos) << at_policy;
  // Many bad rows over many tasks: always the first one.
  std::vector<Sample> many(400, Sample{.game = 0, .ply = 1});
  for (std::size_t row = 100; row < many.size(); ++row) many[row] = {.game = 2, .ply = 3};
  many[100] = {.game = 1, .ply = 4};
  for (int i = 0; i < 20; ++i) EXPECT_EQ(fault(many), at_move);
}

}  // namespace
}  // namespace az
