#pragma once
// From visits to a move and to a policy target, with the rules for proven values. Free functions
// over a node's children.

#include <span>
#include <vector>

#include "base/rng.h"
#include "mcts/node.h"
#include "mcts/report.h"
#include "mcts/search_options.h"

namespace az {

// Temperature of the move at `ply`: end + (start - end) 2^(-ply / half-life)  (KataGo, appendix D).
float MoveTemperature(const SearchOptions& options, int ply, int board_rows);

// How many first plies of a game are not searched: geometric with this mean; 0 without a draw when
// the mean is 0.
int DrawOpeningPlies(double mean, Rng& rng);

// Whether no other playable child can catch up with the most visited of them in `left` more visits.
bool IsDecided(std::span<const Node> children, int proven, std::uint32_t left);

// Writes the visits of every child, as weights. visits.size() = children.size().
void VisitsOf(std::span<const Node> children, std::span<double> visits);

// Proven value of `node` for the player who chooses among `children`, or kNotProven.
int ProvenForChooser(const Node& node, std::span<const Node> children);

// Whether a child may be played and be a target: with a won position the moves that win, with a
// drawn one those that draw, with a lost one all, otherwise those that are not proven to lose.
bool IsPlayable(const Node& child, int proven);

// The child with most visits, then the best mean, then the highest prior, among the playable.
int BestChild(std::span<const Node> children, int proven);

// What the two below weigh children by, each span of one number >= 0 a child. When no playable
// child has a weight the priors take its place; without these all are equal.
struct ChildWeights {
  std::span<double> weights;      // such as visits; overwritten: choosing a move allocates nothing
  std::span<const float> priors;  // the network's own: a noised root's are not to be taught
};

// A playable child drawn in proportion to weight^(1 / temperature); temperature 0: BestChild.
int DrawChild(std::span<const Node> children, const ChildWeights& given, int proven,
              float temperature, Rng& rng);

// The playable children's share of the weights, by rising action.
std::vector<PolicyTarget> MakePolicyTarget(std::span<const Node> children,
                                           const ChildWeights& given, int proven);

}  // namespace az
