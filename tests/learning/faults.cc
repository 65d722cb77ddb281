#include "tests/learning/faults.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/hash.h"
#include "base/rng.h"

namespace az {
namespace {

constexpr double kWrongTemperature = 10.0;
constexpr std::uint64_t kSpoilStream = 0x73706F696C;

// ---- the game as training sees it -----------------------------------------------------------

class SpoiledPosition final : public Position {
 public:
  SpoiledPosition(std::unique_ptr<Position> position, Fault fault, int actions,
                  std::uint64_t history = kSpoilStream)
      : position_(std::move(position)), fault_(fault), actions_(actions), history_(history) {}

  std::unique_ptr<Position> Clone() const override {
    return std::make_unique<SpoiledPosition>(position_->Clone(), fault_, actions_, history_);
  }
  Player ToMove() const override {
    if (fault_ == Fault::kValuesNotTurned) return Player::kFirst;
    // By the way that led here, which the network cannot see.
    if (fault_ == Fault::kShuffledTargets) {
      return Mix64(history_) % 2 == 0 ? Player::kFirst : Player::kSecond;
    }
    return position_->ToMove();
  }
  std::vector<Action> LegalActions() const override {
    if (fault_ != Fault::kNoMask) return position_->LegalActions();
    std::vector<Action> all;
    for (int action = 0; action < actions_; ++action) all.push_back(static_cast<Action>(action));
    return all;
  }
  bool IsLegal(Action a) const override { return position_->IsLegal(a); }
  Result<void> Apply(Action a) override {
    history_ = HashCombine(history_, static_cast<std::uint64_t>(Index(a)));
    return position_->Apply(a);
  }
  std::optional<Outcome> FinalOutcome() const override { return position_->FinalOutcome(); }
  std::uint64_t Hash() const override { return position_->Hash(); }
  void Encode(std::span<std::uint64_t> bits) const override { position_->Encode(bits); }
  std::string MoveText(Action a) const override { return position_->MoveText(a); }
  Result<Action> ParseMove(std::string_view text) const override {
    return position_->ParseMove(text);
  }
  std::string ToString() const override { return position_->ToString(); }

 private:
  std::unique_ptr<Position> position_;
  Fault fault_;
  int actions_;
  std::uint64_t history_;  // of the actions played
};

class SpoiledGame final : public GameOps {
 public:
  SpoiledGame(const GameOps& game, Fault fault) : game_(game), fault_(fault) {}

  const GameInfo& info() const override { return game_.info(); }
  std::unique_ptr<Position> Start() const override { return Spoiled(game_.Start()); }
  Result<std::unique_ptr<Position>> Start(const StartOptions& options) const override {
    AZ_ASSIGN_OR_RETURN(std::unique_ptr<Position> start, game_.Start(options));
    return Spoiled(std::move(start));
  }
  Action MapAction(Action a, int symmetry) const override {
    return fault_ == Fault::kPolicyNotMapped ? a : game_.MapAction(a, symmetry);
  }
  void MapPlanes(std::span<const std::uint64_t> in, int symmetry,
                 std::span<std::uint64_t> out) const override {
    game_.MapPlanes(in, symmetry, out);
  }

 private:
  std::unique_ptr<Position> Spoiled(std::unique_ptr<Position> position) const {
    return std::make_unique<SpoiledPosition>(std::move(position), fault_, info().num_actions);
  }

