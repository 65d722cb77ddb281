#pragma once
// Nodes written by hand. For tests of the formulas.

#include "mcts/node.h"

namespace az {

struct NodeSketch {
  float prior = 0.0f;
  std::uint32_t visits = 0;
  double mean = 0.0;  // view of the mover
  Bounds bounds = {};
  Player mover = Player::kFirst;
  int action = 0;
};

inline Node MakeNode(const NodeSketch& sketch) {
  Node node{.value_sum = sketch.mean * sketch.visits,
            .prior = sketch.prior,
            .visits = sketch.visits,
            .first_child = kNoNode,
            .parent = kNoNode,
            .num_children = 0,
            .in_flight = 0,
            .action = static_cast<Action>(sketch.action),
            .flags = Node::OpenFlags(sketch.mover),
            .unused = 0};
  node.set_bounds(sketch.bounds);
  return node;
}

}  // namespace az
