#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "bench/commands.h"
#include "engine/arena/match_score.h"
#include "engine/arena/pairing.h"
#include "engine/net/checkpoint.h"
#include "engine/net/cpu_runner.h"
#include "engine/players/player_settings.h"
#include "engine/players/player_source.h"
#include "games/registry.h"
#include "mcts/search.h"

namespace az {
namespace {

constexpr std::size_t kSlots = 64;  // games at a time, and so rows per forward

struct MatchSetup {
  std::array<std::string, 2> names;
  std::array<PlayerSettings, 2> settings;
  std::array<PlayerSearch, 2> sides;
  int visits = 0;
  int games = 400;
  int opening_plies = 4;
  std::uint64_t seed = 1;
};

// The rows that each side's searches asked the network for.
struct Costs {
  std::array<std::uint64_t, 2> rows{};
  std::array<std::uint64_t, 2> moves{};
};

// One board on which games are played one after another. Confined to its thread.
template <GameState S>
class Table {
 public:
  // Each side has its own cache, so that neither profits from the other's questions.
  Table(const MatchSetup& setup, std::array<EvalCache, 2>& caches, TreeScratch& scratch) {
    for (std::size_t side = 0; side < 2; ++side) {
      players_[side] = std::make_unique<Search<S>>(
          setup.sides[side].options, SearchMode::kPlay, setup.sides[side].visits, setup.seed,
          SearchResources{.cache = &caches[side], .scratch = &scratch, .max_nodes = 0});
    }
  }

  void Start(std::uint32_t index, const std::vector<Action>& opening) {
    index_ = index;
    state_ = S{};
    for (const Action action : opening) state_.Apply(action);
    for (const auto& player : players_) player->Clear();
    searching_ = false;
    playing_ = true;
  }
  void Stop() { playing_ = false; }
  bool playing() const { return playing_; }
  bool IsOver() const { return state_.Result().has_value(); }
  std::uint32_t index() const { return index_; }
  Outcome outcome() const { return *state_.Result(); }

  // Plays until the row must be evaluated (true) or the game is over (false).
  Result<bool> Advance(EvalRow row, Costs& costs) {
    while (!IsOver()) {
      Search<S>& player = *players_[Side()];
      const auto legal = state_.LegalActions();
      if (legal.Count() == 1) {
        state_.Apply(legal.Nth(0));
        continue;
      }
      if (!searching_) player.SetRoot(state_, Rng(index_));
      searching_ = true;
      if (player.Gather(std::span(&row, 1)) == 1) return true;
      if (!player.Done()) continue;
      if (player.Failed()) {
        return Error{Errc::kNotFinite,
                     StrCat("game ", index_, " of the match: the network's answer for\n",
                            state_.ToString(), "\nis not finite or not in [-1, 1]")};
      }
      Rng unused(0);
      costs.rows[Side()] += player.Report().rows;
      ++costs.moves[Side()];
      state_.Apply(player.ChooseMove(0.0f, unused));
      searching_ = false;
    }
    return false;
  }
  void Absorb(const EvalRow& row) { players_[Side()]->Absorb(std::span(&row, 1)); }

 private:
  std::size_t Side() const {
    const bool first = state_.ToMove() == Player::kFirst;
    return first == (FirstToMove(index_) == 0) ? 0 : 1;
  }

  std::array<std::unique_ptr<Search<S>>, 2> players_;
  S state_{};
  std::uint32_t index_ = 0;
  bool searching_ = false;
  bool playing_ = false;
};

// The rows of one forward.
template <GameState S>
struct Forward {
  static constexpr auto kWords = static_cast<std::size_t>(S::kShape.words());
  static constexpr auto kActions = static_cast<std::size_t>(S::kNumActions);
  std::vector<std::uint64_t> planes = std::vector<std::uint64_t>(kSlots * kWords);
  std::vector<float> logits = std::vector<float>(kSlots * kActions);
  std::vector<float> values = std::vector<float>(kSlots);
  std::vector<Table<S>*> tables;  // the table of each row

