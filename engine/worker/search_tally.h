#pragma once
// What a self-play search found out about the network's policy, added to the worker's counts as
// sums for means over an iteration (docs/learning.md).

#include "engine/process/worker_counts.h"
#include "mcts/report.h"

namespace az {

// KL(π‖p) of the search's policy target π from the network's prior p, without noise; at least 0,
// and finite: an action that the network gave no chance at all counts as one of 1e-12.
double PolicyKlNats(const SearchReport& report);

// kept_visits and new_visits.
void TallyVisits(const SearchReport& report, WorkerCounts& counts);
// policy_targets and the sums of nats over them. REQUIRES: report.target is what is trained on;
// kl_nats = PolicyKlNats(report).
void TallyTarget(const SearchReport& report, double kl_nats, WorkerCounts& counts);

}  // namespace az
