#include "engine/play/gtp_analysis.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/strings.h"
#include "base/words.h"
#include "engine/play/gtp_line.h"

namespace az {
namespace {

constexpr double kShortestInterval_cs = 1.0;
constexpr double kLongestInterval_cs = 1e6;

// Keys that ask for things this engine does not know.
constexpr std::array<std::string_view, 8> kWithoutEffect = {
    "minmoves", "ownership",    "ownershipstdev",      "movesownership",
    "pvvisits", "pvedgevisits", "movesownershipstdev", "noresultvalue"};

Error BadArgument(std::string_view key, std::string_view value) {
  return Error{Errc::kInvalid, StrCat("syntax error: ", key, value.empty() ? "" : " ", value)};
}

Result<Duration> ParseInterval(std::string_view text) {
  double hundredths = 0;
  if (!ParseDouble(text, hundredths) || !(hundredths >= 0)) return BadArgument("interval", text);
  hundredths = std::clamp(hundredths, kShortestInterval_cs, kLongestInterval_cs);
  return Duration(static_cast<std::int64_t>(hundredths * 1e7));
}

Result<void> TakePair(const std::string& key, const std::string& value,
                      GtpAnalysisRequest& request) {
  const std::string name = LowerCase(key);
  if (name == "interval") {
    AZ_ASSIGN_OR_RETURN(request.interval, ParseInterval(value));
    return {};
  }
  if (name == "maxmoves") {
    std::uint64_t moves = 0;
    if (!ParseUint(value, moves)) return BadArgument(key, value);
    request.max_moves = std::max<std::size_t>(1, static_cast<std::size_t>(moves));
    return {};
  }
  if (name == "rootinfo") {
    request.root_info = LowerCase(value) == "true";
    return {};
  }
  if (std::ranges::find(kWithoutEffect, name) != kWithoutEffect.end()) return {};
  return BadArgument(key, value);
}

std::string Variation(const GameSession& session, const std::vector<Action>& actions) {
  const std::unique_ptr<Position> position = session.position().Clone();
  std::string text;
  for (const Action action : actions) {
    if (!position->IsLegal(action)) break;
    text += StrCat(' ', GtpMoveText(session.game(), position->MoveText(action)));
    if (!position->Apply(action).has_value()) break;
  }
  return text;
}

// A fraction of one, as the form writes it.
std::string Share(GtpAnalysisForm form, double share) {
  if (form == GtpAnalysisForm::kLeelaZero) return StrCat(static_cast<int>(share * 10'000 + 0.5));
  return Fixed(share, 6);
}

std::string WinRate(GtpAnalysisForm form, double value) { return Share(form, (value + 1) / 2); }

}  // namespace

std::string GtpMoveText(const GameOps& game, std::string_view name) {
  std::string text(name);
  const std::string& family = game.info().family;
  if (family == "go" || family == "gomoku" || family.starts_with("mnk_")) {
    for (char& letter : text) {
      if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    }
  }
  return text;
}

Result<GtpAnalysisRequest> ParseGtpAnalysis(std::span<const std::string> arguments) {
  GtpAnalysisRequest request;
  if (!arguments.empty()) {
    request.color = ParseGtpColor(arguments.front());
    if (request.color.has_value()) arguments = arguments.subspan(1);
  }
  double number = 0;
  if (!arguments.empty() && ParseDouble(arguments.front(), number)) {
    AZ_ASSIGN_OR_RETURN(request.interval, ParseInterval(arguments.front()));
    arguments = arguments.subspan(1);
  }
  for (; !arguments.empty(); arguments = arguments.subspan(2)) {
    if (arguments.size() < 2) return BadArgument(arguments.front(), "");
    AZ_RETURN_IF_ERROR(TakePair(arguments[0], arguments[1], request));
  }
  return request;
}

std::string GtpAnalysisLine(GtpAnalysisForm form, const GtpAnalysisRequest& request,
                            const GameSession& session, const Thought& thought) {
  const bool kata = form == GtpAnalysisForm::kKataGo;
  std::string line;
  for (std::size_t i = 0; i < std::min(thought.moves.size(), request.max_moves); ++i) {
    const MoveInfo& move = thought.moves[i];
    const std::string name = GtpMoveText(session.game(), session.position().MoveText(move.action));
    line += StrCat(i == 0 ? "" : " ", "info move ", name, " visits ", move.visits);
    if (kata) line += StrCat(" utility ", Fixed(move.value, 6));
    line += StrCat(" winrate ", WinRate(form, move.value), " prior ",
                   Share(form, static_cast<double>(move.prior)), " order ", i, " pv",
                   Variation(session, move.variation));
  }
  if (kata && request.root_info) {
    std::uint64_t visits = 0;
    for (const MoveInfo& move : thought.moves) visits += move.visits;
    line += StrCat(" rootInfo winrate ", WinRate(form, thought.value), " utility ",
                   Fixed(thought.value, 6), " visits ", visits);
  }
  return line + '\n';
}

}  // namespace az
