#pragma once
// Tournament: who meets whom, and what the matches of several players have come to: as a table for
// a person, as JSON and CSV for programs. Pure.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/result.h"
#include "engine/arena/match_report.h"
#include "engine/arena/sprt.h"
#include "games/game_ops.h"

namespace az {

enum class TournamentFormat : std::uint8_t { kRoundRobin, kGauntlet };
template <>
struct EnumNames<TournamentFormat> {
  static constexpr std::array<std::pair<TournamentFormat, std::string_view>, 2> value = {
      {{TournamentFormat::kRoundRobin, "round_robin"}, {TournamentFormat::kGauntlet, "gauntlet"}}};
};

// By its name in EnumNames; kInvalid lists them.
Result<TournamentFormat> ParseFormat(std::string_view name);

struct Meet {
  std::size_t a = 0;  // the match's player 0
  std::size_t b = 0;
};
// Round robin: everybody meets everybody. Gauntlet: the first meets all others. In an order that
// more players do not change for those that were there.
std::vector<Meet> MeetsOf(TournamentFormat format, std::size_t players);

struct PlayedMatch {
  Meet meet;
  std::int64_t asked = 0;              // games
  MatchReport report;                  // of the games that count
  std::int64_t uncounted = 0;          // ended beyond the pair that stopped the match
  std::optional<SprtVerdict> stopped;  // the test that ended it
};

struct TournamentResults {
  const GameOps* game = nullptr;
  std::vector<std::string> players;
  TournamentFormat format = TournamentFormat::kRoundRobin;
  std::string openings;  // OpeningBook::identity
  std::optional<Sprt> sprt;
  std::vector<PlayedMatch> matches;
};

// "+12 =3 -5, score 67.5 %, Elo +127 [+20, +267], LOS 98.9 %", with the test's state.
std::string ScoreLine(const MatchReport& report, const std::optional<Sprt>& sprt);
// "+127", "-inf".
std::string EloText(double elo);

// For a person; several lines with their ends.
std::string ResultTable(const TournamentResults& results);
// One object in one line, no newline. Of two players it has the keys of their match at the top;
// docs/az_arena.md lists them. Infinite Elo is null.
std::string ResultJson(const TournamentResults& results);
// A header and a line a match.
std::string ResultCsv(const TournamentResults& results);

// Ratings over all matches, the first player's 0, in the order of players; nullopt: joined to it by
// no game.
struct RatedPlayer {
  double elo = 0;
  double margin = 0;  // 95 %
};
std::vector<std::optional<RatedPlayer>> RatingsOf(const TournamentResults& results);

}  // namespace az
