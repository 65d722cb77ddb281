#pragma once
// Judge: how well a network knows a small game, against its exact solution. One criterion for
// healthy and faulty trainings alike.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "engine/ipc/evaluator.h"
#include "games/game_ops.h"
#include "mcts/report.h"
#include "tests/learning/exact_positions.h"

namespace az {

struct NetworkAnswer {
  std::vector<float> logits;  // by action
  float value = 0;            // for the side to move
};
using NetworkAnswers = std::unordered_map<std::uint64_t, NetworkAnswer>;  // by position
// What a search of a position found.
struct SearchFinding {
  Action move{};
  std::vector<PolicyTarget> target;
};
using SearchFindings = std::unordered_map<std::uint64_t, SearchFinding>;  // by position

// What the evaluator's network says of each position, as it stands. Fails as the evaluator does.
Result<NetworkAnswers> AskNetwork(const GameOps& game, std::span<const ExactPosition> positions,
                                  Evaluator& evaluator);

struct LearningReport {
  int openings = 0;                // first moves
  int wrong_openings = 0;          // whose raw value has the wrong sign (a draw: |v| < 1/3)
  double wrong_values = 0;         // share of all positions whose raw value has
  double policy_mistakes = 0;      // share of positions where the likeliest legal move is a mistake
  double policy_mistake_mass = 0;  // what the policy gives to mistakes, mean over positions
  double search_mistakes = 0;      // share of positions where the search's move is a mistake
  double search_kl_nats = 0;       // KL(search's policy target || policy), mean over positions
  int lost_ends = 0;               // ends of play worse than what the opening was worth
  double served_value_rmse = 0;    // the metric of the run's last training (docs/learning.md)
  double illegal_mass = 0;         // what a softmax over all actions gives to illegal ones, mean
  std::string ToString() const;
};

// `findings`: of every position. A lost end: after some first move one side plays the search's
// moves, the other side everything, and the first does worse than perfect play would.
LearningReport Judge(const GameOps& game, std::span<const ExactPosition> positions,
                     const NetworkAnswers& answers, const SearchFindings& findings);

// What is not as a network of a healthy training has it, a line each: "policy_mistakes 0.31 >
// 0.10".
std::vector<std::string> Shortcomings(const LearningReport& report);

}  // namespace az
