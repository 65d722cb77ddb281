#include "engine/play/analysis_request.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/strings.h"
#include "engine/play/thinker.h"

namespace az {
namespace {

using Json = nlohmann::json;

constexpr int kMaxBoardSize = 64;
constexpr std::size_t kShownBytes = 60;

Error Fault(std::string text) { return {Errc::kInvalid, std::move(text)}; }

// The text of a value for an error.
std::string Shown(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kShownBytes) text = text.substr(0, kShownBytes) + "...";
  return text;
}

Error WrongType(std::string_view field, const Json& value, std::string_view wanted) {
  return Fault(StrCat("field '", field, "' is ", Shown(value), ", not ", wanted));
}

Result<std::string> ReadText(std::string_view field, const Json& value) {
  if (!value.is_string()) return WrongType(field, value, "a text");
  return value.get<std::string>();
}

Result<std::int64_t> ReadInt(std::string_view field, const Json& value, std::int64_t least,
                             std::int64_t most) {
  const std::string wanted = StrCat("an integer from ", least, " to ", most);
  if (!value.is_number_integer()) return WrongType(field, value, wanted);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
    return WrongType(field, value, wanted);
  }
  const auto number = value.get<std::int64_t>();
  if (number < least || number > most) return WrongType(field, value, wanted);
  return number;
}

Result<void> ReadMoves(const Json& value, std::vector<std::string>& moves) {
  if (!value.is_array()) return WrongType("moves", value, "a list of moves");
  for (const Json& move : value) {
    if (!move.is_string()) return WrongType("moves", move, "a move as text");
    moves.push_back(move.get<std::string>());
  }
  return {};
}

Result<void> ReadField(const std::string& field, const Json& value, AnalysisRequest& request) {
  if (field == "id") return {};
  if (field == "moves") return ReadMoves(value, request.moves);
  if (field == "game") {
    AZ_ASSIGN_OR_RETURN(request.game, ReadText(field, value));
  } else if (field == "player") {
    AZ_ASSIGN_OR_RETURN(request.player, ReadText(field, value));
  } else if (field == "board_size") {
    AZ_ASSIGN_OR_RETURN(const std::int64_t size, ReadInt(field, value, 1, kMaxBoardSize));
    request.board_size = static_cast<int>(size);
  } else if (field == "sims") {
    AZ_ASSIGN_OR_RETURN(const std::int64_t sims, ReadInt(field, value, 1, kMostSimulations));
    request.simulations = static_cast<int>(sims);
  } else if (field == "seed") {
    AZ_ASSIGN_OR_RETURN(const std::int64_t seed, ReadInt(field, value, 0, INT64_MAX));
    request.seed = static_cast<std::uint64_t>(seed);
  } else if (field == "komi") {
    if (!value.is_number()) return WrongType(field, value, "a number");
    request.komi = value.get<double>();
  } else {
    const std::vector<std::string> known = {"id",   "player", "game", "board_size",
                                            "komi", "moves",  "sims", "seed"};
    const std::string nearest = Nearest(field, known);
    return Fault(
        StrCat("unknown field ", Shown(field), " (",
               nearest.empty() ? Join(known, ", ") : StrCat("did you mean '", nearest, "'?"), ")"));
  }
  return {};
}

Result<std::string> ReadId(const Json& object) {
  const auto id = object.find("id");
  if (id == object.end()) return Fault("field 'id' is missing: a text or an integer");
  if (!id->is_string() && !id->is_number_integer()) {
    return WrongType("id", *id, "a text or an integer");
  }
  std::string text = id->dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMaxIdBytes) {
    return Fault(StrCat("field 'id' has ", text.size(), " bytes, at most ", kMaxIdBytes));
  }
  return text;
}

Result<AnalysisRequest> ReadRequest(const Json& object) {
  AnalysisRequest request;
  for (const auto& [field, value] : object.items()) {
    AZ_RETURN_IF_ERROR(ReadField(field, value, request));
  }
  if (!object.contains("moves")) {
    return Fault("field 'moves' is missing: a list, [] for the start of the game");
  }
  return request;
}

// Whether the line is nested too deeply: reading and freeing deep JSON would cost stack, and a
// request is only a list in an object.
bool IsDeep(std::string_view line) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (in_text) {
      if (line[i] == '\\')
        ++i;
      else if (line[i] == '"')
        in_text = false;
      continue;
    }
    if (line[i] == '"') in_text = true;
    if (line[i] == '[' || line[i] == '{') ++depth;
    if (line[i] == ']' || line[i] == '}') --depth;
    if (depth > 8) return true;
  }
  return false;
}

}  // namespace

AnalysisLine ParseAnalysisLine(std::string_view line) {
  if (line.size() > kMaxRequestBytes) {
    return {.request = Fault(StrCat("the line has more than ", kMaxRequestBytes, " bytes"))};
  }
  if (IsDeep(line)) return {.request = Fault("the line is nested too deep")};
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) return {.request = Fault("the line is no JSON")};
  if (!object.is_object()) return {.request = Fault("the line is no JSON object")};
  const Result<std::string> id = ReadId(object);
  if (!id) return {.request = id.error()};
  return {.id = *id, .request = ReadRequest(object)};
}

}  // namespace az
