#pragma once
// Structs of sums: what was counted, so that parts add up and phases take differences. Such a
// struct names each of its members once, and whoever needs all of them follows that:
//   template <class V>
//   static constexpr void VisitSums(V&& visit) { visit("rows", &Counts::rows); ... }

#include <cstddef>

namespace az {

template <class S>
constexpr void AddSums(const S& from, S& to) {
  S::VisitSums([&](const char*, auto sum) { to.*sum += from.*sum; });
}

template <class S>
constexpr void SubtractSums(const S& from, S& to) {
  S::VisitSums([&](const char*, auto sum) { to.*sum -= from.*sum; });
}

// The bytes of all that S::VisitSums names: sizeof(S) where nothing was forgotten, as all members
// are of eight bytes.
template <class S>
consteval std::size_t BytesOfSums() {
  std::size_t bytes = 0;
  S::VisitSums([&]<class C, class T>(const char*, T C::*) { bytes += sizeof(T); });
  return bytes;
}

}  // namespace az
