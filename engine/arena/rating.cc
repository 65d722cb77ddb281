#include "engine/arena/rating.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>

#include "base/strings.h"
#include "engine/arena/pentanomial.h"

namespace az {
namespace {

constexpr double kEloPerLogit = 400 / std::numbers::ln10;
constexpr int kMaxSteps = 10'000;

struct Edge {
  std::size_t a;
  std::size_t b;
  double points;  // scored by a
  double games;
};

Result<std::vector<Edge>> EdgesOf(std::span<const Meeting> meetings, const RatingOptions& options) {
  std::map<std::pair<std::size_t, std::size_t>, Edge> edges;
  for (const Meeting& meeting : meetings) {
    const MatchTally& tally = meeting.tally;
    if (std::max(meeting.player, meeting.opponent) >= options.players ||
        meeting.player == meeting.opponent) {
      return Error{Errc::kInvalid, StrCat("fit ratings: a meeting of players ", meeting.player,
                                          " and ", meeting.opponent, " among ", options.players)};
    }
    if (std::min({tally.wins, tally.draws, tally.losses}) < 0) {
      return Error{Errc::kInvalid, StrCat("fit ratings: negative count in the meeting of players ",
                                          meeting.player, " and ", meeting.opponent)};
    }
    if (tally.games() == 0) continue;
    const auto [a, b] = std::minmax(meeting.player, meeting.opponent);
    const auto games = static_cast<double>(tally.games());
    Edge& edge = edges.try_emplace({a, b}, Edge{a, b, options.prior_draws / 2, options.prior_draws})
                     .first->second;
    edge.points += a == meeting.player ? tally.points() : games - tally.points();
    edge.games += games;
  }
  std::vector<Edge> list;
  for (const auto& [players, edge] : edges) list.push_back(edge);
  return list;
}

enum class Along : std::uint8_t { kGames, kPointsWon, kPointsLost };

// The players that a chain of games joins to `start`: any games, or only games in which each player
// scored against the next, or the next against each.
std::vector<bool> ReachedFrom(std::size_t start, std::size_t players, std::span<const Edge> edges,
                              Along along) {
  std::vector<bool> reached(players, false);
  reached[start] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (const Edge& edge : edges) {
      if (reached[edge.a] == reached[edge.b]) continue;
      const double points = reached[edge.a] ? edge.points : edge.games - edge.points;
      if (along == Along::kPointsWon && points <= 0) continue;
      if (along == Along::kPointsLost && points >= edge.games) continue;
      reached[edge.a] = reached[edge.b] = true;
      grew = true;
    }
  }
  return reached;
}

// The maximum is finite exactly when no group has won, or lost, all its games against the rest
// (Ford, American Mathematical Monthly 64, 1957).
Result<void> CheckFinite(const std::vector<bool>& joined, std::size_t anchor,
                         std::span<const Edge> edges) {
  for (const Along along : {Along::kPointsWon, Along::kPointsLost}) {
    const std::vector<bool> reached = ReachedFrom(anchor, joined.size(), edges, along);
    for (std::size_t i = 0; i < joined.size(); ++i) {
      if (joined[i] == reached[i]) continue;
      return Error{Errc::kInvalid,
                   StrCat("fit ratings: player ", i, " is in a group that has ",
                          along == Along::kPointsWon ? "won" : "lost",
                          " every game against the rest, so its rating is infinite (use "
                          "prior_draws > 0)")};
    }
  }
  return {};
}

// The lower triangular factor of a symmetric positive definite matrix, in place, and solutions with
// it.
class Cholesky {
 public:
  Cholesky(std::vector<double> matrix, std::size_t size) : l_(std::move(matrix)), size_(size) {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = l_[i * size_ + j];
        for (std::size_t k = 0; k < j; ++k) sum -= l_[i * size_ + k] * l_[j * size_ + k];
        l_[i * size_ + j] = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / l_[j * size_ + j];
      }
    }
  }
  std::vector<double> Solve(std::vector<double> x) const {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= l_[i * size_ + k] * x[k];
      x[i] /= l_[i * size_ + i];
    }
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t k = i + 1; k < size_; ++k) x[i] -= l_[k * size_ + i] * x[k];
      x[i] /= l_[i * size_ + i];
    }
    return x;
  }

 private:
  std::vector<double> l_;
  std::size_t size_;
};

// The likelihood as a function of the free players' logits; `column` maps players to them.
class Likelihood {
 public:
  Likelihood(std::span<const Edge> edges, std::span<const std::optional<std::size_t>> column,
             std::size_t size)
      : edges_(edges), column_(column), size_(size) {}

