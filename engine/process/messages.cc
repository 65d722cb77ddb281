#include "engine/process/messages.h"

#include <array>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/strings.h"
#include "engine/process/message_fields.h"

namespace az {
namespace {

using Json = nlohmann::json;
using message_fields::Fields;
using message_fields::kTypeName;

template <class E>
struct EnumName {
  E value;
  std::string_view name;
};
constexpr std::array<EnumName<PlayerType>, 5> Names(PlayerType) {
  return {{{PlayerType::kNet, "net"},
           {PlayerType::kRandom, "random"},
           {PlayerType::kPureMcts, "pure_mcts"},
           {PlayerType::kSolver, "solver"},
           {PlayerType::kGtp, "gtp"}}};
}
constexpr std::array<EnumName<GameKind>, 5> Names(GameKind) {
  return {{{GameKind::kSelfPlay, "self_play"},
           {GameKind::kGate, "gate"},
           {GameKind::kFinal, "final"},
           {GameKind::kMatch, "match"},
           {GameKind::kYardstick, "yardstick"}}};
}
constexpr std::array<EnumName<CleanupLevel>, 2> Names(CleanupLevel) {
  return {{{CleanupLevel::kLight, "light"}, {CleanupLevel::kFull, "full"}}};
}

// ---- writing ----
struct Writer {
  Json& object;

  template <class T>
  static Json Value(T& value) {
    if constexpr (std::is_enum_v<T>) {
      for (const auto& entry : Names(value)) {
        if (entry.value == value) return Json(std::string(entry.name));
      }
      AZ_CHECK(false) << "message with enum value " << static_cast<int>(value);
    }
    if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      return Json(value);
    } else {
      Json json = Json::object();
      Writer writer{json};
      if constexpr (!std::is_enum_v<T>) Fields(writer, value);
      return json;
    }
  }
  template <class T>
  static Json Value(std::vector<T>& values) {
    Json json = Json::array();
    for (T& value : values) json.push_back(Value(value));
    return json;
  }
  template <class T>
  void operator()(const char* name, T& value) {
    object[name] = Value(value);
  }
};

// ---- reading: keeps the first fault, with the path of its field ----

struct Reader {
  const Json& object;
  std::string place;  // "grant.games[3]"
  std::optional<std::string>& fault;

  void Fail(std::string_view where, std::string_view what) {
    if (!fault) fault = StrCat("field ", where, " ", what);
  }
  void Read(const Json& json, bool& value, std::string_view where) {
    if (!json.is_boolean()) return Fail(where, "is not true or false");
    value = json.get<bool>();
  }
  void Read(const Json& json, std::string& value, std::string_view where) {
    if (!json.is_string()) return Fail(where, "is not text");
    value = json.get_ref<const std::string&>();
  }
  void Read(const Json& json, double& value, std::string_view where) {
    if (json.is_null()) {  // JSON's way to write what is not finite
      value = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    if (!json.is_number()) return Fail(where, "is not a number");
    value = json.get<double>();
  }
  template <std::integral T>
  void Read(const Json& json, T& value, std::string_view where) {
    if (json.is_number_unsigned()) {
      const auto number = json.get<std::uint64_t>();
      if (!std::in_range<T>(number)) return Fail(where, StrCat("= ", number, " is out of range"));
      value = static_cast<T>(number);
    } else if (json.is_number_integer()) {
      const auto number = json.get<std::int64_t>();
      if (!std::in_range<T>(number)) return Fail(where, StrCat("= ", number, " is out of range"));
      value = static_cast<T>(number);
    } else {
      Fail(where, "is not an integer");
    }
  }
  template <class T>
  requires std::is_enum_v<T>
  void Read(const Json& json, T& value, std::string_view where) {
    std::string name;
    Read(json, name, where);
    if (fault) return;
    for (const auto& entry : Names(T{})) {
      if (entry.name == name) {
        value = entry.value;
        return;
      }
    }
    Fail(where, StrCat("= '", name, "' is unknown"));
  }
  template <class T>
  requires std::is_class_v<T>
  void Read(const Json& json, T& value, std::string_view where) {
    if (!json.is_object()) return Fail(where, "is not an object");
    Reader inner{json, std::string(where), fault};
    Fields(inner, value);
  }
  template <class T>
  void Read(const Json& json, std::vector<T>& values, std::string_view where) {
    if (!json.is_array()) return Fail(where, "is not an array");
    values.resize(json.size());
    for (std::size_t i = 0; i < values.size() && !fault; ++i) {
      Read(json[i], values[i], StrCat(where, "[", i, "]"));
    }
  }
  template <class T>
  void operator()(const char* name, T& value) {
    if (fault) return;
    const std::string where = StrCat(place, ".", name);
    const auto found = object.find(name);
    if (found == object.end()) return Fail(where, "is missing");
    Read(*found, value, where);
  }
};

Error Bad(std::string_view what) {
  return Error{Errc::kCorrupt, StrCat("read control message: ", what)};
}

// Text of unknown origin, cut and made printable, for an error message.
std::string Excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out;
  for (const char c : text.substr(0, kLongest)) out.push_back(c >= ' ' && c <= '~' ? c : '?');
  if (text.size() > kLongest) out += "…";
  return out;
}

template <std::size_t I = 0>
Result<ControlMessage> ReadAs(std::string_view type, const Json& json) {
  if constexpr (I == std::variant_size_v<ControlMessage>) {
    return Bad(StrCat("unknown type '", Excerpt(type), "'"));
  } else {
    using Message = std::variant_alternative_t<I, ControlMessage>;
    static_assert(!kTypeName<Message>.empty(), "every control message has a name");
    if (type != kTypeName<Message>) return ReadAs<I + 1>(type, json);
    Message message;
    std::optional<std::string> fault;
    Reader reader{json, std::string(type), fault};
    Fields(reader, message);
    if (fault) return Bad(*fault);
    return ControlMessage(std::move(message));
  }
}

}  // namespace

std::string_view MessageName(const ControlMessage& message) {
  return std::visit([]<class M>(const M&) { return kTypeName<M>; }, message);
}

std::string ToLine(const ControlMessage& message) {
  Json json = Json::object();
  std::visit(
      [&json](auto copy) {
        Writer writer{json};
        Fields(writer, copy);
      },
      message);
  json["type"] = std::string(MessageName(message));
  // Paths and error texts may hold bytes that are not UTF-8; they are replaced, not thrown at us.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ControlMessage> ParseLine(std::string_view line) {
  if (line.size() > kMaxLineBytes) {
    return Bad(StrCat("line of ", line.size(), " bytes, at most ", kMaxLineBytes, " are allowed"));
  }
  const Json json = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) {
    return Bad(StrCat("not a JSON object: '", Excerpt(line), "'"));
  }
  const auto type = json.find("type");
  if (type == json.end() || !type->is_string()) {
    return Bad(StrCat("field type is missing: '", Excerpt(line), "'"));
  }
  return ReadAs(type->get_ref<const std::string&>(), json);
}

}  // namespace az
