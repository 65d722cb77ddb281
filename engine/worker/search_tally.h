#pragma once
// SearchTally: what self-play's searches found out about the network's policy, as sums for means
// over an iteration (docs/learning.md). A plain value; kept by the worker in its WorkerStats.

#include <cstdint>

#include "mcts/report.h"

namespace az {

// KL(π‖p) of the search's policy target π from the network's prior p, without noise; at least 0,
// and finite: an action that the network gave no chance at all counts as one of 1e-12.
double PolicyKlNats(const SearchReport& report);

// Thread-compatible.
struct SearchTally {
  std::uint64_t kept_visits = 0;  // visits that roots had from the search before
  std::uint64_t new_visits = 0;   // simulations of the same searches
  // Searches that made a policy target π and whose root is not proven: there the search argues with
  // the prior p, elsewhere a proof does. The prior is the network's, without noise.
  std::uint64_t targets = 0;
  double prior_entropy_nats = 0;   // sum of H(p)
  double target_entropy_nats = 0;  // sum of H(π)
  double kl_nats = 0;              // sum of KL(π‖p): what the search still adds

  void AddVisits(const SearchReport& report);
  // REQUIRES: report.target is what is trained on.
  void AddTarget(const SearchReport& report);
};

}  // namespace az
