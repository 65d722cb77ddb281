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
  int global_pool_every = 0;  // every n-th residual block pools over the board; 0: none
  int heads = 0;              // 0: no attention
  int attention_blocks = 0;   // 0 exactly when heads is 0
  int policy_filters = 32;
  int value_filters = 32;
  int value_hidden = 256;
  bool opponent_head = false;    // training only: predicts the policy of the next ply
  bool short_term_head = false;  // training only: predicts the value a few plies ahead

  constexpr int cells() const { return rows * cols; }
  // The shape without the heads that only training has: weights files and inference have this one.
  constexpr NetShape Playing() const {
    NetShape shape = *this;
    shape.opponent_head = shape.short_term_head = false;
    return shape;
  }
  // In a block that pools: the channels that are pooled, and those that the pools are added to.
  constexpr int pooled() const { return filters / 4; }
  constexpr int kept() const { return filters - pooled(); }
  constexpr bool Pools(int block) const {
    return global_pool_every > 0 && (block + 1) % global_pool_every == 0;
  }
  constexpr int pool_blocks() const {
    return global_pool_every > 0 ? res_blocks / global_pool_every : 0;
  }
  friend constexpr bool operator==(const NetShape&, const NetShape&) = default;
};

// Whether the two take the same inputs and answer the same actions.
constexpr bool HasSameRows(const NetShape& a, const NetShape& b) {
  return a.planes == b.planes && a.rows == b.rows && a.cols == b.cols && a.actions == b.actions;
}

}  // namespace az
