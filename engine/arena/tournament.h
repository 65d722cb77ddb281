#pragma once
// Tournament: who meets whom, and the results of the matches of several players: as a table for a
// person, as JSON and CSV for programs. Pure.

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

// The format with this name. Fails with kInvalid, listing the names.
Result<TournamentFormat> ParseFormat(std::string_view name);

struct Meet {
  std::size_t a = 0;  // the match's player 0
  std::size_t b = 0;
};
// Round robin: everybody meets everybody. Gauntlet: the first meets all others. Adding players does
// not change the order of the earlier players' matches.
std::vector<Meet> MeetsOf(TournamentFormat format, std::size_t players);

struct PlayedMatch {
  Meet meet;
  std::int64_t asked = 0;              // games asked for
  MatchReport report;                  // the games that count
  std::int64_t uncounted = 0;          // games that ended beyond the pair that stopped the match
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

// A match in a line, with the test's state: "+12 =3 -5, score 67.5 %, Elo +127 [+20, +267], LOS
// 98.9 %".
std::string ScoreLine(const MatchReport& report, const std::optional<Sprt>& sprt);
// An Elo difference for a person: "+127", "-inf".
std::string EloText(double elo);

// The results for a person; several lines, each with a newline.
std::string ResultTable(const TournamentResults& results);
// The results as one JSON object in one line, without a newline. With two players the keys of their
// match are at the top; docs/az_arena.md lists them. An infinite Elo is null.
std::string ResultJson(const TournamentResults& results);
// The results as CSV: a header, and one line per match.
std::string ResultCsv(const TournamentResults& results);

// A player's rating over all matches, with the first player's 0, in the order of players; nullopt:
// no game joins the player to the first.
struct RatedPlayer {
  double elo = 0;
  double margin = 0;  // half the width of the 95 % interval
};
std::vector<std::optional<RatedPlayer>> RatingsOf(const TournamentResults& results);

}  // namespace az
