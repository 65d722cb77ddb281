#include "engine/data/batch_assembly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "games/registry.h"
#include "tests/engine/data/random_games.h"

namespace az {
namespace {

GameId Id(std::uint32_t index) { return GameId::Make(GameKind::kSelfPlay, 2, index); }

PositionStore StoreOf(const std::vector<GameRecord>& records) {
  PositionStore store;
  for (const GameRecord& record : records) store.Add(PackedGame(record));
  store.Settle();
  return store;
}

TrainBatch Assembled(const GameOps& ops, const PositionStore& store,
                     std::span<const Sample> samples, BatchOptions options = {}) {
  TrainBatch batch;
  BatchAssembler assembler(ops, options);
  const Result<void> result = assembler.Assemble(store, samples, batch);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return batch;
}

void ExpectSame(const TrainBatch& a, const TrainBatch& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.planes, b.planes);
  EXPECT_EQ(a.policy, b.policy);
  EXPECT_EQ(a.legal, b.legal);
  EXPECT_EQ(a.policy_weight, b.policy_weight);
  EXPECT_EQ(a.value_class, b.value_class);
  EXPECT_EQ(a.root_value, b.root_value);
}

std::vector<const GameOps*> SomeGames() {
  return {FindGame("tic_tac_toe").value(), FindGame("connect_four").value(),
          FindGame("hex3").value(), FindGame("hex9").value()};
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
      ExpectSame(Assembled(*ops, store, samples), Assembled(*ops, mapped, identity));
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
  std::vector<Sample> samples(333);
  Rng rng = Rng(1).Fork(2);
  store.Draw({0, store.positions()}, ops.info().num_symmetries, rng, samples);
  const TrainBatch expected = Assembled(ops, store, samples, {.threads = 1});
  TrainBatch reused;
  BatchAssembler assembler(ops, {.threads = 4});
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
