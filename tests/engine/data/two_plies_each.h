#pragma once
// A game in which each side makes two plies in a row: what assembly must not take for granted. Each
// ply takes one of eight cells; the first player wins when the last cell is even.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "games/game_ops.h"

namespace az::testing {

class TwoPliesEach final : public GameOps {
  static constexpr int kCells = 8;

  class At final : public Position {
   public:
    std::unique_ptr<Position> Clone() const override { return std::make_unique<At>(*this); }
    Player ToMove() const override {
      return plies_ / 2 % 2 == 0 ? Player::kFirst : Player::kSecond;
    }
    std::vector<Action> LegalActions() const override {
      std::vector<Action> legal;
      for (int cell = 0; cell < kCells; ++cell) {
        if (IsLegal(static_cast<Action>(cell))) legal.push_back(static_cast<Action>(cell));
      }
      return legal;
    }
    bool IsLegal(Action a) const override {
      return Index(a) < kCells && (taken_ >> Index(a) & 1) == 0;
    }
    Result<void> Apply(Action a) override {
      if (!IsLegal(a)) return Error{Errc::kInvalid, "taken"};
      taken_ |= std::uint64_t{1} << Index(a);
      last_ = Index(a);
      ++plies_;
      return {};
    }
    std::optional<Outcome> FinalOutcome() const override {
      if (plies_ < kCells) return std::nullopt;
      return last_ % 2 == 0 ? Outcome::kFirstWins : Outcome::kSecondWins;
    }
    std::uint64_t Hash() const override { return taken_; }
    void Encode(std::span<std::uint64_t> bits) const override { bits[0] = taken_; }
    std::string MoveText(Action a) const override { return std::to_string(Index(a)); }
    Result<Action> ParseMove(std::string_view) const override {
      return Error{Errc::kInvalid, "not read"};
    }
    std::string ToString() const override { return "two plies each"; }

   private:
    std::uint64_t taken_ = 0;
    int plies_ = 0;
    int last_ = 0;
  };

 public:
  const GameInfo& info() const override { return info_; }
  std::unique_ptr<Position> Start() const override { return std::make_unique<At>(); }
  Result<std::unique_ptr<Position>> Start(const StartOptions&) const override { return Start(); }
  Action MapAction(Action a, int) const override { return a; }
  void MapPlanes(std::span<const std::uint64_t> in, int,
                 std::span<std::uint64_t> out) const override {
    out[0] = in[0];
  }

 private:
  GameInfo info_{.entry = "two_plies_each",
                 .family = "two_plies_each",
                 .num_actions = kCells,
                 .max_plies = kCells,
                 .num_symmetries = 1,
                 .shape = {.planes = 1, .rows = 2, .cols = 4}};
};

}  // namespace az::testing
