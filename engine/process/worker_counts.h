#pragma once
// WorkerCounts: what a worker has done since it started, all of it sums, so that fleets add them up
// and phases take differences (base/sums.h).

#include <cstdint>

#include "base/sums.h"

namespace az {

// Plain value.
struct WorkerCounts {
  std::uint64_t simulations = 0;
  std::uint64_t rows = 0;  // evaluations asked of the server
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_lookups = 0;
  std::uint64_t moves = 0;
  std::uint64_t searched_moves = 0;  // of these; others are random, forced, or of other players
  std::uint64_t games_finished = 0;
  std::uint64_t proven_roots = 0;
  std::uint64_t failed_games = 0;
  std::uint64_t bad_rows = 0;        // answers with NaN, infinity or a value outside [-1, 1]
  std::uint64_t resign_audited = 0;  // games played on although a side would have resigned
  std::uint64_t resign_errors = 0;   // of these, that side did not lose
  std::uint64_t proven_errors = 0;   // games that ended otherwise than was proven
  // Of self-play.
  std::uint64_t kept_visits = 0;  // visits that roots had from the search before
  std::uint64_t new_visits = 0;   // simulations of the same searches
  // Searches that made a policy target π and whose root is not proven: there the search argues with
  // the prior p, elsewhere a proof does. The prior is the network's, without noise.
  std::uint64_t policy_targets = 0;
  double prior_entropy_nats = 0;   // sum of H(p)
  double target_entropy_nats = 0;  // sum of H(π)
  double search_kl_nats = 0;       // sum of KL(π‖p): what the search still adds

  WorkerCounts& operator+=(const WorkerCounts& other) {
    AddSums(other, *this);
    return *this;
  }
  // Calls visit("name", pointer to member) for each.
  template <class V>
  static constexpr void VisitSums(V&& visit) {
    visit("simulations", &WorkerCounts::simulations);
    visit("rows", &WorkerCounts::rows);
    visit("cache_hits", &WorkerCounts::cache_hits);
    visit("cache_lookups", &WorkerCounts::cache_lookups);
    visit("moves", &WorkerCounts::moves);
    visit("searched_moves", &WorkerCounts::searched_moves);
    visit("games_finished", &WorkerCounts::games_finished);
    visit("proven_roots", &WorkerCounts::proven_roots);
    visit("failed_games", &WorkerCounts::failed_games);
    visit("bad_rows", &WorkerCounts::bad_rows);
    visit("resign_audited", &WorkerCounts::resign_audited);
    visit("resign_errors", &WorkerCounts::resign_errors);
    visit("proven_errors", &WorkerCounts::proven_errors);
    visit("kept_visits", &WorkerCounts::kept_visits);
    visit("new_visits", &WorkerCounts::new_visits);
    visit("policy_targets", &WorkerCounts::policy_targets);
    visit("prior_entropy_nats", &WorkerCounts::prior_entropy_nats);
    visit("target_entropy_nats", &WorkerCounts::target_entropy_nats);
    visit("search_kl_nats", &WorkerCounts::search_kl_nats);
  }
};

static_assert(BytesOfSums<WorkerCounts>() == sizeof(WorkerCounts), "a count that is not visited");

}  // namespace az
