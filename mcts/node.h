#pragma once
// Node: one position of the search tree, by the edge that led to it. Plain memory of mcts/tree.h;
// no game state inside.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "games/game.h"

namespace az {

// Index into a tree's arena, so that a tree can be copied, moved and hashed.
enum class NodeId : std::uint32_t {};
inline constexpr NodeId kNoNode{0xFFFFFFFFu};
inline constexpr NodeId kRootNode{0};
constexpr std::uint32_t Index(NodeId id) { return static_cast<std::uint32_t>(id); }

// What is proven about a position, -1 lost to +1 won, in the view the owner of the value says. lo
// <= hi.
struct Bounds {
  std::int8_t lo = -1;
  std::int8_t hi = +1;
  constexpr bool proven() const { return lo == hi; }
  friend constexpr bool operator==(Bounds, Bounds) = default;
};

// The mover of a node is the player who moved into it (root: the opponent of the side to move).
// Values are in its view, so whoever chooses among the children of a node reads them without a
// sign. Trivial: an arena is not initialised.
struct alignas(32) Node {
  double value_sum;      // W, view of the mover
  float prior;           // P of the edge from the parent, with noise for children of the root
  std::uint32_t visits;  // N, completed simulations through this node, its own evaluation included
  NodeId first_child;    // children = [first_child, first_child + num_children), by falling prior,
  NodeId parent;         // ties by rising action; kNoNode at the root
  std::uint16_t num_children;  // 0: not expanded, or finished
  std::uint16_t in_flight;     // rows below that wait, counted where one tree may have several
  Action action;               // edge from the parent
  std::uint8_t flags;          // bit 0 mover, 1 finished, 2-3 lower bound + 1, 4-5 upper bound + 1
  std::uint8_t unused;         // 0

  static constexpr std::uint8_t kFinishedBit = 2;
  static constexpr std::uint8_t kBoundsMask = 0x3C;
  static constexpr std::uint8_t kOpenBounds = 2 << 4;  // (-1, +1)

  static constexpr std::uint8_t OpenFlags(Player mover) {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(mover) | kOpenBounds);
  }
  // Without visits, children, prior and action, and with nothing proven.
  static constexpr Node Fresh(NodeId parent, Player mover) {
    return {.value_sum = 0.0,
            .prior = 0.0f,
            .visits = 0,
            .first_child = kNoNode,
            .parent = parent,
            .num_children = 0,
            .in_flight = 0,
            .action = Action{0},
            .flags = OpenFlags(mover),
            .unused = 0};
  }
  constexpr Player mover() const { return static_cast<Player>(flags & 1); }
  constexpr bool is_finished() const { return (flags & kFinishedBit) != 0; }
  constexpr bool is_expanded() const { return num_children != 0; }
  constexpr bool has_open_bounds() const { return (flags & kBoundsMask) == kOpenBounds; }
  constexpr bool is_proven() const { return ((flags >> 2) & 3) == ((flags >> 4) & 3); }
  constexpr Bounds bounds() const {
    return {static_cast<std::int8_t>(((flags >> 2) & 3) - 1),
            static_cast<std::int8_t>(((flags >> 4) & 3) - 1)};
  }
  constexpr void set_bounds(Bounds bounds) {
    flags = static_cast<std::uint8_t>((flags & ~kBoundsMask) | (bounds.lo + 1) << 2 |
                                      (bounds.hi + 1) << 4);
  }
  constexpr void set_finished() { flags = static_cast<std::uint8_t>(flags | kFinishedBit); }
  // W / N, view of the mover. REQUIRES: visits > 0.
  constexpr double mean() const { return value_sum / static_cast<double>(visits); }
};
static_assert(sizeof(Node) == 32 && std::is_trivial_v<Node>);

// The i-th child of a node. REQUIRES: i < num_children.
constexpr NodeId ChildId(const Node& node, std::size_t i) {
  return NodeId{Index(node.first_child) + static_cast<std::uint32_t>(i)};
}

// A value for the first player in the view of `player`, and back.
constexpr double InViewOf(Player player, double value) {
  return player == Player::kFirst ? value : -value;
}

}  // namespace az
