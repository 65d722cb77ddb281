#pragma once
// Options described once. Below each option struct stands
//
//   template <class V> void Describe(V& v, SearchOptions& o) {
//     v.Field("visits", o.visits, Range{1, 1'000'000}, "simulations per move in a full search");
//     v.Field("root", o.root, "how the root chooses: puct, gumbel or auto");          // no range: text, bool, enum
//     v.Section("noise", o.noise, "exploration noise at the root");                    // a nested struct
//   }
//
// and every visitor (YAML reader, --set, printer, docs, hash, difference) walks it. A visitor has Field for each type
// below and Section. Enums give their names through EnumNames<E>; sizes are Bytes; `Auto<T>` is a value or "auto".

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"

namespace az {

// Inclusive bounds of a number.
template <class T>
struct Range {
  T low;
  T high;
};
template <class T>
Range(T, T) -> Range<T>;

// A value, or nothing: "auto", which the planner or the program fills in.
template <class T>
using Auto = std::optional<T>;

// The names of an enum, in one place. Specialise it next to the enum:
//   static constexpr auto value =
//       std::to_array<std::pair<E, std::string_view>>({{E::kA, "a"}, {E::kB, "b"}});
template <class E>
struct EnumNames;

// The name of a value; "?" for one without a name.
template <class E>
constexpr std::string_view EnumName(E value) {
  for (const auto& [candidate, name] : EnumNames<E>::value) {
    if (candidate == value) return name;
  }
  return "?";
}

// The value with this name; nullopt for a name that no value has.
template <class E>
constexpr std::optional<E> EnumFromName(std::string_view name) {
  for (const auto& [value, candidate] : EnumNames<E>::value) {
    if (candidate == name) return value;
  }
  return std::nullopt;
}

}  // namespace az
