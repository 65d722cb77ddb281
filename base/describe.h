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

// Specialise: static constexpr std::array<std::pair<E, std::string_view>, N> value = {{{E::kA, "a"}, …}};
template <class E>
struct EnumNames;

template <class E>
constexpr std::string_view EnumName(E value) {
  for (const auto& [candidate, name] : EnumNames<E>::value) {
    if (candidate == value) return name;
  }
  return "?";
}

}  // namespace az
