#pragma once
// NetShape: everything the size of a network depends on, as plain numbers. The footprint formulas,
// the network builder and the checkpoint's metadata share it.

namespace az {

struct NetShape {
  int planes = 2;
  int rows = 5;
  int cols = 5;
  int actions = 25;
  int filters = 64;
  int res_blocks = 5;
  int heads = 0;             // 0: no attention
  int attention_blocks = 0;  // 0 exactly when heads is 0
  int policy_filters = 32;
  int value_filters = 32;
  int value_hidden = 256;

  constexpr int cells() const { return rows * cols; }
  friend constexpr bool operator==(const NetShape&, const NetShape&) = default;
};

}  // namespace az
