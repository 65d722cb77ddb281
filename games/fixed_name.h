#pragma once
// FixedName: a short name put together at compile time from words and numbers, so that the name of
// a game template can include its size: FixedName("gomoku").Then(15) reads "gomoku15".

#include <array>
#include <cstddef>
#include <string_view>

namespace az {

// Immutable value. A name longer than kCapacity does not compile.
class FixedName {
 public:
  static constexpr std::size_t kCapacity = 32;

  constexpr explicit FixedName(std::string_view text) { Append(text); }
  constexpr FixedName Then(std::string_view text) const {
    FixedName longer = *this;
    longer.Append(text);
    return longer;
  }
  // REQUIRES: number >= 0.
  constexpr FixedName Then(int number) const {
    FixedName longer = number < 10 ? *this : Then(number / 10);
    const char digit = static_cast<char>('0' + number % 10);
    longer.Append(std::string_view(&digit, 1));
    return longer;
  }
  // Valid as long as this object.
  constexpr std::string_view view() const { return {letters_.data(), size_}; }

 private:
  constexpr void Append(std::string_view text) {
    for (const char letter : text) letters_.at(size_++) = letter;
  }

  std::array<char, kCapacity> letters_{};
  std::size_t size_ = 0;
};

}  // namespace az