  EvalRow row(std::size_t i) {
    return {.planes = std::span(planes).subspan(i * kWords, kWords),
            .logits = std::span(logits).subspan(i * kActions, kActions),
            .value = &values[i]};
  }
  Result<void> Run(CpuRunner& runner) {
    const std::array<BlockView, 1> block = {BlockView{.planes = planes.data(),
                                                      .logits = logits.data(),
                                                      .values = values.data(),
                                                      .rows = static_cast<int>(tables.size())}};
    AZ_ASSIGN_OR_RETURN([[maybe_unused]] const WeightsVersion version,
                        runner.Launch(kBestModel, static_cast<int>(kSlots), block));
    return runner.Finish();
  }
};

template <GameState S>
Result<MatchScore> PlayMatch(const MatchSetup& setup, CpuRunner& runner, Costs& costs) {
  AZ_ASSIGN_OR_RETURN(const GameOps* const ops, FindGame(S::kName));
  const OpeningDealer openings(*ops, setup.opening_plies, setup.seed);
  std::array<EvalCache, 2> caches = {EvalCache(MiB(32), S::kNumActions),
                                     EvalCache(MiB(32), S::kNumActions)};
  TreeScratch scratch;
  std::vector<std::unique_ptr<Table<S>>> tables;
  for (std::size_t i = 0; i < kSlots; ++i) {
    tables.push_back(std::make_unique<Table<S>>(setup, caches, scratch));
  }
  MatchScore score;
  Forward<S> forward;
  std::uint32_t next = 0;
  const auto games = static_cast<std::uint32_t>(setup.games);
  while (true) {
    forward.tables.clear();
    for (const auto& table : tables) {
      bool asks = false;
      while (!asks) {
        if (!table->playing()) {
          if (next == games) break;
          table->Start(next, openings.Opening(PairOf(next)));
          ++next;
        }
        AZ_ASSIGN_OR_RETURN(asks, table->Advance(forward.row(forward.tables.size()), costs));
        if (asks) break;
        score.Add(table->index(), table->outcome());
        table->Stop();
      }
      if (asks) forward.tables.push_back(table.get());
    }
    if (forward.tables.empty()) return score;
    AZ_RETURN_IF_ERROR(forward.Run(runner));
    for (std::size_t i = 0; i < forward.tables.size(); ++i) {
      forward.tables[i]->Absorb(forward.row(i));
    }
  }
}

// Reads a player's settings over the default search: "root=gumbel,c_puct=2,sims=24". "plain" is
// PUCT and nothing else.
Result<PlayerSettings> ParseSide(std::string_view text) {
  std::string settings(text == "plain" ? "root=puct,solver=false,tree_reuse=false" : text);
  if (text == "default") settings.clear();
  std::ranges::replace(settings, ',', '&');
  Result<PlayerSettings> side = ParsePlayerSettings(PlayerKind::kCheckpoint, settings);
  if (!side) return Error{Errc::kInvalid, StrCat("'", text, "': ", side.error().message)};
  if (side->is_timed() || side->temperature > 0.0f) {
    return Error{Errc::kInvalid,
                 StrCat("'", text, "': a match of searches is by simulations, best move")};
  }
  return side;
}

// The network of both sides.
Result<PlayerSource> SourceOf(std::string_view text) {
  AZ_ASSIGN_OR_RETURN(const PlayerSpec spec, ParsePlayer(text));
  if (spec.kind != PlayerKind::kCheckpoint || spec.settings != PlayerSettings()) {
    return Error{Errc::kInvalid, StrCat("--checkpoint ", text,
                                        " is not a run or a checkpoint alone (settings of the "
                                        "search are given with --a and --b)")};
  }
  return FindPlayer(spec);
}

Result<std::vector<int>> ParseVisits(std::string_view text) {
  std::vector<int> visits;
  for (const std::string_view count : Split(text, ',')) {
    std::uint64_t parsed = 0;
    if (!ParseUint(count, parsed) || parsed == 0 || parsed > 1'000'000) {
      return Error{Errc::kInvalid, StrCat("--visits: '", count, "' is no count from 1 to 1000000")};
    }
    visits.push_back(static_cast<int>(parsed));
  }
  return visits;
}

void Print(const MatchSetup& setup, const MatchScore& score, const Costs& costs, double seconds) {
  const MatchTally total = score.total();
  const ScoreEstimate estimate = score.Estimate();
  const auto rows_a_move = [&](std::size_t side) {
    return static_cast<double>(costs.rows[side]) / static_cast<double>(costs.moves[side]);
  };
  std::printf(
      "{\"bench\":\"strength\",\"a\":\"%s\",\"b\":\"%s\",\"visits\":%d,\"games\":%d,\"wins\":%lld,"
      "\"draws\":%lld,\"losses\":%lld,\"elo\":%.1f,\"elo_low\":%.1f,\"elo_high\":%.1f,"
      "\"rows_per_move_a\":%.1f,\"rows_per_move_b\":%.1f,\"seconds\":%.0f}\n",
      setup.names[0].c_str(), setup.names[1].c_str(), setup.visits, setup.games,
      static_cast<long long>(total.wins), static_cast<long long>(total.draws),
      static_cast<long long>(total.losses), estimate.elo, estimate.elo_interval.low,
      estimate.elo_interval.high, rows_a_move(0), rows_a_move(1), seconds);
  std::fflush(stdout);
}

}  // namespace

Result<void> RunStrengthBench(BenchArgs& args) {
  args.TakeFlag("--json");  // accepted without effect, as it prints JSON anyway
  const auto checkpoint = args.TakeText("--checkpoint");
  if (!checkpoint) return Error{Errc::kInvalid, "--checkpoint RUN or CHECKPOINT is needed"};
  AZ_ASSIGN_OR_RETURN(const PlayerSource source, SourceOf(*checkpoint));
  MatchSetup setup;
  setup.names = {args.TakeText("--a").value_or("default"), args.TakeText("--b").value_or("plain")};
  for (std::size_t side = 0; side < 2; ++side) {
    AZ_ASSIGN_OR_RETURN(setup.settings[side], ParseSide(setup.names[side]));
  }
  AZ_ASSIGN_OR_RETURN(const std::vector<int> visits,
                      ParseVisits(args.TakeText("--visits").value_or("16,32,64")));
  AZ_ASSIGN_OR_RETURN(setup.games, args.TakeCount("--games", setup.games));
  AZ_ASSIGN_OR_RETURN(setup.opening_plies, args.TakeCount("--opening-plies", setup.opening_plies));
  AZ_ASSIGN_OR_RETURN(const int seed, args.TakeCount("--seed", 1));
  setup.seed = static_cast<std::uint64_t>(seed);
  setup.games = static_cast<int>(GamesOfMatch(static_cast<std::uint32_t>(setup.games)));
  AZ_RETURN_IF_ERROR(args.Finish());

  UseOneTorchThread();
  AZ_ASSIGN_OR_RETURN(const Weights weights, LoadWeights(source.weights));
  ModelStore store({.shape = weights.info.shape, .game = weights.info.game, .inference = {}});
  AZ_RETURN_IF_ERROR(store.Publish(kBestModel, weights, 1));
  CpuRunner runner(store);
  for (const int count : visits) {
    setup.visits = count;
    for (std::size_t side = 0; side < 2; ++side) {
      AZ_ASSIGN_OR_RETURN(setup.sides[side], SearchFor(setup.settings[side], {}, setup.visits));
    }
    AZ_RETURN_IF_ERROR(WithGame(weights.info.game, [&]<GameState S>() -> Result<void> {
      Costs costs;
      const TimePoint start = std::chrono::steady_clock::now();
      AZ_ASSIGN_OR_RETURN(const MatchScore score, PlayMatch<S>(setup, runner, costs));
      Print(setup, score, costs, Seconds(std::chrono::steady_clock::now() - start));
      return {};
    }));
  }
  return {};
}

}  // namespace az
