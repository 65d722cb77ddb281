#include "engine/play/analysis_answer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/check.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

// Rounds to six digits, which is more than a search knows.
double Rounded(double number) { return std::round(number * 1e6) / 1e6; }

Json TextsOf(const Position& position, std::span<const Action> actions) {
  Json texts = Json::array();
  const std::unique_ptr<Position> at = position.Clone();
  for (const Action action : actions) {
    texts.push_back(at->MoveText(action));
    const Result<void> applied = at->Apply(action);
    AZ_CHECK(applied.has_value()) << applied.error().message;
  }
  return texts;
}

Json ProvenOf(const std::optional<int>& proven) { return proven ? Json(*proven) : Json(); }

Json MovesOf(const Position& position, const Thought& thought) {
  Json moves = Json::array();
  for (const MoveInfo& move : thought.moves) {
    moves.push_back({{"move", position.MoveText(move.action)},
                     {"visits", move.visits},
                     {"prior", Rounded(move.prior)},
                     {"value", Rounded(move.value)},
                     {"proven", ProvenOf(move.proven)},
                     {"pv", TextsOf(position, move.variation)}});
  }
  return moves;
}

// Each move's share of the visits, by falling visits.
Json PolicyOf(const Position& position, const Thought& thought) {
  double visits = 0.0;
  for (const MoveInfo& move : thought.moves) visits += move.visits;
  Json policy = Json::object();
  for (const MoveInfo& move : thought.moves) {
    policy[position.MoveText(move.action)] = visits > 0.0 ? Rounded(move.visits / visits) : 1.0;
  }
  return policy;
}

Json RawOf(const Position& position, const Thought& thought) {
  Json policy = Json::object();
  const std::vector<Action> legal = position.LegalActions();
  AZ_CHECK_EQ(legal.size(), thought.raw_policy.size());
  for (std::size_t i = 0; i < legal.size(); ++i) {
    policy[position.MoveText(legal[i])] = Rounded(thought.raw_policy[i]);
  }
  const Json value = thought.raw_value ? Json(Rounded(*thought.raw_value)) : Json();
  return {{"value", value}, {"policy", std::move(policy)}};
}

}  // namespace

std::string AnswerLine(std::string_view id, const Position& position, const Thought& thought) {
  const auto best = std::ranges::find(thought.moves, thought.best, &MoveInfo::action);
  AZ_CHECK(best != thought.moves.end()) << "the best move was not searched";
  const Json answer = {{"best", position.MoveText(thought.best)},
                       {"value", Rounded(thought.value)},
                       {"proven", ProvenOf(thought.proven)},
                       {"pv", TextsOf(position, best->variation)},
                       {"policy", PolicyOf(position, thought)},
                       {"moves", MovesOf(position, thought)},
                       {"raw", RawOf(position, thought)},
                       {"simulations", thought.simulations},
                       {"rows", thought.rows},
                       {"ms", std::round(thought.seconds * 1e4) / 10}};
  // The id is put in as it came.
  return "{\"id\":" + std::string(id) + "," + answer.dump().substr(1);
}

std::string FaultLine(std::string_view id, const Error& error) {
  const Json text = error.message;
  return "{\"id\":" + std::string(id) +
         ",\"error\":" + text.dump(-1, ' ', false, Json::error_handler_t::replace) + "}";
}

}  // namespace az
