#pragma once
// ArenaIdentity: what a folder of az_arena holds the games of, as kept in arena.json. The same
// command goes on there; another one is refused, but that games may grow.

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
    std::uint32_t weights_crc = 0;  // of its weights file; 0: it has none
    friend bool operator==(const Participant&, const Participant&) = default;
  };
  std::string game;    // registry entry
  std::string format;  // TournamentFormat
  std::vector<Participant> players;
  std::string openings;  // OpeningBook::identity
  std::string sprt;      // "elo0=0,elo1=10,alpha=0.05,beta=0.05", or empty
  std::string search;    // what the players' own settings stand over
  std::uint64_t seed = 1;
  std::uint32_t games = 0;                       // of each match
  std::map<std::uint32_t, std::string> stopped;  // matches that the test ended: its verdict

  // Eight hexadecimal digits, the same for commands that may go on with each other's games.
  std::string Digest() const;
};

inline constexpr std::string_view kArenaFile = "arena.json";

std::string ToJson(const ArenaIdentity& identity);
// kIncompatible: another format. kCorrupt: not what ToJson writes.
Result<ArenaIdentity> ArenaIdentityFromJson(std::string_view text);
// What `folder` holds; nullopt: no arena's games.
Result<std::optional<ArenaIdentity>> ReadArenaIdentity(const std::filesystem::path& folder);

// kIncompatible lists what differs between the folder's games and those asked for now.
Result<void> CheckGoesOn(const ArenaIdentity& saved, const ArenaIdentity& now,
                         std::string_view folder);

}  // namespace az
