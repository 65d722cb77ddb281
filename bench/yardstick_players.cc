#include "bench/yardstick_players.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/rng.h"
#include "base/strings.h"
#include "bench/checkpoint_rows.h"
#include "games/registry.h"
#include "mcts/rollout_player.h"
#include "mcts/uniform_player.h"

namespace az {
namespace {

using SolvedGames =
    TypeList<TicTacToe, ConnectFour, Mnk<5, 5, 4>, Hex<3>, Hex<4>, Hex<5>, Breakthrough<5, 5>>;

// The same draws at a position whatever was asked before.
Rng RngAt(const Position& position) { return Rng(position.Hash()); }

template <GameState S>
S StateAfter(std::span<const Action> actions) {
  S state;
  for (const Action a : actions) state.Apply(a);
  return state;
}

// A search whose rows a network answers. Thread-compatible.
template <GameState S>
class NetPlayer {
 public:
  NetPlayer(int simulations, AnswerRows answer)
      : search_({}, SearchMode::kPlay, simulations, /*run_seed=*/0, {}),
        answer_(std::move(answer)) {}

  Result<Action> Choose(const S& state) {
    search_.Clear();
    search_.SetRoot(state, Rng(0));
    std::array<EvalRow, 1> rows = {EvalRow{.planes = planes_, .logits = logits_, .value = &value_}};
    while (!search_.Done()) {
      const auto gathered = static_cast<std::size_t>(search_.Gather(rows));
      const auto answered = std::span<const EvalRow>(rows).first(gathered);
      AZ_RETURN_IF_ERROR(answer_(answered));
      search_.Absorb(answered);
    }
    if (search_.Failed()) {
      return Error{Errc::kNotFinite, "search: the network's answer is not finite"};
    }
    Rng rng(0);
    return search_.ChooseMove(0.0f, rng);
  }

 private:
  Search<S> search_;
  AnswerRows answer_;
  std::array<std::uint64_t, static_cast<std::size_t>(S::kShape.words())> planes_{};
  std::array<float, S::kNumActions> logits_{};
  float value_ = 0.0f;
};

template <GameState S>
Result<ChooseMove> MakeFor(std::string_view kind, int simulations) {
  if (kind == "random") {
    return ChooseMove([](const Position& position, std::span<const Action>) -> Result<Action> {
      const std::vector<Action> legal = position.LegalActions();
      return legal[static_cast<std::size_t>(RngAt(position).Below(legal.size()))];
    });
  }
  if (kind == "mcts") {
    return ChooseMove(
        [simulations](const Position& position, std::span<const Action> actions) -> Result<Action> {
          return RolloutMove(StateAfter<S>(actions), simulations, RngAt(position));
        });
  }
  // Shared below, because std::function copies what it holds and a search cannot be copied.
  if (kind == "uniform" || kind == "playouts") {
    const auto player = std::make_shared<UniformPlayer<S>>(
        simulations, kind == "uniform" ? LeafValue::kZero : LeafValue::kPlayout);
    return ChooseMove([player](const Position&, std::span<const Action> actions) -> Result<Action> {
      return player->Choose(StateAfter<S>(actions));
    });
  }
  if (!std::filesystem::exists(kind)) {
    return Error{Errc::kInvalid, StrCat("no player is called '", kind,
                                        "'; there are random, mcts, uniform, playouts, and the "
                                        "folders of checkpoints")};
  }
  AZ_ASSIGN_OR_RETURN(AnswerRows answer, LoadCheckpointRows(kind, MakeGameInfo<S>()));
  const auto player = std::make_shared<NetPlayer<S>>(simulations, std::move(answer));
  return ChooseMove([player](const Position&, std::span<const Action> actions) -> Result<Action> {
    return player->Choose(StateAfter<S>(actions));
  });
}

template <class... S>
Result<ChooseMove> MakeAmong(TypeList<S...>, std::string_view entry, std::string_view kind,
                             int simulations) {
  Result<ChooseMove> made =
      Error{Errc::kNotFound, StrCat("no yardstick for game '", entry,
                                    "'; there are yardsticks for ", Join(SolvedEntries(), ", "))};
  const auto try_one = [&]<class Game>() {
    if (entry == Game::kName) made = MakeFor<Game>(kind, simulations);
  };
  (try_one.template operator()<S>(), ...);
  return made;
}

}  // namespace

Result<YardstickPlayer> MakeYardstickPlayer(std::string_view text, std::string_view entry,
                                            int simulations) {
  constexpr std::string_view kSims = ":sims=";
  std::string_view kind = text;
  if (const std::size_t at = text.rfind(kSims); at != std::string_view::npos) {
    kind = text.substr(0, at);
    const std::string_view number = text.substr(at + kSims.size());
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), simulations);
    if (error != std::errc{} || end != number.data() + number.size() || simulations <= 0) {
      return Error{Errc::kInvalid,
                   StrCat("player '", text, "': sims=", number, " is not a number above 0")};
    }
  }
  AZ_ASSIGN_OR_RETURN(ChooseMove choose, MakeAmong(SolvedGames{}, entry, kind, simulations));
  std::string name(kind);
  if (kind != "random") name += StrCat(kSims, simulations);
  return YardstickPlayer{.name = std::move(name), .choose = std::move(choose)};
}

}  // namespace az
