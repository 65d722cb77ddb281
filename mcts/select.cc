#include "mcts/select.h"

#include <algorithm>

namespace az {
namespace {

constexpr int kMaxTable = 4096;  // 32 KiB: what fits the first-level cache beside the children

}  // namespace

float PuctExploration(const SearchOptions& options, std::uint32_t parent_visits) {
  const double n = parent_visits;
  const double base = options.c_puct_base;
  const double c = options.c_puct + options.c_puct_factor * std::log((n + base) / base);
  return static_cast<float>(c * std::sqrt(n));
}

float StdevFactor(const Node& parent, double sum_of_squares, float scale) {
  constexpr double kPrior = 0.4;  // standard deviation without values, worth kWeight of them
  constexpr double kWeight = 2.0;
  const double visits = parent.visits;
  const double square = parent.mean() * parent.mean();
  const double variance =
      ((square + kPrior * kPrior) * kWeight + sum_of_squares) / (kWeight + visits - 1.0) - square;
  const double ratio = std::sqrt(std::max(0.0, variance)) / kPrior;
  return static_cast<float>(1.0 + static_cast<double>(scale) * (ratio - 1.0));
}

int SelectInFlight(const Node& parent, std::span<const Node> children, float exploration,
                   SelectRule rule, InFlight in_flight) {
  float visited_prior = 0.0f;
  for (const Node& child : children) visited_prior += child.visits > 0 ? child.prior : 0.0f;
  const bool same_player = parent.mover() == children[0].mover();
  const auto mean = static_cast<float>(parent.mean());
  const float fpu = (same_player ? mean : -mean) - rule.fpu_reduction * std::sqrt(visited_prior);
  float best_score = -std::numeric_limits<float>::infinity();
  int best = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Node& child = children[i];
    const Bounds bounds = child.bounds();
    if (rule.use_bounds && bounds.hi < 0) continue;
    const auto visits = static_cast<float>(child.visits);
    const auto waiting = static_cast<float>(child.in_flight);
    float q = child.visits > 0 ? static_cast<float>(child.mean()) : fpu;
    if (in_flight.rule == InFlightRule::kVirtualLoss && child.in_flight > 0) {
      const float losses = in_flight.virtual_loss * waiting;
      q = (q * visits - losses) / std::max(visits + losses, 1e-6f);
    }
    if (rule.use_bounds && child.visits > 0) {
      q = std::clamp(q, static_cast<float>(bounds.lo), static_cast<float>(bounds.hi));
    }
    const float score = q + exploration * child.prior / (1.0f + visits + waiting);
    if (score <= best_score) continue;
    best_score = score;
    best = static_cast<int>(i);
  }
  return best;
}

PuctTable::PuctTable(const SearchOptions& options, int visits) : options_(options) {
  const int entries =
      std::min(visits, kMaxTable - 3) + 3;  // reaches 1 + N of a root with N = visits + 1
  entries_.reserve(static_cast<std::size_t>(entries));
  for (int n = 0; n < entries; ++n) {
    entries_.push_back({PuctExploration(options, static_cast<std::uint32_t>(n)),
                        n == 0 ? 0.0f : 1.0f / static_cast<float>(n)});
  }
}

}  // namespace az
