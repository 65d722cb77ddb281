#pragma once
// OpeningBook: the positions that the pairs of a match start from, in the words of az_arena's
// --openings: "plies=4", so many random plies that do not decide the game, or a file of move lists.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/arena/pairing.h"
#include "games/game_ops.h"

namespace az {

// Whether a side can force its win within `plies` plies from here, or the game is over. Exhaustive:
// for a few plies.
bool IsDecided(const Position& position, int plies);

// Reads a file of openings: one a line, moves with spaces or commas between them; '#' begins a
// comment, empty lines count for nothing. Or, where it begins with '(', SGF: the main line of each
// game. kNotFound, kIo; kInvalid names file and line: a move that is not legal there, an opening
// that ends the game, no opening at all.
Result<std::vector<std::vector<Action>>> ReadOpenings(const std::filesystem::path& file,
                                                      const GameOps& game);

// Thread-safe: never changes.
class OpeningBook {
 public:
  // `game` outlives the book. kInvalid for anything but "plies=N" and a file; as ReadOpenings.
  static Result<OpeningBook> Make(std::string_view text, const GameOps& game, std::uint64_t seed);

  // The first actions of both games of a pair: always the same for the same book. Lines of a file
  // come in turn; random plies (OpeningDealer) leave both sides without a win in the next
  // kQuietPlies plies, wherever such a position is found.
  std::vector<Action> Opening(std::uint32_t pair) const;
  static constexpr int kQuietPlies = 2;

  // Tells books apart: "plies=4+" (deeper where those run out; older builds wrote
  // "plies=4" and dealt no deeper), or the file with a checksum of what it holds.
  const std::string& identity() const { return identity_; }
  std::size_t lines() const { return lines_.size(); }  // 0: random plies

 private:
  OpeningBook(const GameOps& game, int plies, std::uint64_t seed)
      : game_(&game), plies_(plies), seed_(seed) {}

  const GameOps* game_;
  int plies_;
  std::uint64_t seed_;
  std::vector<std::vector<Action>> lines_;
  std::string identity_;
};

}  // namespace az
