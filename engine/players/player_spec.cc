#include "engine/players/player_spec.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include "base/readable.h"
#include "base/strings.h"
#include "games/solvers/solver.h"

namespace az {
namespace {

constexpr std::string_view kIteration = "@iter=";
constexpr std::string_view kGtpPrefix = "gtp:";
constexpr std::string_view kMctsPrefix = "mcts:";

Error Bad(std::string_view text, std::string_view fault) {
  return Error{Errc::kInvalid, StrCat("player '", Shown(text), "': ", fault)};
}

bool IsKeyChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// Whether `text` looks like settings: nothing, or a key and '='.
bool LooksLikeSettings(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, IsKeyChar);
  return text.empty() || (end != text.begin() && end != text.end() && *end == '=');
}

std::size_t FindSettings(std::string_view text) {
  for (std::size_t at = text.rfind('?'); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : text.rfind('?', at - 1)) {
    if (LooksLikeSettings(text.substr(at + 1))) return at;
  }
  return std::string_view::npos;
}

// Reads kind, source and iteration from the text before the settings. Settings within `body` are
// put in front of `settings`.
Result<void> ParseBody(std::string_view body, PlayerSpec& spec, std::string& settings) {
  if (body == "random") {
    spec.kind = PlayerKind::kRandom;
  } else if (body == "solver") {
    spec.kind = PlayerKind::kSolver;
  } else if (body == "mcts" || body.starts_with(kMctsPrefix)) {
    spec.kind = PlayerKind::kMcts;
    const std::string_view inner = body.substr(std::min(kMctsPrefix.size(), body.size()));
    if (!inner.empty()) settings = settings.empty() ? inner : StrCat(inner, "&", settings);
  } else if (body.starts_with(kGtpPrefix)) {
    spec.kind = PlayerKind::kGtp;
    spec.source = Trim(body.substr(kGtpPrefix.size()));
    if (spec.source.empty()) {
      return Bad(spec.text, "no command behind gtp: (for example gtp:gnugo --mode gtp)");
    }
  } else {
    spec.kind = PlayerKind::kCheckpoint;
    const std::size_t at = body.rfind(kIteration);
    if (at != std::string_view::npos) {
      const std::string_view digits = body.substr(at + kIteration.size());
      std::uint64_t number = 0;
      if (!ParseUint(digits, number) || number > std::numeric_limits<std::uint32_t>::max()) {
        return Bad(spec.text, StrCat("iteration '", Shown(digits), "' is not a number"));
      }
      spec.iteration = static_cast<std::uint32_t>(number);
      body = body.substr(0, at);
    }
    spec.source = body;
    if (spec.source.empty()) {
      return Bad(spec.text,
                 "it is empty (a run or checkpoint folder, random, mcts:sims=1000, solver or "
                 "gtp:COMMAND)");
    }
  }
  return {};
}

}  // namespace

Result<PlayerSpec> ParsePlayer(std::string_view given) {
  const std::string_view text = Trim(given);
  if (text.size() > kMaxPlayerText) {
    return Bad(text, StrCat(text.size(), " bytes, at most ", kMaxPlayerText, " are allowed"));
  }
  const auto control = std::ranges::find_if(
      text, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; });
  if (control != text.end()) {
    return Bad(text, StrCat("a control character at byte ", control - text.begin() + 1));
  }
  PlayerSpec spec{.text = std::string(text)};
  const std::size_t question = FindSettings(text);
  std::string settings;
  if (question != std::string_view::npos) settings = Trim(text.substr(question + 1));
  AZ_RETURN_IF_ERROR(ParseBody(Trim(text.substr(0, question)), spec, settings));
  Result<PlayerSettings> read = ParsePlayerSettings(spec.kind, settings);
  if (!read) return Bad(text, read.error().message);
  spec.settings = std::move(*read);
  return spec;
}

std::string ToString(const PlayerSpec& spec) {
  const std::string settings = ToString(spec.settings);
  std::string text;
  switch (spec.kind) {
    case PlayerKind::kRandom:
    case PlayerKind::kSolver:
      text = EnumName(spec.kind);
      break;
    case PlayerKind::kMcts:
      return settings.empty() ? "mcts" : StrCat(kMctsPrefix, settings);
    case PlayerKind::kGtp:
      text = StrCat(kGtpPrefix, spec.source);
      break;
    case PlayerKind::kCheckpoint:
      text = spec.source;
      if (spec.iteration) text += StrCat(kIteration, *spec.iteration);
      break;
  }
  if (!settings.empty()) return StrCat(text, "?", settings);
  return FindSettings(text) == std::string_view::npos ? text : text + "?";
}

Result<void> CheckPlayerFor(const PlayerSpec& spec, const GameInfo& game) {
  if (spec.kind != PlayerKind::kSolver) return {};
  const std::vector<std::string> solved = SolvedEntries();
  if (std::ranges::count(solved, game.entry) > 0) return {};
  return Bad(spec.text,
             StrCat("there is no solver for ", game.entry, ", only for ", Join(solved, ", ")));
}

}  // namespace az
