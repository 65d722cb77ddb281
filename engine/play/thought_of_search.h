#pragma once
// Makes a Thought from a search with the network.

#include "engine/play/thinker.h"
#include "engine/play/thought_of_tree.h"
#include "mcts/search.h"

namespace az {

// Sets everything but `seconds`. REQUIRES: the search's root is evaluated; `best` is one of its
// moves.
template <GameState S>
Thought ThoughtOf(const Search<S>& search, Action best) {
  const SearchReport report = search.Report();
  Thought thought;
  thought.best = best;
  thought.raw_value.reset();
  if (report.network_value) thought.raw_value = *report.network_value;
  thought.raw_policy.reserve(report.prior.size());
  for (const PolicyTarget& prior : report.prior) thought.raw_policy.push_back(prior.weight);
  thought.simulations = report.simulations;
  thought.rows = report.rows;
  ReadTree(search.tree(), thought);
  return thought;
}

}  // namespace az
