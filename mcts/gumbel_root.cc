#include "mcts/gumbel_root.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "mcts/move_choice.h"

namespace az {
namespace {

constexpr int kAutoVisits = 32;  // root = auto: Gumbel up to here

double Floored(float prior) { return static_cast<double>(std::max(prior, FLT_MIN)); }

double DrawGumbel(Rng& rng) {
  const double u = std::max(rng.Uniform(), 0x1.0p-54);
  return -std::log(-std::log(u));
}

// Rounds of a phase with `count` candidates: n / (log2 m * count), at least one.
int RoundsOfPhase(int visits, std::size_t considered, std::size_t count) {
  const int phases = std::max(1, static_cast<int>(std::bit_width(considered - 1)));
  return std::max(1, visits / (phases * static_cast<int>(count)));
}

}  // namespace

bool UsesGumbelRoot(const SearchOptions& options, int visits) {
  return options.root == RootRule::kGumbel ||
         (options.root == RootRule::kAuto && visits <= kAutoVisits);
}

double MixedValue(std::span<const Node> children, const RootKnowledge& root) {
  double visits = 0.0;
  double prior = 0.0;
  double value = 0.0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (children[i].visits == 0) continue;
    const double p = Floored(root.priors[i]);
    visits += children[i].visits;
    prior += p;
    value += p * children[i].mean();
  }
  if (visits == 0.0) return root.network_value;
  return (root.network_value + visits * (value / prior)) / (1.0 + visits);
}

void ImprovedLogits(std::span<const Node> children, const RootKnowledge& root,
                    const GumbelOptions& options, std::span<double> scores) {
  AZ_DCHECK(scores.size() == children.size() && root.priors.size() == children.size());
  const double mixed = MixedValue(children, root);
  std::uint32_t most = 0;
  double low = mixed;
  double high = mixed;
  for (std::size_t i = 0; i < children.size(); ++i) {
    scores[i] = children[i].visits > 0 ? children[i].mean() : mixed;
    most = std::max(most, children[i].visits);
    low = i == 0 ? scores[i] : std::min(low, scores[i]);
    high = i == 0 ? scores[i] : std::max(high, scores[i]);
  }
  const double scale =
      (static_cast<double>(options.c_visit) + most) * static_cast<double>(options.c_scale);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const double unit = options.value_scale == ValueScale::kMinmax
                            ? (scores[i] - low) / std::max(high - low, 1e-8)
                            : (scores[i] + 1.0) / 2.0;
    scores[i] = std::log(Floored(root.priors[i])) + scale * unit;
  }
}

void ImprovedPolicy(std::span<const Node> children, const RootKnowledge& root,
                    const GumbelOptions& options, std::span<double> policy) {
  ImprovedLogits(children, root, options, policy);
  const double highest = *std::max_element(policy.begin(), policy.end());
  double sum = 0.0;
  for (double& weight : policy) sum += weight = std::exp(weight - highest);
  for (double& weight : policy) weight /= sum;
}

int SelectImproved(const Node& parent, std::span<const Node> children, const GumbelOptions& options,
                   ImprovedScratch scratch) {
  for (std::size_t i = 0; i < children.size(); ++i) scratch.priors[i] = children[i].prior;
  const bool same_player = parent.mover() == children[0].mover();
  const RootKnowledge known{scratch.priors.first(children.size()),
                            same_player ? parent.mean() : -parent.mean()};
  const std::span<double> policy = scratch.policy.first(children.size());
  ImprovedPolicy(children, known, options, policy);
  double visits = 0.0;
  for (const Node& child : children) visits += child.visits;
  int best = -1;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (children[i].bounds().hi < 0) continue;
    const double score = policy[i] - children[i].visits / (1.0 + visits);
    if (score <= best_score) continue;
    best_score = score;
    best = static_cast<int>(i);
  }
  return std::max(best, 0);
}

GumbelRoot::GumbelRoot(const GumbelOptions& options, int max_actions) : options_(options) {
  const auto most = static_cast<std::size_t>(max_actions);
  priors_.reserve(most);
  gumbels_.reserve(most);
  scores_.reserve(most);
  candidates_.reserve(most);
}

void GumbelRoot::Begin(std::span<const Node> children, const RootKnowledge& root, const Task& task,
                       const Rng& rng) {
  AZ_CHECK_GT(task.visits, 0);
  priors_.assign(root.priors.begin(), root.priors.end());
  network_value_ = root.network_value;
  gumbels_.assign(children.size(), 0.0);
  if (task.draws) {
    Rng draws = rng;
    for (double& gumbel : gumbels_) gumbel = DrawGumbel(draws);
  }
  scores_.resize(children.size());
  candidates_.resize(children.size());
  std::iota(candidates_.begin(), candidates_.end(), std::size_t{0});
  Sort(children);
  visits_ = left_ = task.visits;
  considered_ = std::min({static_cast<std::size_t>(options_.max_considered), children.size(),
                          static_cast<std::size_t>(visits_)});
  candidates_.resize(considered_);
  rounds_left_ = RoundsOfPhase(visits_, considered_, considered_);
  next_ = 0;
  round_ = considered_;
}

void GumbelRoot::Sort(std::span<const Node> children) {
  ImprovedLogits(children, knowledge(), options_, scores_);
  for (std::size_t i = 0; i < children.size(); ++i) scores_[i] += gumbels_[i];
  std::sort(candidates_.begin(), candidates_.end(), [this](std::size_t a, std::size_t b) {
    return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : a < b;
  });
}

void GumbelRoot::EndRound(std::span<const Node> children) {
  AZ_CHECK(!RoundIsOpen());
  left_ -= static_cast<int>(round_);
  Sort(children);
  if (--rounds_left_ == 0) {
    if (candidates_.size() > 1) {
      candidates_.resize(std::max<std::size_t>(2, candidates_.size() / 2));
    }
    rounds_left_ = RoundsOfPhase(visits_, considered_, candidates_.size());
  }
  next_ = 0;
  round_ = std::min(candidates_.size(), static_cast<std::size_t>(left_));
}

void GumbelRoot::TakeBack(std::size_t child) {
  const auto started = candidates_.begin() + static_cast<std::ptrdiff_t>(next_);
  const auto at = std::find(candidates_.begin(), started, child);
  AZ_CHECK(at != started) << "child " << child << " was not started";
  std::rotate(at, at + 1, started);
  --next_;
}

int GumbelRoot::Best(std::span<const Node> children, int proven, std::span<double> scratch) const {
  const std::span<double> scores = scratch;
  ImprovedLogits(children, knowledge(), options_, scores);
  int best = -1;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (!IsPlayable(children[i], proven)) continue;
    scores[i] += gumbels_[i];
    if (best < 0) {
      best = static_cast<int>(i);
      continue;
    }
    const auto at = static_cast<std::size_t>(best);
    const bool better = children[i].visits != children[at].visits
                            ? children[i].visits > children[at].visits
                            : scores[i] > scores[at];
    if (better) best = static_cast<int>(i);
  }
  AZ_CHECK_GE(best, 0) << "no playable move";
  return best;
}

}  // namespace az
