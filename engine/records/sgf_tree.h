#pragma once
// SGF's syntax, whatever the game: collections of trees of nodes with properties, FF[4]
// (red-bean.com/sgf/sgf4.html). Only main lines are kept. What properties mean: sgf.h.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

struct SgfProperty {
  std::string name;                 // "PB"; small letters of old files are dropped
  std::vector<std::string> values;  // without escapes; one at least
  std::size_t line = 0;             // from 1
};
struct SgfNode {
  std::vector<SgfProperty> properties;
  // The first value of that property, or nullptr.
  const SgfProperty* Find(std::string_view name) const;
};
struct SgfTree {
  std::vector<SgfNode> nodes;  // the main line: at each branch the first child
  int branches_left_out = 0;
  std::size_t line = 0;
};

inline constexpr std::size_t kMaxSgfBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxSgfNodes = 100'000;  // of one main line
inline constexpr std::size_t kMaxSgfDepth = 10'000;   // of branches in branches

// The trees of a collection, one at least. Does not recurse, whatever the depth. kInvalid says line
// and byte: anything but space between trees, a tree or value without its end, a property without a
// value, a limit above.
Result<std::vector<SgfTree>> ParseSgfTrees(std::string_view text);

// The text with a backslash before each ']' and '\'.
std::string EscapeSgf(std::string_view text);

}  // namespace az
