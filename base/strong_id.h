#pragma once
// StrongId: an integer that names one kind of thing. No arithmetic, no mixing of kinds; ordered and
// hashable.

#include <compare>
#include <cstddef>
#include <functional>

namespace az {

template <class Tag, class Rep>
class StrongId {
 public:
  using rep = Rep;
  constexpr StrongId() = default;
  constexpr explicit StrongId(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  friend constexpr auto operator<=>(const StrongId&, const StrongId&) = default;

 private:
  Rep value_{};
};

}  // namespace az

template <class Tag, class Rep>
struct std::hash<az::StrongId<Tag, Rep>> {
  std::size_t operator()(const az::StrongId<Tag, Rep>& id) const noexcept {
    return std::hash<Rep>{}(id.value());
  }
};
