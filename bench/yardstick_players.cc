#include "bench/yardstick_players.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/rng.h"
#include "base/strings.h"
#include "bench/checkpoint_rows.h"
#include "engine/players/player_source.h"
#include "games/registry.h"
#include "mcts/fresh_search.h"
#include "mcts/rollout_player.h"
#include "mcts/uniform_player.h"

namespace az {
namespace {

using SolvedGames =
    TypeList<TicTacToe, ConnectFour, Mnk<5, 5, 4>, Hex<3>, Hex<4>, Hex<5>, Breakthrough<5, 5>>;

constexpr std::string_view kUniform = "uniform";
constexpr std::string_view kPlayouts = "playouts";

// A generator that depends only on the position, not on earlier questions.
Rng RngAt(const Position& position) { return Rng(position.Hash()); }

template <GameState S>
S StateAfter(std::span<const Action> actions) {
  S state;
  for (const Action a : actions) state.Apply(a);
  return state;
}

// A search with a network. The copies that std::function makes share it.
template <GameState S>
ChooseMove SearchWith(const PlayerSearch& search, AnswerRows answer) {
  const auto player = std::make_shared<FreshSearch<S>>(search.options, search.visits);
  return [player, answer = std::move(answer)](const Position&,
                                              std::span<const Action> actions) -> Result<Action> {
    return player->Choose(StateAfter<S>(actions),
                          [&](const EvalRow& row, const S&) { return answer(std::span(&row, 1)); });
  };
}

template <GameState S>
ChooseMove Uniform(const PlayerSearch& search, LeafValue leaf_value) {
  const auto player = std::make_shared<UniformPlayer<S>>(search.visits, leaf_value, search.options);
  return [player](const Position&, std::span<const Action> actions) -> Result<Action> {
    return player->Choose(StateAfter<S>(actions));
  };
}

template <GameState S>
Result<ChooseMove> MakeFor(const PlayerSpec& spec, const PlayerSearch& search) {
  if (spec.kind == PlayerKind::kRandom) {
    return ChooseMove([](const Position& position, std::span<const Action>) -> Result<Action> {
      const std::vector<Action> legal = position.LegalActions();
      return legal[static_cast<std::size_t>(RngAt(position).Below(legal.size()))];
    });
  }
  if (spec.kind == PlayerKind::kMcts) {
    return ChooseMove([visits = search.visits](const Position& position,
                                               std::span<const Action> actions) -> Result<Action> {
      return RolloutMove(StateAfter<S>(actions), visits, RngAt(position));
    });
  }
  if (spec.source == kUniform) return Uniform<S>(search, LeafValue::kZero);
  if (spec.source == kPlayouts) return Uniform<S>(search, LeafValue::kPlayout);
  if (spec.kind != PlayerKind::kCheckpoint) {
    return Error{Errc::kInvalid,
                 StrCat("player '", spec.text,
                        "': a yardstick takes random, mcts, uniform, playouts, runs and "
                        "checkpoints")};
  }
  AZ_ASSIGN_OR_RETURN(const PlayerSource source, FindPlayer(spec));
  AZ_ASSIGN_OR_RETURN(AnswerRows answer, LoadCheckpointRows(source.weights, MakeGameInfo<S>()));
  return SearchWith<S>(search, std::move(answer));
}

// Calls make<Game>() for the entry's game.
template <class... S, class Make>
Result<ChooseMove> MakeAmong(TypeList<S...>, std::string_view entry, Make make) {
  Result<ChooseMove> made =
      Error{Errc::kNotFound, StrCat("no yardstick for game '", entry,
                                    "'; there are yardsticks for ", Join(SolvedEntries(), ", "))};
  const auto try_one = [&]<class Game>() {
    if (entry == Game::kName) made = make.template operator()<Game>();
  };
  (try_one.template operator()<S>(), ...);
  return made;
}

Result<PlayerSpec> ParseUntimed(std::string_view text) {
  AZ_ASSIGN_OR_RETURN(PlayerSpec spec, ParsePlayer(text));
  if (!spec.settings.is_timed() && spec.settings.temperature == 0.0f) return spec;
  return Error{Errc::kInvalid, StrCat("player '", text,
                                      "': a yardstick takes the best move after a number of "
                                      "simulations (no seconds, clock or temperature)")};
}

// The answer of the network alone.
Result<PlayerAnswer> RawAnswer(const GameInfo& game, const Position& position,
                               const AnswerRows& answer) {
  std::vector<std::uint64_t> planes(static_cast<std::size_t>(game.shape.words()));
  std::vector<float> logits(static_cast<std::size_t>(game.num_actions));
  float value = 0.0f;
  position.Encode(planes);
  const EvalRow row{.planes = planes, .logits = logits, .value = &value};
  AZ_RETURN_IF_ERROR(answer(std::span(&row, 1)));
  const auto logit = [&](Action a) { return logits[static_cast<std::size_t>(Index(a))]; };
  return PlayerAnswer{.move = std::ranges::max(position.LegalActions(), {}, logit),
                      .raw_value = value};
}

}  // namespace

Result<YardstickPlayer> MakeYardstickPlayer(std::string_view text, std::string_view entry,
                                            int simulations) {
  AZ_ASSIGN_OR_RETURN(PlayerSpec spec, ParseUntimed(text));
  AZ_ASSIGN_OR_RETURN(const PlayerSearch search, SearchFor(spec.settings, {}, simulations));
  AZ_ASSIGN_OR_RETURN(ChooseMove choose, MakeAmong(SolvedGames{}, entry, [&]<class Game>() {
                        return MakeFor<Game>(spec, search);
                      }));
  if (spec.kind != PlayerKind::kRandom) spec.settings.sims = search.visits;
  return YardstickPlayer{.name = ToString(spec), .choose = std::move(choose)};
}

Result<TrainedPlayer> MakeTrainedPlayer(std::string_view text, int simulations) {
  AZ_ASSIGN_OR_RETURN(PlayerSpec spec, ParseUntimed(text));
  if (spec.kind != PlayerKind::kCheckpoint) {
    return Error{Errc::kInvalid, StrCat("player '", text, "' is no run and no checkpoint")};
  }
  AZ_ASSIGN_OR_RETURN(const PlayerSearch search, SearchFor(spec.settings, {}, simulations));
  AZ_ASSIGN_OR_RETURN(const PlayerSource source, FindPlayer(spec));
  const GameOps* game = source.game;
  AZ_ASSIGN_OR_RETURN(AnswerRows answer, LoadCheckpointRows(source.weights, game->info()));
  AZ_ASSIGN_OR_RETURN(ChooseMove choose, MakeAmong(SolvedGames{}, game->info().entry,
                                                   [&]<class Game>() -> Result<ChooseMove> {
                                                     return SearchWith<Game>(search, answer);
                                                   }));
  spec.settings.sims = search.visits;
  AskPlayer ask = [game, answer = std::move(answer), choose = std::move(choose)](
                      std::span<const std::vector<Action>> positions,
                      Thinking thinking) -> Result<std::vector<PlayerAnswer>> {
    std::vector<PlayerAnswer> answers;
    for (const std::vector<Action>& actions : positions) {
      AZ_ASSIGN_OR_RETURN(const auto position, game->Replay(actions));
      PlayerAnswer said;
      if (thinking == Thinking::kRawPolicy) {
        AZ_ASSIGN_OR_RETURN(said, RawAnswer(game->info(), *position, answer));
      } else {
        AZ_ASSIGN_OR_RETURN(said.move, choose(*position, actions));
      }
      answers.push_back(said);
    }
    return answers;
  };
  return TrainedPlayer{
      .name = ToString(spec), .game = game, .search = search, .ask = std::move(ask)};
}

}  // namespace az
