// A slot by itself: what it asks of the network in the course of a game.

#include "engine/worker/game_slot.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "base/strings.h"
#include "engine/worker/game_slot_inl.h"
#include "games/registry.h"
#include "mcts/search_inl.h"
#include "tests/mcts/support/drive.h"
#include "tests/support/toy_game.h"

namespace az {
namespace {

class NoControl final : public WorkerControl {
 public:
  WeightsVersion Published(ModelId) override { return 1; }
  Result<std::vector<ControlMessage>> Poll() override { return std::vector<ControlMessage>{}; }
  bool StopAsked() override { return false; }
  Result<void> Send(const ControlMessage&) override { return {}; }
  void Idle(Duration) override {}
};

// Every fourth ply offers a choice; the plies between are forced. The first player chooses each
// time: action 0 to the end wins, any other loses.
class Corridor : public ToyGame {
 public:
  static constexpr std::string_view kName = "corridor";
  static constexpr int kNumActions = 2;
  static constexpr int kMaxPlies = 9;

  Player ToMove() const { return plies_ % 2 == 0 ? Player::kFirst : Player::kSecond; }
  std::optional<Outcome> Result() const {
    if (erred_) return Outcome::kSecondWins;
    if (plies_ == kMaxPlies) return Outcome::kFirstWins;
    return std::nullopt;
  }
  ActionSet<kNumActions> LegalActions() const {
    if (Result().has_value()) return {};
    return ActionSet<kNumActions>(HasChoice() ? 3 : 1);
  }
  void Apply(Action a) {
    erred_ = HasChoice() && a != Action{0};
    ++plies_;
  }
  std::uint64_t Hash() const { return Mix64(static_cast<std::uint64_t>(plies_) * 2 + erred_); }
  void Encode(std::span<std::uint64_t> bits) const { bits[0] = Hash(); }
  std::string ToString() const { return std::to_string(plies_); }
  friend bool operator==(const Corridor&, const Corridor&) = default;

 private:
  bool HasChoice() const { return plies_ % 4 == 0; }
  int plies_ = 0;
  bool erred_ = false;
};
static_assert(GameState<Corridor>);

// A slot that has begun the first game of self-play.
class GameSlotTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove(path_);
    journal_.emplace(JournalWriter::Open(path_, {}).value());
    options_.visits = 200;
    const PhaseMessage phase{
        .phase = 1, .kind = GameKind::kSelfPlay, .iteration = 0, .players = {{}}};
    context_.emplace(SlotContext{.search = options_,
                                 .run_seed = 3,
                                 .phase = phase,
                                 .players = *ReadPhasePlayers(phase, options_),
                                 .cache = nullptr,
                                 .scratch = scratch_,
                                 .journal = *journal_,
                                 .control = control_,
                                 .look_up = [] { return Result<void>(); },
                                 .stats = stats_,
                                 .clock = clock_,
                                 .log = log_});
    slot_.emplace(*context_);
    ASSERT_TRUE(slot_->Start({.id = GameId::Make(GameKind::kSelfPlay, 0, 0).packed}));
  }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string path_ = testing::TempDir() + StrCat("slot_", ::getpid(), ".journal");
  std::optional<JournalWriter> journal_;
  SearchOptions options_;
  TreeScratch scratch_;
  NoControl control_;
  WorkerCounts stats_;
  const SteadyClock clock_;
  const Log log_{-1, "test"};
  std::optional<SlotContext> context_;
  std::optional<GameSlot<Corridor>> slot_;
};

// Three forced plies lie between two searches: the proof of the first is that of the others.
TEST_F(GameSlotTest, ForcedPliesLoseNoProof) {
  OneRow<Corridor> row;
  int rows_after_a_proof = 0;
  while (true) {
    const Result<SlotState> state = slot_->Advance();
    ASSERT_TRUE(state) << state.error().message;
    if (*state == SlotState::kFinished) break;
    if (!slot_->Fill(row.row())) continue;
    EvalRow answer = row.row();
    AnswerByHash(answer);
    slot_->Absorb(answer, 1);
    if (stats_.proven_roots > 0) ++rows_after_a_proof;
  }
  EXPECT_EQ(stats_.moves, 9u);
  EXPECT_EQ(stats_.searched_moves, 3u);
  EXPECT_EQ(stats_.proven_roots, 3u);
  EXPECT_EQ(rows_after_a_proof, 0);
}

TEST_F(GameSlotTest, SaysThatAnAnswerCannotBeUsed) {
  ASSERT_EQ(slot_->Advance().value(), SlotState::kWantsRow);
  OneRow<Corridor> row;
  ASSERT_TRUE(slot_->Fill(row.row()));
  EvalRow answer = row.row();
  AnswerByHash(answer);
  *answer.value = 7.0f;
  slot_->Absorb(answer, 1);
  EXPECT_EQ(slot_->Advance().value(), SlotState::kFailed);
  EXPECT_EQ(stats_.failed_games, 0u) << "the game is the owner's to give up";
  ASSERT_TRUE(slot_->GiveUp());
  EXPECT_EQ(slot_->state(), SlotState::kFinished);
  EXPECT_EQ(stats_.failed_games, 1u);
  EXPECT_EQ(stats_.moves, 0u);
}

}  // namespace
}  // namespace az
