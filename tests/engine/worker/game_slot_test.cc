// A slot by itself: what it asks of the network in the course of a game.

#include "engine/worker/game_slot.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

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

// Three forced plies lie between two searches: the proof of the first is that of the others.
TEST(GameSlot, ForcedPliesLoseNoProof) {
  const std::string path = testing::TempDir() + StrCat("slot_", ::getpid(), ".journal");
  std::filesystem::remove(path);
  Result<JournalWriter> journal = JournalWriter::Open(path, {});
  ASSERT_TRUE(journal) << journal.error().message;
  SearchOptions options;
  options.visits = 200;
  TreeScratch scratch;
  NoControl control;
  WorkerCounts stats;
  const SteadyClock clock;
  const Log log(-1, "test");
  PhaseMessage phase{.phase = 1, .kind = GameKind::kSelfPlay, .iteration = 0, .players = {{}}};
  SlotContext context{.search = options,
                      .run_seed = 3,
                      .phase = phase,
                      .players = *ReadPhasePlayers(phase, options),
                      .cache = nullptr,
                      .scratch = scratch,
                      .journal = *journal,
                      .control = control,
                      .look_up = [] { return Result<void>(); },
                      .stats = stats,
                      .clock = clock,
                      .log = log};
  GameSlot<Corridor> slot(context);
  ASSERT_TRUE(slot.Start({.id = GameId::Make(GameKind::kSelfPlay, 0, 0).packed}));
  OneRow<Corridor> row;
  int rows_after_a_proof = 0;
  while (true) {
    const Result<SlotState> state = slot.Advance();
    ASSERT_TRUE(state) << state.error().message;
    if (*state == SlotState::kFinished) break;
    if (!slot.Fill(row.row())) continue;
    EvalRow answer = row.row();
    AnswerByHash(answer);
    slot.Absorb(answer, 1);
    if (stats.proven_roots > 0) ++rows_after_a_proof;
  }
  EXPECT_EQ(stats.moves, 9u);
  EXPECT_EQ(stats.searched_moves, 3u);
  EXPECT_EQ(stats.proven_roots, 3u);
  EXPECT_EQ(rows_after_a_proof, 0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace az
