#pragma once
// Bytes: a quantity of memory. Arithmetic among its own kind only; text with binary and decimal
// units.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace az {

class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t count) : count_(count) {}
  constexpr std::int64_t count() const { return count_; }

  friend constexpr auto operator<=>(const Bytes&, const Bytes&) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.count_ + b.count_); }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes(a.count_ - b.count_); }
  friend constexpr Bytes operator*(Bytes a, std::int64_t k) { return Bytes(a.count_ * k); }
  friend constexpr Bytes operator*(std::int64_t k, Bytes a) { return a * k; }
  friend constexpr std::int64_t operator/(Bytes a, Bytes b) { return a.count_ / b.count_; }
  friend constexpr Bytes operator/(Bytes a, std::int64_t k) { return Bytes(a.count_ / k); }
  constexpr Bytes& operator+=(Bytes b) { return *this = *this + b; }
  constexpr Bytes& operator-=(Bytes b) { return *this = *this - b; }

 private:
  std::int64_t count_ = 0;
};

constexpr Bytes KiB(std::int64_t n) { return Bytes(n << 10); }
constexpr Bytes MiB(std::int64_t n) { return Bytes(n << 20); }
constexpr Bytes GiB(std::int64_t n) { return Bytes(n << 30); }

// "0 B", "512 B", "1.5 KiB", "36 MiB", "11.74 GiB": at most three significant digits, four from 10
// GiB.
std::string FormatBytes(Bytes bytes);

// Reads "512MiB", "4 GiB", "12GB" (decimal), "64KiB", "100B". A number without a unit, a negative
// number or an unknown unit is kInvalid and the message says which units there are.
Result<Bytes> ParseBytes(std::string_view text);

}  // namespace az
