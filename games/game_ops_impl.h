#pragma once
// GameOpsOf<S>: the GameOps of one game, made from its state type. Included by games/registry.cc
// and by tests; everyone else asks FindGame (games/registry.h).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/strings.h"
#include "games/game.h"
#include "games/game_ops.h"

namespace az {

// Thread-compatible.
template <GameState S>
class PositionOf final : public Position {
 public:
  explicit PositionOf(const S& state) : state_(state) {}

  std::unique_ptr<Position> Clone() const override { return std::make_unique<PositionOf>(state_); }
  Player ToMove() const override { return state_.ToMove(); }
  std::vector<Action> LegalActions() const override {
    std::vector<Action> actions;
    state_.LegalActions().ForEach([&](Action a) { actions.push_back(a); });
    return actions;
  }
  bool IsLegal(Action a) const override { return state_.LegalActions().Contains(a); }
  Result<void> Apply(Action a) override {
    if (!IsLegal(a)) {
      return Error{Errc::kInvalid,
                   StrCat("action ", Index(a), " is not legal in ", std::string_view(S::kName),
                          WhatIsLegal([](Action legal) { return Index(legal); }))};
    }
    state_.Apply(a);
    return {};
  }
  std::optional<Outcome> FinalOutcome() const override { return state_.Result(); }
  std::uint64_t Hash() const override { return state_.Hash(); }
  void Encode(std::span<std::uint64_t> bits) const override {
    AZ_CHECK_EQ(bits.size(), static_cast<std::size_t>(S::kShape.words()));
    state_.Encode(bits);
  }
  std::string MoveText(Action a) const override { return state_.MoveText(a); }
  Result<Action> ParseMove(std::string_view text) const override;
  std::string ToString() const override { return state_.ToString(); }

 private:
  // The end of a message about an illegal move: ": the game is over", or some of the legal moves in
  // the words of `name`.
  template <class F>
  std::string WhatIsLegal(F name) const;

  S state_;
};

template <GameState S>
template <class F>
std::string PositionOf<S>::WhatIsLegal(F name) const {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> moves;
  state_.LegalActions().ForEach([&](Action a) {
    if (moves.size() <= kShown) moves.push_back(StrCat(name(a)));
  });
  if (moves.empty()) return ": the game is over";
  const bool is_cut = moves.size() > kShown;
  if (is_cut) moves.pop_back();
  return StrCat(" here; legal are ", Join(moves, " "), is_cut ? " ..." : "");
}

template <GameState S>
Result<Action> PositionOf<S>::ParseMove(std::string_view text) const {
  for (const Action a : LegalActions()) {
    if (state_.MoveText(a) == text) return a;
  }
  return Error{Errc::kInvalid,
               StrCat("move '", text, "' is not legal in ", std::string_view(S::kName),
                      WhatIsLegal([this](Action a) { return state_.MoveText(a); }))};
}

// Thread-safe: nothing changes after construction.
template <GameState S>
class GameOpsOf final : public GameOps {
 public:
  explicit GameOpsOf(GameInfo info) : info_(std::move(info)) {}

  const GameInfo& info() const override { return info_; }
  std::unique_ptr<Position> Start() const override { return std::make_unique<PositionOf<S>>(S{}); }
  Result<std::unique_ptr<Position>> Start(const StartOptions& options) const override;
  Action MapAction(Action a, int symmetry) const override { return S::MapAction(a, symmetry); }
  void MapPlanes(std::span<const std::uint64_t> in, int symmetry,
                 std::span<std::uint64_t> out) const override;

 private:
  GameInfo info_;
};

template <GameState S>
Result<std::unique_ptr<Position>> GameOpsOf<S>::Start(const StartOptions& options) const {
  if (!options.komi.has_value()) return Start();
  if constexpr (requires { S::WithKomi(*options.komi); }) {
    AZ_ASSIGN_OR_RETURN(const S start, S::WithKomi(*options.komi));
    return std::unique_ptr<Position>(std::make_unique<PositionOf<S>>(start));
  } else {
    return Error{Errc::kInvalid,
                 StrCat("game '", std::string_view(S::kName), "' has no option komi")};
  }
}

template <GameState S>
void GameOpsOf<S>::MapPlanes(std::span<const std::uint64_t> in, int symmetry,
                             std::span<std::uint64_t> out) const {
  constexpr auto kWords = static_cast<std::size_t>(S::kShape.words());
  AZ_CHECK_EQ(in.size(), kWords);
  AZ_CHECK_EQ(out.size(), kWords);
  std::ranges::fill(out, 0);
  constexpr auto kPlaneWords = static_cast<std::size_t>(S::kShape.words_per_plane());
  for (std::size_t word = 0; word < kWords; ++word) {
    const std::size_t plane_start = word / kPlaneWords * kPlaneWords;
    for (std::uint64_t rest = in[word]; rest != 0; rest &= rest - 1) {
      const int cell = static_cast<int>(word % kPlaneWords) * 64 + std::countr_zero(rest);
      const auto image = static_cast<std::size_t>(S::MapCell(cell, symmetry));
      out[plane_start + image / 64] |= std::uint64_t{1} << (image % 64);
    }
  }
}

}  // namespace az
