#pragma once
// OpeningBook: the positions that the pairs of a match start from, as az_arena's --openings gives
// them: "plies=4" for so many random plies that do not decide the game, or a file of move lists.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/arena/pairing.h"
#include "games/game_ops.h"

namespace az {

// Whether a side can force a win within `plies` plies from here, or the game is over. Searches
// exhaustively, so use it for a few plies only.
bool IsDecided(const Position& position, int plies);

// Reads a file of openings: one per line, moves separated by spaces or commas; '#' begins a
// comment, and empty lines are ignored. A file that begins with '(' is SGF: the main line of each
// game is an opening. Fails with kNotFound, with kIo, and with kInvalid, naming file and line, for
// an illegal move, an opening that ends the game, or a file without openings.
Result<std::vector<std::vector<Action>>> ReadOpenings(const std::filesystem::path& file,
                                                      const GameOps& game);

// Thread-safe: immutable.
class OpeningBook {
 public:
  // Makes the book from "plies=N" or the path of a file. Fails with kInvalid for other texts, and
  // as ReadOpenings does. `game` outlives the book.
  static Result<OpeningBook> Make(std::string_view text, const GameOps& game, std::uint64_t seed);

  // The first actions of both games of a pair, always the same for the same book. Lines of a file
  // are used in turn. After random plies (OpeningDealer) neither side can force a win within
  // kQuietPlies plies, wherever such a position is found.
  std::vector<Action> Opening(std::uint32_t pair) const;
  static constexpr int kQuietPlies = 2;

  // The text that tells books apart: "plies=4+" (the + says that more plies follow where those run
  // out; builds that dealt no deeper wrote "plies=4"), or the file with a checksum of its openings.
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
