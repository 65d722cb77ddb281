#pragma once
// SGF's syntax, independent of any game: collections of trees of nodes with properties, FF[4]
// (red-bean.com/sgf/sgf4.html). Only main lines are kept. sgf.h knows what properties mean.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

struct SgfProperty {
  std::string name;                 // "PB"; lower-case letters of old files are dropped
  std::vector<std::string> values;  // without escapes; at least one
  std::size_t line = 0;             // counted from 1
};
struct SgfNode {
  std::vector<SgfProperty> properties;
  // The property of that name, or nullptr.
  const SgfProperty* Find(std::string_view name) const;
};
struct SgfTree {
  std::vector<SgfNode> nodes;  // the main line: the first child at each branch
  int branches_left_out = 0;
  std::size_t line = 0;
};

inline constexpr std::size_t kMaxSgfBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxSgfNodes = 100'000;  // per main line
inline constexpr std::size_t kMaxSgfDepth = 10'000;   // branches within branches

// Reads the trees of a collection, at least one, without recursion. Fails with kInvalid, naming
// line and byte, for anything but white space between trees, a tree or value without its end, a
// property without a value, and a limit above that is exceeded.
Result<std::vector<SgfTree>> ParseSgfTrees(std::string_view text);

// The text with a backslash before each ']' and '\'.
std::string EscapeSgf(std::string_view text);

}  // namespace az
