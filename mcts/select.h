#pragma once
// Which child a simulation goes to: PUCT with first-play urgency. Free functions over plain values.
//   score(a) = Q(a) + c(x) P(a) sqrt(N(x)) / (1 + N(a)),   Q(a) = q(a) if N(a) > 0, else fpu(x)
//   c(x)     = c_puct + c_puct_factor ln((N(x) + c_puct_base) / c_puct_base)  (MuZero, appendix B, eq. 2)
//   fpu(x)   = value of x for its side to move - fpu_reduction sqrt(sum of P over visited children)
// x is the parent. Float, in the order written here, so that every machine chooses alike.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mcts/node.h"
#include "mcts/search_options.h"

namespace az {

// c(x) sqrt(N(x)) by formula.
float PuctExploration(const SearchOptions& options, std::uint32_t parent_visits);

// The two factors of the score that depend on visit counts alone, from a table where it reaches:
// entry and formula give the same bits. Thread-compatible; immutable.
class PuctTable {
 public:
  // For searches of up to about `visits` simulations; longer ones compute what is not in the table.
  PuctTable(const SearchOptions& options, int visits);

  float Exploration(std::uint32_t parent_visits) const {
    return parent_visits < entries_.size() ? entries_[parent_visits].exploration
                                           : PuctExploration(options_, parent_visits);
  }
  struct Entry {
    float exploration;
    float reciprocal;  // 1 / n
  };
  // By visit count; entry 0 has no reciprocal.
  std::span<const Entry> entries() const { return entries_; }

 private:
  SearchOptions options_;
  std::vector<Entry> entries_;
};

struct SelectRule {
  float fpu_reduction = 0.0f;
  bool use_bounds = false;  // skip proven losses, clip Q to what is proven
  // Children are not ordered by prior among those without visits. Otherwise the scan stops at the
  // first untouched child: all untouched share one fpu and the score rises with P, so the touched
  // ones are a prefix.
  bool scan_all = false;
};

// The scan of SelectChild; reciprocal(n) is 1 / n.
template <class Reciprocal>
int ScanChildren(const Node& parent, std::span<const Node> children, float exploration,
                 SelectRule rule, Reciprocal reciprocal) {
  float best_score = -std::numeric_limits<float>::infinity();
  int best = -1;
  int untouched = -1;
  float visited_prior = 0.0f;
  const int count = static_cast<int>(children.size());
  for (int i = 0; i < count; ++i) {
    const Node& child = children[static_cast<std::size_t>(i)];
    if (child.visits == 0) {
      if (untouched < 0 || child.prior > children[static_cast<std::size_t>(untouched)].prior) {
        untouched = i;
      }
      if (!rule.scan_all) break;
      continue;
    }
    visited_prior += child.prior;
    float q = static_cast<float>(child.value_sum) * reciprocal(child.visits);
    if (rule.use_bounds && !child.has_open_bounds()) [[unlikely]] {
      const Bounds bounds = child.bounds();
      if (bounds.hi < 0)
        continue;  // a proven loss; another child is open, or the parent were proven
      q = std::clamp(q, static_cast<float>(bounds.lo), static_cast<float>(bounds.hi));
    }
    const float score = q + exploration * child.prior * reciprocal(child.visits + 1);
    best = score > best_score ? i : best;
    best_score = score > best_score ? score : best_score;
  }
  if (untouched < 0) return best;
  const bool same_player = parent.mover() == children[0].mover();
  const float mean = static_cast<float>(parent.value_sum) * reciprocal(parent.visits);
  const float fpu = (same_player ? mean : -mean) - rule.fpu_reduction * std::sqrt(visited_prior);
  const float score = fpu + exploration * children[static_cast<std::size_t>(untouched)].prior;
  if (score > best_score || (score == best_score && untouched < best)) return untouched;
  return best;
}

// SelectChild with an exploration of the caller's.
inline int SelectChildWith(const Node& parent, std::span<const Node> children,
                           const PuctTable& table, float exploration, SelectRule rule) {
  const std::span<const PuctTable::Entry> entries = table.entries();
  if (parent.visits < entries.size()) {
    return ScanChildren(parent, children, exploration, rule,
                        [=](std::uint32_t n) { return entries[n].reciprocal; });
  }
  return ScanChildren(parent, children, exploration, rule,
                      [](std::uint32_t n) { return 1.0f / static_cast<float>(n); });
}

// Index of the child with the highest score; the first of equals. REQUIRES: parent visited,
// expanded and, with use_bounds, not proven; no child with as many visits as the parent.
inline int SelectChild(const Node& parent, std::span<const Node> children, const PuctTable& table,
                       SelectRule rule) {
  return SelectChildWith(parent, children, table, table.Exploration(parent.visits), rule);
}

// Variance-scaled exploration (KataGo's methods): c is multiplied by 1 + s (sigma / 0.4 - 1), with
//   sigma^2 = max(0, ((q^2 + 0.16) 2 + m N) / (1 + N) - q^2),   m: mean of the squared values
float StdevFactor(const Node& parent, double sum_of_squares, float scale);

// One game alone, with rows in flight below the parent (f of them below a child). They count as
// visits in the exploration term (WU-UCT, Liu et al. 2020), and with virtual losses also as that
// many games lost: q = (W - w f) / (N + w f). All children are scanned. `exploration`: of N + f
// visits.
struct InFlight {
  InFlightRule rule = InFlightRule::kUnobserved;
  float virtual_loss = 1.0f;  // w
};
int SelectInFlight(const Node& parent, std::span<const Node> children, float exploration,
                   SelectRule rule, InFlight in_flight);

}  // namespace az
