#pragma once
// ArenaIdentity: the tournament whose games a folder of az_arena holds, as kept in arena.json. The
// same command continues it; a different one is refused, except that the number of games may grow.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

struct ArenaIdentity {
  static constexpr int kFormat = 1;
  struct Participant {
    std::string text;               // canonical (player_spec.h)
    std::uint32_t weights_crc = 0;  // its weights file's checksum; 0: it has no file
    friend bool operator==(const Participant&, const Participant&) = default;
  };
  std::string game;    // registry entry
  std::string format;  // the TournamentFormat's name
  std::vector<Participant> players;
  std::string openings;  // OpeningBook::identity
  std::string sprt;      // "elo0=0,elo1=10,alpha=0.05,beta=0.05", or empty
  std::string search;    // the search that the players' own settings modify
  std::uint64_t seed = 1;
  std::uint32_t games = 0;                       // games per match
  std::map<std::uint32_t, std::string> stopped;  // matches that the test ended -> its verdict

  // Eight hexadecimal digits, the same for commands that may continue each other's games.
  std::string Digest() const;
};

inline constexpr std::string_view kArenaFile = "arena.json";

std::string ToJson(const ArenaIdentity& identity);
// Reads what ToJson writes. Fails with kIncompatible for another format version, and with kCorrupt
// for other text.
Result<ArenaIdentity> ArenaIdentityFromJson(std::string_view text);
// The identity of the games in `folder`; nullopt: it holds no tournament's.
Result<std::optional<ArenaIdentity>> ReadArenaIdentity(const std::filesystem::path& folder);

// Checks that the command `now` may continue the folder's games. Fails with kIncompatible, listing
// what differs.
Result<void> CheckGoesOn(const ArenaIdentity& saved, const ArenaIdentity& now,
                         std::string_view folder);

}  // namespace az
