#include "engine/worker/search_tally.h"

#include <algorithm>
#include <cmath>

namespace az {
namespace {

constexpr double kLeastPrior = 1e-12;  // in place of a softmax's that rounded to 0

double TimesLog(double share, double of) { return share > 0 ? share * std::log(of) : 0.0; }

}  // namespace

double PolicyKlNats(const SearchReport& report) {
  double kl = 0.0;
  auto prior = report.prior.begin();  // both rise by action
  for (const PolicyTarget& target : report.target) {
    while (prior != report.prior.end() && prior->action < target.action) ++prior;
    const double of_prior = prior != report.prior.end() && prior->action == target.action
                                ? static_cast<double>(prior->weight)
                                : 0.0;
    const auto share = static_cast<double>(target.weight);
    kl += TimesLog(share, share) - TimesLog(share, std::max(of_prior, kLeastPrior));
  }
  return std::max(kl, 0.0);
}

void TallyVisits(const SearchReport& report, WorkerCounts& counts) {
  std::uint64_t below = 0;
  for (const auto& [action, visits] : report.visits) below += visits;
  counts.kept_visits += below - report.simulations;  // every simulation ends below the root
  counts.new_visits += report.simulations;
}

void TallyTarget(const SearchReport& report, double kl_nats, WorkerCounts& counts) {
  if (report.proven != kNotProven) return;
  ++counts.policy_targets;
  for (const PolicyTarget& prior : report.prior) {
    const auto share = static_cast<double>(prior.weight);
    counts.prior_entropy_nats -= TimesLog(share, share);
  }
  for (const PolicyTarget& target : report.target) {
    const auto share = static_cast<double>(target.weight);
    counts.target_entropy_nats -= TimesLog(share, share);
  }
  counts.search_kl_nats += kl_nats;
}

}  // namespace az
