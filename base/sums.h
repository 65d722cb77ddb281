#pragma once
// Structs of sums: counts that are added over parts and subtracted between phases. Such a struct
// lists its members once, and all code that needs every member goes through that list:
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

// The bytes of all members that S::VisitSums names. Every member has eight bytes, so this equals
// sizeof(S) exactly when none was forgotten.
template <class S>
consteval std::size_t BytesOfSums() {
  std::size_t bytes = 0;
  S::VisitSums([&]<class C, class T>(const char*, T C::*) { bytes += sizeof(T); });
  return bytes;
}

}  // namespace az