  double Log(std::span<const double> logits) const {
    double log = 0;
    for (const Edge& edge : edges_) {
      const double d = Difference(edge, logits);
      const double softplus = std::max(d, 0.0) + std::log1p(std::exp(-std::abs(d)));
      log += edge.points * d - edge.games * softplus;
    }
    return log;
  }
  std::vector<double> Gradient(std::span<const double> logits) const {
    std::vector<double> gradient(size_, 0.0);
    for (const Edge& edge : edges_) {
      const double rest = edge.points - edge.games * Expected(edge, logits);
      if (column_[edge.a]) gradient[*column_[edge.a]] += rest;
      if (column_[edge.b]) gradient[*column_[edge.b]] -= rest;
    }
    return gradient;
  }
  Cholesky Information(std::span<const double> logits) const {
    std::vector<double> matrix(size_ * size_, 0.0);
    for (const Edge& edge : edges_) {
      const double p = Expected(edge, logits);
      const double weight = edge.games * p * (1 - p);
      const auto& a = column_[edge.a];
      const auto& b = column_[edge.b];
      if (a) matrix[*a * size_ + *a] += weight;
      if (b) matrix[*b * size_ + *b] += weight;
      if (a && b) matrix[*a * size_ + *b] -= weight;
      if (a && b) matrix[*b * size_ + *a] -= weight;
    }
    return Cholesky(std::move(matrix), size_);
  }

 private:
  double Difference(const Edge& edge, std::span<const double> logits) const {
    const double a = column_[edge.a] ? logits[*column_[edge.a]] : 0.0;
    const double b = column_[edge.b] ? logits[*column_[edge.b]] : 0.0;
    return a - b;
  }
  double Expected(const Edge& edge, std::span<const double> logits) const {
    return 1 / (1 + std::exp(-Difference(edge, logits)));
  }

  std::span<const Edge> edges_;
  std::span<const std::optional<std::size_t>> column_;
  std::size_t size_;
};

// Maximises the likelihood by Newton's method; steps are halved until they climb.
std::vector<double> Maximise(const Likelihood& likelihood, std::size_t size) {
  std::vector<double> logits(size, 0.0);
  double log = likelihood.Log(logits);
  for (int iteration = 0; iteration < kMaxSteps; ++iteration) {
    const std::vector<double> step =
        likelihood.Information(logits).Solve(likelihood.Gradient(logits));
    double largest = 0;
    for (const double s : step) largest = std::max(largest, std::abs(s));
    if (largest < 1e-10) return logits;
    std::vector<double> next(size);
    double scale = std::min(1.0, 2 / largest);  // at most two logits a step, as more overshoots
    for (int halving = 0; halving < 40; ++halving, scale /= 2) {
      for (std::size_t i = 0; i < size; ++i) next[i] = logits[i] + scale * step[i];
      if (likelihood.Log(next) >= log) break;
    }
    const double next_log = likelihood.Log(next);
    if (next_log < log) return logits;  // as good as rounding lets it be
    logits = next;
    log = next_log;
  }
  return logits;
}

}  // namespace

Result<std::vector<std::optional<Rating>>> FitRatings(std::span<const Meeting> meetings,
                                                      const RatingOptions& options) {
  if (options.anchor >= options.players) {
    return Error{Errc::kInvalid, StrCat("fit ratings: anchor ", options.anchor, " is none of the ",
                                        options.players, " players")};
  }
  if (!(options.prior_draws >= 0)) {
    return Error{Errc::kInvalid,
                 StrCat("fit ratings: prior_draws = ", options.prior_draws, " is negative")};
  }
  AZ_ASSIGN_OR_RETURN(const std::vector<Edge> all, EdgesOf(meetings, options));
  const std::vector<bool> reached =
      ReachedFrom(options.anchor, options.players, all, Along::kGames);
  AZ_RETURN_IF_ERROR(CheckFinite(reached, options.anchor, all));
  std::vector<Edge> edges;
  for (const Edge& edge : all) {
    if (reached[edge.a]) edges.push_back(edge);
  }
  std::vector<std::optional<std::size_t>> column(options.players);
  std::size_t size = 0;
  for (std::size_t i = 0; i < options.players; ++i) {
    if (reached[i] && i != options.anchor) column[i] = size++;
  }
  const Likelihood likelihood(edges, column, size);
  const std::vector<double> logits = Maximise(likelihood, size);
  const Cholesky information = likelihood.Information(logits);
  std::vector<std::optional<Rating>> ratings(options.players);
  ratings[options.anchor] = Rating{.elo = options.anchor_elo, .standard_error = 0};
  for (std::size_t i = 0; i < options.players; ++i) {
    if (!column[i]) continue;
    std::vector<double> unit(size, 0.0);
    unit[*column[i]] = 1;
    const double variance = information.Solve(std::move(unit))[*column[i]];
    ratings[i] = Rating{.elo = options.anchor_elo + kEloPerLogit * logits[*column[i]],
                        .standard_error = kEloPerLogit * std::sqrt(variance)};
  }
  return ratings;
}

}  // namespace az
