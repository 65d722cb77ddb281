#pragma once
// GameOps: the type-erased view of a game, for cold paths (decoding for the replay window,
// printing, parsing moves, tools). The search never uses it. One immutable object per registry
// entry.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "games/game.h"

namespace az {

struct GameInfo {
  std::string entry;   // registry entry: "hex5"
  std::string family;  // "hex"
  int board_size = 0;  // 5; 0 when the family has only one size
  int num_actions = 0;
  int max_plies = 0;
  int num_symmetries = 0;
  PlaneShape shape;
  // Identifies name, planes and actions; equal in every process and build. Segments, journals and
  // checkpoints store and check it.
  std::uint64_t Hash() const;
};

// A position of some game. Thread-compatible.
class Position {
 public:
  virtual ~Position() = default;
  virtual std::unique_ptr<Position> Clone() const = 0;
  virtual Player ToMove() const = 0;
  virtual std::vector<Action> LegalActions() const = 0;  // in rising order
  virtual bool IsLegal(Action a) const = 0;
  virtual Result<void> Apply(
      Action a) = 0;  // kInvalid when illegal; the position is unchanged then
  virtual std::optional<Outcome> FinalOutcome() const = 0;  // nullopt while the game goes on
  virtual std::uint64_t Hash() const = 0;
  virtual void Encode(std::span<std::uint64_t> bits) const = 0;  // kShape.words() words
  virtual std::string MoveText(Action a) const = 0;
  virtual Result<Action> ParseMove(
      std::string_view text) const = 0;  // among the legal moves; kInvalid lists some
  virtual std::string ToString() const = 0;
};

// Options of a game's start. An unset one has the entry's default.
struct StartOptions {
  std::optional<double> komi;  // go: points for the second player
};

// Thread-safe.
class GameOps {
 public:
  virtual ~GameOps() = default;
  virtual const GameInfo& info() const = 0;
  virtual std::unique_ptr<Position> Start() const = 0;
  // Fails with kInvalid when the game has no such option or refuses its value.
  virtual Result<std::unique_ptr<Position>> Start(const StartOptions& options) const = 0;
  // The position after `actions`. Fails with kCorrupt, naming the ply, when one of them is illegal.
  Result<std::unique_ptr<Position>> Replay(std::span<const Action> actions) const;
  virtual Action MapAction(Action a, int symmetry) const = 0;
  // Permutes encoded planes; `in` and `out` hold info().shape.words() words and do not overlap.
  virtual void MapPlanes(std::span<const std::uint64_t> in, int symmetry,
                         std::span<std::uint64_t> out) const = 0;
};

}  // namespace az
