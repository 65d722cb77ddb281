#include "engine/tournament/arena_identity.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

#include "base/crc32c.h"
#include "base/files.h"
#include "base/strings.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

Json IdentityJson(const ArenaIdentity& identity) {
  Json players = Json::array();
  for (const ArenaIdentity::Participant& player : identity.players) {
    players.push_back({{"player", player.text}, {"weights_crc32c", player.weights_crc}});
  }
  return {{"format", ArenaIdentity::kFormat}, {"game", identity.game},
          {"tournament", identity.format},    {"players", players},
          {"openings", identity.openings},    {"sprt", identity.sprt},
          {"search", identity.search},        {"seed", identity.seed}};
}

std::string Dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string ArenaIdentity::Digest() const {
  const std::string text = Dump(IdentityJson(*this), -1);
  char digits[16];
  std::snprintf(digits, sizeof digits, "%08x", Crc32c(std::as_bytes(std::span(text))));
  return digits;
}

std::string ToJson(const ArenaIdentity& identity) {
  Json json = IdentityJson(identity);
  json["games"] = identity.games;
  json["stopped"] = Json::object();
  for (const auto& [match, verdict] : identity.stopped) json["stopped"][StrCat(match)] = verdict;
  return Dump(json, 2) + "\n";
}

Result<ArenaIdentity> ArenaIdentityFromJson(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.at("format").get<int>() != ArenaIdentity::kFormat) {
      return Error{Errc::kIncompatible,
                   StrCat(kArenaFile, " has format ", Dump(Json(json.at("format")), -1),
                          ", this build reads ", ArenaIdentity::kFormat)};
    }
    ArenaIdentity identity;
    identity.game = json.at("game").get<std::string>();
    identity.format = json.at("tournament").get<std::string>();
    for (const auto& player : json.at("players")) {
      identity.players.push_back({player.at("player").get<std::string>(),
                                  player.at("weights_crc32c").get<std::uint32_t>()});
    }
    identity.openings = json.at("openings").get<std::string>();
    identity.sprt = json.at("sprt").get<std::string>();
    identity.search = json.at("search").get<std::string>();
    identity.seed = json.at("seed").get<std::uint64_t>();
    identity.games = json.at("games").get<std::uint32_t>();
    for (const auto& [key, verdict] : json.at("stopped").items()) {
      std::uint64_t match = 0;
      if (!ParseUint(key, match)) return Error{Errc::kCorrupt, "stopped: a key is no number"};
      identity.stopped[static_cast<std::uint32_t>(match)] = verdict.get<std::string>();
    }
    return identity;
  } catch (const nlohmann::json::exception& error) {
    return Error{Errc::kCorrupt, StrCat(kArenaFile, ": ", error.what())};
  }
}

Result<std::optional<ArenaIdentity>> ReadArenaIdentity(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kArenaFile;
  std::error_code code;
  if (!std::filesystem::exists(file, code)) return std::optional<ArenaIdentity>();
  AZ_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  Result<ArenaIdentity> identity = ArenaIdentityFromJson(text);
  if (!identity) return WithContext(file.string(), std::move(identity).error());
  return std::optional<ArenaIdentity>(std::move(identity).value());
}

Result<void> CheckGoesOn(const ArenaIdentity& saved, const ArenaIdentity& now,
                         std::string_view folder) {
  std::vector<std::string> lines;
  const auto differ = [&](std::string_view what, const std::string& was, const std::string& is) {
    if (was != is) lines.push_back(StrCat("  ", what, ": ", was, " there, ", is, " now"));
  };
  const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
  differ("game", saved.game, now.game);
  differ("format", saved.format, now.format);
  differ("players", StrCat(saved.players.size()), StrCat(now.players.size()));
  for (std::size_t i = 0; i < std::min(saved.players.size(), now.players.size()); ++i) {
    const ArenaIdentity::Participant& was = saved.players[i];
    const ArenaIdentity::Participant& is = now.players[i];
    differ(StrCat("player ", i + 1), was.text, is.text);
    if (was.text == is.text && was.weights_crc != is.weights_crc) {
      lines.push_back(StrCat("  player ", i + 1, ": ", is.text,
                             " has other weights now (name the checkpoint, as run@iter=12)"));
    }
  }
  differ("openings", saved.openings, now.openings);
  differ("sprt", or_none(saved.sprt), or_none(now.sprt));
  differ("search", saved.search, now.search);
  differ("seed", StrCat(saved.seed), StrCat(now.seed));
  if (now.games < saved.games) {
    lines.push_back(
        StrCat("  games: ", saved.games, " there, ", now.games, " now: they may only grow"));
  }
  if (lines.empty()) return {};
  return Error{Errc::kIncompatible,
               StrCat(folder, " holds the games of another command (set these back, or choose ",
                      "another --out):\n", Join(lines, "\n"))};
}

}  // namespace az
