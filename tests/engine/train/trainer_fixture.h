#pragma once
// A run of tic-tac-toe for the tests of Trainer.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/files.h"
#include "engine/train/trainer.h"
#include "games/registry.h"
#include "tests/engine/data/random_games.h"
#include "tests/engine/data/records.h"
#include "tests/engine/train/training_fixtures.h"

namespace az {

// A run of tic-tac-toe with one journal of random games.
class TrainerTest : public ::testing::Test {
 protected:
  TrainerTest()
      : game_(*FindGame("tic_tac_toe").value()),
        identity_(TestIdentity()),
        log_(-1, "test", LogLevel::kError) {
    identity_.entry = "tic_tac_toe";
    identity_.game_hash = game_.info().Hash();
    shape_ = kSmallShape;
    shape_.planes = game_.info().shape.planes;
    options_.iterations = 4;
    options_.learner.train.batch = 64;
    options_.learner.train.min_positions = 200;
    options_.learner.train.held_out_fraction = 0.1f;
  }

  void Play(std::uint32_t iteration, std::uint32_t games) {
    JournalWriter lane = JournalWriter::Open(journal(), identity_).value();
    for (std::uint32_t index = 0; index < games; ++index) {
      GameRecord record = RandomGame(game_, GameId::Make(GameKind::kSelfPlay, iteration, index));
      for (MoveRecord& move : record.moves) {
        move.policy_kl_nats = 0.1f * static_cast<float>(move.ply % 3);
        move.network_value = 0.5f;
        if (root_value_) move.root_value = root_value_(record);
        if (move.ply % 4 == 2) move.flags |= kMoveProven;
        if (move.ply % 4 == 3) {
          move.flags |= kMoveFast;
          move.policy.clear();
        }
      }
      ASSERT_TRUE(lane.StartGame(record.id));
      for (const MoveRecord& move : record.moves) ASSERT_TRUE(lane.Move(record.id, move));
      ASSERT_TRUE(lane.EndGame({record.id, record.outcome, record.reason,
                                static_cast<std::uint16_t>(record.moves.size())}));
    }
  }
  std::string journal() const { return folder_ / "lane_000.journal"; }
  std::string checkpoint(int iteration) const { return folder_ / StrCat("iter_", iteration); }

  TrainMessage MessageFor(std::uint32_t iteration) const {
    TrainMessage message;
    message.iteration = iteration;
    message.from = checkpoint(static_cast<int>(iteration));
    message.to = checkpoint(static_cast<int>(iteration) + 1);
    message.journals = {
        {journal(), static_cast<std::int64_t>(std::filesystem::file_size(journal()))}};
    message.games_before_iteration = iteration + 1;
    return message;
  }
  Trainer MakeTrainer() const { return Trainer(game_, shape_, identity_, options_, log_, clock_); }
  Result<TrainedMessage> Train(Trainer& trainer, const TrainMessage& message) {
    return trainer.Train(
        message, [this](const TrainProgressMessage& p) { progress_.push_back(p); },
        std::stop_token());
  }
  void MakeFirstNetwork() {
    Trainer trainer = MakeTrainer();
    TrainMessage first;
    first.to = checkpoint(0);
    const Result<TrainedMessage> made = Train(trainer, first);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->path, checkpoint(0));
  }
  std::string Bytes(int iteration, const char* file) const {
    return ReadFile(std::filesystem::path(checkpoint(iteration)) / file).value();
  }

  TemporaryFolder folder_;
  const GameOps& game_;
  JournalIdentity identity_;
  NetShape shape_;
  TrainerOptions options_;
  Log log_;
  SteadyClock clock_;
  std::vector<TrainProgressMessage> progress_;
  std::function<float(const GameRecord&)> root_value_;  // of Play's moves; empty: random ones
};

}  // namespace az
