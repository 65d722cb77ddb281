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
  bool opponent_head = false;    // training only: the policy of the ply that answers
  bool short_term_head = false;  // training only: the value some plies ahead

  constexpr int cells() const { return rows * cols; }
  // Without what only training has: what weights files hold and inference runs.
  constexpr NetShape Playing() const {
    NetShape shape = *this;
    shape.opponent_head = shape.short_term_head = false;
    return shape;
  }
  friend constexpr bool operator==(const NetShape&, const NetShape&) = default;
};

// Whether the two take the same inputs and answer the same actions.
constexpr bool HasSameRows(const NetShape& a, const NetShape& b) {
  return a.planes == b.planes && a.rows == b.rows && a.cols == b.cols && a.actions == b.actions;
}

}  // namespace az
