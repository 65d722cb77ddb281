#pragma once
// The classic faults of a learning engine, injected around its real parts: a game's rules as
// training sees them, the records between journal and replay, the runner behind the server, the end
// of a game. The learning tests ask that each is noticed; the product knows nothing of them.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/data/game_record.h"
#include "engine/data/journal.h"
#include "engine/ipc/batch_runner.h"
#include "engine/net/model_store.h"
#include "games/game_ops.h"

namespace az {

enum class Fault : std::uint8_t {
  kNone,
  kValuesNotTurned,     // value targets stay in the first player's view
  kPolicyNotMapped,     // a sample's planes are mapped by its symmetry, its policy is not
  kValuesServedTurned,  // answers to searches are in the view of who does not move
  kStaleWeights,        // the first weights answer for ever, under the newest version
  kTerminalSign,        // who won has lost
  kTerminalInSearch,  // the same, but searches alone believe it: outcomes are recorded as they were
  kDrawIsWin,         // a drawn game is won by the first player
  kSampledTarget,     // policy target: one move alone, drawn at temperature 10
  kFlatTarget,        // policy target: weights to the power 1/10
  kShuffledTargets,   // policy and value targets of no position in particular
  kNoMask,            // every action counts as legal in the loss
};
std::string_view FaultName(Fault fault);  // "values_not_turned"

// The game as training sees it: its values, its symmetries or its mask are wrong. `game` outlives
// the result.
std::unique_ptr<GameOps> SpoilGame(const GameOps& game, Fault fault);

// Whether training reads records that SpoilingCopy wrote.
bool SpoilsRecords(Fault fault);

// Copies a journal that grows; the copy's targets are wrong. Thread-compatible.
class SpoilingCopy {
 public:
  // `game` outlives it.
  static Result<SpoilingCopy> Open(const GameOps& game, const JournalIdentity& identity,
                                   const std::filesystem::path& from,
                                   const std::filesystem::path& to, Fault fault);
  Result<void> CatchUp();

 private:
  SpoilingCopy(const GameOps& game, JournalReader reader, JournalWriter writer, Fault fault);
  Result<void> Copy(JournalRecord record);

  const GameOps* game_;
  JournalReader reader_;
  JournalWriter writer_;
  Fault fault_;
  std::map<GameId, std::unique_ptr<Position>> games_;  // where they stand
};

// Answers every model with slot kFirstWeights and claims the version that is asked for.
// Confined to one thread.
class StaleRunner final : public BatchRunner {
 public:
  static constexpr ModelId kFirstWeights{3};

  // The store outlives it.
  StaleRunner(std::unique_ptr<BatchRunner> runner, const ModelStore& store)
      : runner_(std::move(runner)), store_(store) {}
  Result<WeightsVersion> Launch(ModelId model, int bucket,
                                std::span<const BlockView> blocks) override;
  Result<void> Finish() override { return runner_->Finish(); }

 private:
  std::unique_ptr<BatchRunner> runner_;
  const ModelStore& store_;
};

// Gives every value with the wrong sign. Confined to one thread.
class TurningRunner final : public BatchRunner {
 public:
  explicit TurningRunner(std::unique_ptr<BatchRunner> runner) : runner_(std::move(runner)) {}
  Result<WeightsVersion> Launch(ModelId model, int bucket,
                                std::span<const BlockView> blocks) override;
  Result<void> Finish() override;

 private:
  std::unique_ptr<BatchRunner> runner_;
  std::vector<BlockView> blocks_;  // of the launch that is under way
};

}  // namespace az
