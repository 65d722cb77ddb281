#pragma once
// Gumbel root: sequential halving over moves drawn without replacement, and the improved policy
// that is its training target (Danihelka et al. 2022). Formulas over a node's children; GumbelRoot
// holds the course of one search. Values are in the view of the children's mover.
//   sigma(q) = (c_visit + max N) c_scale (q + 1) / 2                       (eq. 8; app. F)
//   pi'      = softmax(l + sigma(Qc)),  Qc = q if visited, else v_mix     (eq. 11)
//   v_mix    = (v + sum N (sum P q / sum P)) / (1 + sum N), inner sums over visited moves (eq. 33)

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "mcts/node.h"
#include "mcts/search_options.h"

namespace az {

// Whether a search of so many simulations starts with a Gumbel root.
bool UsesGumbelRoot(const SearchOptions& options, int visits);

// What is known beside the children: the priors without noise, in the children's order, and the
// network's value of the node, view of the children's mover.
struct RootKnowledge {
  std::span<const float> priors;
  double network_value = 0.0;
};

// The value that stands in for that of moves without visits.
double MixedValue(std::span<const Node> children, const RootKnowledge& root);

// l + sigma(Qc) of every child, up to a constant. scores.size() = children.size().
void ImprovedLogits(std::span<const Node> children, const RootKnowledge& root,
                    const GumbelOptions& options, std::span<double> scores);

// pi' over the children, sum 1; in place of ImprovedLogits' scores.
void ImprovedPolicy(std::span<const Node> children, const RootKnowledge& root,
                    const GumbelOptions& options, std::span<double> policy);

// Below the root: the child with the highest pi'(a) - N(a) / (1 + sum N) (eq. 14), with the node's
// own mean for its network value. Proven losses are skipped while another child is open. `scratch`
// and `priors` have room for the children.
struct ImprovedScratch {
  std::span<float> priors;
  std::span<double> policy;
};
int SelectImproved(const Node& parent, std::span<const Node> children, const GumbelOptions& options,
                   ImprovedScratch scratch);

// The course of one search. A round visits each candidate that is left once, best first; its order
// is fixed when it starts, so all of its simulations may be under way at a time. Allocates at
// construction only. Thread-compatible.
class GumbelRoot {
 public:
  // For games of up to `max_actions` legal actions.
  GumbelRoot(const GumbelOptions& options, int max_actions);

  struct Task {
    int visits = 0;      // simulations to spend
    bool draws = false;  // self-play: with Gumbel noise; otherwise the moves with the best priors
  };
  // Chooses the candidates and starts the first round. The priors are kept.
  void Begin(std::span<const Node> children, const RootKnowledge& root, const Task& task,
             const Rng& rng);

  // The round has simulations to start: index of the next one's child.
  bool RoundIsOpen() const { return next_ < round_; }
  std::size_t Next() { return candidates_[next_++]; }
  // The simulation of this child was taken back: it is started again.
  void TakeBack(std::size_t child);
  // All simulations of the round are backed up: starts the next round, or ends the search.
  // REQUIRES: !RoundIsOpen().
  void EndRound(std::span<const Node> children);
  bool Done() const { return left_ == 0; }
  // Ends the search; no round is open.
  void Stop() {
    left_ = 0;
    next_ = round_ = 0;
  }

  // Among the playable children the most visited one with the highest g + l + sigma(q). `scratch`
  // has children.size() entries.
  int Best(std::span<const Node> children, int proven, std::span<double> scratch) const;
  RootKnowledge knowledge() const { return {priors_, network_value_}; }

 private:
  void Sort(std::span<const Node> children);

  GumbelOptions options_;
  std::vector<float> priors_;
  double network_value_ = 0.0;
  std::vector<double> gumbels_;
  std::vector<double> scores_;           // g + l + sigma(Qc)
  std::vector<std::size_t> candidates_;  // still in the running, best first when the round began
  std::size_t considered_ = 0;           // how many the search began with
  int visits_ = 0;
  int left_ = 0;          // simulations not yet in a round that ended
  int rounds_left_ = 0;   // in this phase, the running round included
  std::size_t next_ = 0;  // candidate of the round
  std::size_t round_ = 0;
};

}  // namespace az