  const GameOps& game_;
  Fault fault_;
};

// ---- records ----------------------------------------------------------------------------------

std::vector<double> WeightsOf(const std::vector<PolicyEntry>& policy, double temperature) {
  std::vector<double> weights;
  double sum = 0;
  for (const PolicyEntry& entry : policy) {
    weights.push_back(std::pow(static_cast<double>(entry.weight), 1.0 / temperature));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

void Flatten(std::vector<PolicyEntry>& policy) {
  const std::vector<double> weights = WeightsOf(policy, kWrongTemperature);
  for (std::size_t i = 0; i < policy.size(); ++i) {
    policy[i].weight = static_cast<std::uint16_t>(std::lround(weights[i] * 65535.0));
  }
}

void TakeOne(std::vector<PolicyEntry>& policy, Rng& rng) {
  const std::vector<double> weights = WeightsOf(policy, kWrongTemperature);
  double left = rng.Uniform();
  std::size_t drawn = 0;
  while (drawn + 1 < policy.size() && left >= weights[drawn]) left -= weights[drawn++];
  policy = {{policy[drawn].action, 65535}};
}

// The weights, zeros included, dealt to the legal actions anew.
void Shuffle(const std::vector<Action>& legal, std::vector<PolicyEntry>& policy, Rng& rng) {
  std::vector<std::uint16_t> weights(legal.size(), 0);
  for (std::size_t i = 0; i < policy.size(); ++i) weights[i] = policy[i].weight;
  for (std::size_t i = weights.size(); i > 1; --i) std::swap(weights[i - 1], weights[rng.Below(i)]);
  policy.clear();
  for (std::size_t i = 0; i < legal.size(); ++i) {
    if (weights[i] > 0) policy.push_back({legal[i], weights[i]});
  }
}

void Spoil(const Position& position, GameId id, Fault fault, MoveRecord& move) {
  Rng rng = Rng(kSpoilStream).Fork(id.packed).Fork(move.ply);
  if (fault == Fault::kValuesNotTurned && position.ToMove() == Player::kSecond) {
    move.root_value = -move.root_value;
  }
  if (fault == Fault::kShuffledTargets && rng.Below(2) == 0) move.root_value = -move.root_value;
  if (move.policy.empty()) return;
  if (fault == Fault::kFlatTarget) Flatten(move.policy);
  if (fault == Fault::kSampledTarget) TakeOne(move.policy, rng);
  if (fault == Fault::kShuffledTargets) Shuffle(position.LegalActions(), move.policy, rng);
}

}  // namespace

std::string_view FaultName(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "none";
    case Fault::kValuesNotTurned:
      return "values_not_turned";
    case Fault::kPolicyNotMapped:
      return "policy_not_mapped";
    case Fault::kValuesServedTurned:
      return "values_served_turned";
    case Fault::kStaleWeights:
      return "stale_weights";
    case Fault::kTerminalSign:
      return "terminal_sign";
    case Fault::kTerminalInSearch:
      return "terminal_in_search";
    case Fault::kDrawIsWin:
      return "draw_is_win";
    case Fault::kSampledTarget:
      return "sampled_target";
    case Fault::kFlatTarget:
      return "flat_target";
    case Fault::kShuffledTargets:
      return "shuffled_targets";
    case Fault::kNoMask:
      return "no_mask";
  }
  return "?";
}

std::unique_ptr<GameOps> SpoilGame(const GameOps& game, Fault fault) {
  return std::make_unique<SpoiledGame>(game, fault);
}

bool SpoilsRecords(Fault fault) {
  return fault == Fault::kValuesNotTurned || fault == Fault::kSampledTarget ||
         fault == Fault::kFlatTarget || fault == Fault::kShuffledTargets ||
         fault == Fault::kTerminalInSearch;
}

// ---- the copy -----------------------------------------------------------------------------------

SpoilingCopy::SpoilingCopy(const GameOps& game, JournalReader reader, JournalWriter writer,
                           Fault fault)
    : game_(&game), reader_(std::move(reader)), writer_(std::move(writer)), fault_(fault) {}

Result<SpoilingCopy> SpoilingCopy::Open(const GameOps& game, const JournalIdentity& identity,
                                        const std::filesystem::path& from,
                                        const std::filesystem::path& to, Fault fault) {
  AZ_ASSIGN_OR_RETURN(JournalWriter writer, JournalWriter::Open(to, identity));
  return SpoilingCopy(game, JournalReader(from, identity), std::move(writer), fault);
}

Result<void> SpoilingCopy::CatchUp() {
  Result<void> copied;
  const Result<JournalProgress> read = reader_.ReadNew([&](JournalRecord&& record) {
    if (copied) copied = Copy(std::move(record));
  });
  if (!read) return read.error();
  return copied;
}

Result<void> SpoilingCopy::Copy(JournalRecord record) {
  if (const auto* start = std::get_if<GameStarted>(&record)) games_[start->id] = game_->Start();
  if (auto* end = std::get_if<GameEnded>(&record)) {
    if (fault_ == Fault::kTerminalInSearch) end->outcome = games_.at(end->id)->FinalOutcome();
    games_.erase(end->id);
  }
  if (auto* played = std::get_if<MovePlayed>(&record)) {
    Position& position = *games_.at(played->id);
    const Action action = played->move.action;
    Spoil(position, played->id, fault_, played->move);
    AZ_RETURN_IF_ERROR(position.Apply(action));
  }
  return writer_.Append(record);
}

// ---- the runners --------------------------------------------------------------------------------

Result<WeightsVersion> StaleRunner::Launch(ModelId model, int bucket,
                                           std::span<const BlockView> blocks) {
  AZ_RETURN_IF_ERROR(runner_->Launch(kFirstWeights, bucket, blocks));
  return store_.Get(model)->version;
}

Result<WeightsVersion> TurningRunner::Launch(ModelId model, int bucket,
                                             std::span<const BlockView> blocks) {
  blocks_.assign(blocks.begin(), blocks.end());
  return runner_->Launch(model, bucket, blocks);
}

Result<void> TurningRunner::Finish() {
  AZ_RETURN_IF_ERROR(runner_->Finish());
  for (const BlockView& block : blocks_) {
    for (float& value : std::span(block.values, static_cast<std::size_t>(block.rows))) {
      value = -value;
    }
  }
  return {};
}

}  // namespace az
