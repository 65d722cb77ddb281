#include "engine/apps/inspect_rules.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <istream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "games/registry.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

struct Wanted {
  bool moves = false;
  bool planes = false;
};

// A request whose members have the right types; its moves need not be legal.
struct Request {
  const GameOps* game = nullptr;
  StartOptions rules;
  Wanted wanted;
  const Json* plies = nullptr;  // null: only the start
  bool plies_are_texts = false;
};

Error Invalid(std::string message) { return Error{Errc::kInvalid, std::move(message)}; }

Result<StartOptions> ReadOptions(const Json& options) {
  if (!options.is_object()) return Invalid("\"options\" is not an object");
  StartOptions rules;
  for (const auto& [key, value] : options.items()) {
    if (key != "komi") return Invalid(StrCat("unknown option \"", key, "\" (there is komi)"));
    if (!value.is_number()) return Invalid("option \"komi\" is not a number");
    rules.komi = value.get<double>();
  }
  return rules;
}

Result<Wanted> ReadWanted(const Json& names) {
  if (!names.is_array()) return Invalid("\"want\" is not a list");
  Wanted wanted;
  for (const Json& name : names) {
    if (name == "moves") {
      wanted.moves = true;
    } else if (name == "planes") {
      wanted.planes = true;
    } else {
      return Invalid("\"want\" knows only \"moves\" and \"planes\"");
    }
  }
  return wanted;
}

Result<Request> ReadRequest(const Json& line) {
  Request request;
  for (const auto& [key, value] : line.items()) {
    if (key == "id") continue;
    if (key == "game") {
      if (!value.is_string()) return Invalid("\"game\" is not a text");
      AZ_ASSIGN_OR_RETURN(request.game, FindGame(value.get_ref<const std::string&>()));
    } else if (key == "actions" || key == "moves") {
      if (request.plies != nullptr) return Invalid("give \"actions\" or \"moves\", not both");
      if (!value.is_array()) return Invalid(StrCat("\"", key, "\" is not a list"));
      request.plies = &value;
      request.plies_are_texts = key == "moves";
    } else if (key == "options") {
      AZ_ASSIGN_OR_RETURN(request.rules, ReadOptions(value));
    } else if (key == "want") {
      AZ_ASSIGN_OR_RETURN(request.wanted, ReadWanted(value));
    } else {
      return Invalid(StrCat("unknown key \"", key,
                            "\" (there are id, game, actions, moves, options and want)"));
    }
  }
  if (request.game == nullptr) return Invalid("\"game\" is missing");
  return request;
}

Json PlanesText(const Position& position, const GameInfo& info) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(info.shape.words()));
  position.Encode(words);
  Json texts = Json::array();
  for (const std::uint64_t word : words) {
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(word));
    texts.push_back(digits.data());
  }
  return texts;
}

Json Describe(const Position& position, const Request& request) {
  const std::vector<Action> legal = position.LegalActions();
  const std::optional<Outcome> outcome = position.FinalOutcome();
  Json numbers = Json::array();
  for (const Action a : legal) numbers.push_back(Index(a));
  Json described = {{"to_move", static_cast<int>(position.ToMove())},
                    {"legal", std::move(numbers)},
                    {"over", outcome.has_value()},
                    {"result", nullptr}};
  if (outcome.has_value()) described["result"] = static_cast<int>(*outcome);
  if (request.wanted.moves) {
    Json& texts = described["moves"] = Json::array();
    for (const Action a : legal) texts.push_back(position.MoveText(a));
  }
  if (request.wanted.planes) described["planes"] = PlanesText(position, request.game->info());
  return described;
}

Result<Action> ReadPly(const Json& ply, const Position& position, bool is_text) {
  if (is_text) {
    if (!ply.is_string()) return Invalid("a move is a text");
    return position.ParseMove(ply.get_ref<const std::string&>());
  }
  constexpr int kLast = std::numeric_limits<std::uint16_t>::max();
  const bool fits = ply.is_number_unsigned() && ply.get<std::uint64_t>() <= kLast;
  if (!fits) return Invalid(StrCat("an action is a whole number from 0 to ", kLast));
  return static_cast<Action>(ply.get<std::uint16_t>());
}

Result<Json> Play(const Request& request) {
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Position> position, request.game->Start(request.rules));
  Json positions = Json::array({Describe(*position, request)});
  if (request.plies == nullptr) return positions;
  for (std::size_t ply = 0; ply < request.plies->size(); ++ply) {
    const auto in_context = [&](const Error& error) {
      return Invalid(StrCat("ply ", ply, ": ", error.message));
    };
    const Result<Action> action =
        ReadPly((*request.plies)[ply], *position, request.plies_are_texts);
    if (!action) return in_context(action.error());
    if (const Result<void> applied = position->Apply(*action); !applied) {
      return in_context(applied.error());
    }
    positions.push_back(Describe(*position, request));
  }
  return positions;
}

Json ErrorAnswer(const Json& id, std::string_view message) {
  return {{"id", id}, {"error", std::string(message)}};
}

Json Answer(const Json& line) {
  if (line.is_discarded()) return ErrorAnswer(nullptr, "the line is not JSON");
  if (!line.is_object()) return ErrorAnswer(nullptr, "the line is not a JSON object");
  const Json id = line.value("id", Json(nullptr));
  const Result<Request> request = ReadRequest(line);
  if (!request) return ErrorAnswer(id, request.error().message);
  Result<Json> positions = Play(*request);
  if (!positions) return ErrorAnswer(id, positions.error().message);
  return {{"id", id}, {"positions", *std::move(positions)}};
}

// Reads a line; nullopt when it is longer than kMaxRulesLine. Returns false at the end of the
// input.
bool ReadLine(std::streambuf& in, std::optional<std::string>& line) {
  constexpr int kEnd = std::char_traits<char>::eof();
  line.emplace();
  int next = in.sbumpc();
  if (next == kEnd) return false;
  for (; next != kEnd && next != '\n'; next = in.sbumpc()) {
    if (!line.has_value()) continue;
    if (line->size() == kMaxRulesLine) {
      line.reset();
    } else {
      line->push_back(static_cast<char>(next));
    }
  }
  return true;
}

}  // namespace

std::string AnswerRulesLine(std::string_view line) {
  const Json request = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  return Answer(request).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void AnswerRules(std::istream& in, std::ostream& out) {
  for (std::optional<std::string> line; out && ReadLine(*in.rdbuf(), line);) {
    if (line.has_value()) {
      out << AnswerRulesLine(*line);
    } else {
      out << ErrorAnswer(nullptr, StrCat("the line is longer than ", kMaxRulesLine, " bytes"));
    }
    out << '\n' << std::flush;
  }
}

}  // namespace az
