#include "games/solvers/yardstick_measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "games/solvers/move_judge.h"

namespace az {
namespace {

constexpr double kDrawMargin = 1.0 / 3;
// The most won positions that games start from where they cannot start from openings.
constexpr std::size_t kMostWonPositions = 50;
// The most positions that one question to the solver may cost, a few seconds.
constexpr std::uint64_t kSolverPositions = 20'000'000;
constexpr std::uint64_t kGamesStream = 3;

std::size_t IndexOf(Player player) { return player == Player::kFirst ? 0 : 1; }

Result<std::vector<PlayerAnswer>> AskAll(const AskPlayer& ask,
                                         std::span<const std::vector<Action>> positions,
                                         Thinking thinking) {
  if (positions.empty()) return std::vector<PlayerAnswer>();
  AZ_ASSIGN_OR_RETURN(std::vector<PlayerAnswer> answers, ask(positions, thinking));
  AZ_CHECK_EQ(answers.size(), positions.size());
  return answers;
}

}  // namespace

struct YardstickMeasure::Start {
  std::vector<Action> actions;
  Player side = Player::kFirst;  // the side that the player has
  int value = 0;                 // for the player; never a loss
};

struct YardstickMeasure::OpenGame {
  Start start;
  std::vector<Action> actions;
  std::unique_ptr<Position> board;
  Defence defence = Defence::kRandom;
  Rng rng;
};

double OpeningAnswer::margin() const {
  return opening.value == 0 ? kDrawMargin - std::abs(raw_value) : opening.value * raw_value;
}

int YardstickReport::openings_right() const {
  return static_cast<int>(
      std::ranges::count_if(openings, [](const OpeningAnswer& o) { return o.margin() > 0; }));
}

double YardstickReport::smallest_margin() const {
  if (openings.empty()) return 0.0;
  return std::ranges::min(openings, {}, &OpeningAnswer::margin).margin();
}

bool YardstickReport::is_perfect() const {
  return openings_right() == std::ssize(openings) && games.games > 0 && games.held == games.games &&
         games.guesses == 0;
}

YardstickMeasure::YardstickMeasure(const GameOps& game, const MeasureOptions& options,
                                   std::unique_ptr<Solver> solver)
    : game_(&game),
      options_(options),
      solver_(std::move(solver)),
      opponent_(std::make_unique<ExactOpponent>(*solver_, FirstHardPly(game.info().entry))) {}

Result<YardstickMeasure> YardstickMeasure::Create(const GameOps& game,
                                                  const MeasureOptions& options) {
  const std::string& entry = game.info().entry;
  AZ_ASSIGN_OR_RETURN(std::unique_ptr<Solver> solver,
                      MakeSolver(entry, {.max_positions = kSolverPositions}));
  YardstickMeasure made(game, options, std::move(solver));
  AZ_ASSIGN_OR_RETURN(made.openings_, OpeningValues(game, *made.solver_));
  AZ_ASSIGN_OR_RETURN(made.positions_, MakeYardstick(game, *made.solver_,
                                                     {.positions = options.positions,
                                                      .seed = options.seed,
                                                      .first_ply = FirstQuickPly(entry)}));
  return made;
}

Result<YardstickReport> YardstickMeasure::Measure(const AskPlayer& ask) {
  YardstickReport report;
  std::vector<std::vector<Action>> raw;
  for (const OpeningValue& opening : openings_) raw.push_back({opening.first});
  std::vector<std::vector<Action>> searched;
  for (const YardstickPosition& position : positions_) searched.push_back(position.actions);
  raw.insert(raw.end(), searched.begin(), searched.end());

  AZ_ASSIGN_OR_RETURN(const auto answers, AskAll(ask, raw, Thinking::kRawPolicy));
  for (std::size_t i = 0; i < openings_.size(); ++i) {
    report.openings.push_back({.opening = openings_[i], .raw_value = answers[i].raw_value});
  }
  std::vector<Action> moves;
  for (std::size_t i = openings_.size(); i < answers.size(); ++i) moves.push_back(answers[i].move);
  report.raw = CountMistakes(positions_, moves);

  AZ_ASSIGN_OR_RETURN(const auto found, AskAll(ask, searched, Thinking::kSearch));
  moves.clear();
  for (const PlayerAnswer& answer : found) moves.push_back(answer.move);
  report.search = CountMistakes(positions_, moves);

  AZ_ASSIGN_OR_RETURN(report.games, PlayGames(ask));
  return report;
}

// Every opening, once for each side that does not lose from it; where the solver cannot play from
// the openings, judged positions that are won.
std::vector<YardstickMeasure::Start> YardstickMeasure::Starts() const {
  std::vector<Start> starts;
  if (CanPlayOpenings(game_->info().entry)) {
    for (const OpeningValue& opening : openings_) {
      const std::vector<Action> actions = {opening.first};
      const Player to_move = (*game_->Replay(actions))->ToMove();
      if (opening.value >= 0) starts.push_back({actions, to_move, opening.value});
      if (opening.value <= 0) starts.push_back({actions, Opponent(to_move), -opening.value});
    }
    return starts;
  }
  for (const YardstickPosition& position : positions_) {
    if (position.value != 1 || starts.size() == kMostWonPositions) continue;
    starts.push_back({position.actions, (*game_->Replay(position.actions))->ToMove(), 1});
  }
  return starts;
}

Result<std::vector<YardstickMeasure::OpenGame>> YardstickMeasure::SetUpGames() const {
  std::vector<OpenGame> games;
  for (const Start& start : Starts()) {
    for (int i = 0; i < options_.games; ++i) {
      OpenGame game;
      game.start = start;
      game.actions = start.actions;
      AZ_ASSIGN_OR_RETURN(game.board, game_->Replay(start.actions));
      // With one game per start, the opponent defends as hard as it can in every other game.
      const std::size_t number = games.size();
      const bool hardest = (options_.games == 1 ? number : static_cast<std::size_t>(i)) % 2 == 1;
      game.defence = hardest ? Defence::kHardest : Defence::kRandom;
      game.rng = Rng(options_.seed).Fork(kGamesStream).Fork(number);
      games.push_back(std::move(game));
    }
  }
  return games;
}

// Lets the opponents move until it is the player's turn or the game is over.
Result<void> YardstickMeasure::LetOpponentsMove(std::vector<OpenGame>& games) {
  for (OpenGame& game : games) {
    while (!game.board->FinalOutcome().has_value() && game.board->ToMove() != game.start.side) {
      AZ_ASSIGN_OR_RETURN(const Action reply,
                          opponent_->Reply(*game.board, game.actions, game.defence, game.rng));
      AZ_RETURN_IF_ERROR(game.board->Apply(reply));
      game.actions.push_back(reply);
    }
  }
  return {};
}

// Plays all games side by side, with one question to the player per round.
Result<GamesScore> YardstickMeasure::PlayGames(const AskPlayer& ask) {
  GamesScore score{.from_openings = CanPlayOpenings(game_->info().entry)};
  AZ_ASSIGN_OR_RETURN(std::vector<OpenGame> games, SetUpGames());
  const int guesses_before = opponent_->guesses();
  while (!games.empty()) {
    AZ_RETURN_IF_ERROR(LetOpponentsMove(games));
    std::erase_if(games, [&](const OpenGame& game) {
      const std::optional<Outcome> outcome = game.board->FinalOutcome();
      if (!outcome.has_value()) return false;
      const std::size_t side = IndexOf(game.start.side);
      const int held = ValueFor(*outcome, game.start.side) >= game.start.value ? 1 : 0;
      ++score.games;
      ++score.by_side[side];
      score.held += held;
      score.held_by_side[side] += held;
      return true;
    });
    std::vector<std::vector<Action>> positions;
    for (const OpenGame& game : games) positions.push_back(game.actions);
    AZ_ASSIGN_OR_RETURN(const auto answers, AskAll(ask, positions, Thinking::kSearch));
    for (std::size_t i = 0; i < games.size(); ++i) {
      const Result<void> applied = games[i].board->Apply(answers[i].move);
      if (!applied) return WithContext("the player's move", applied.error());
      games[i].actions.push_back(answers[i].move);
    }
  }
  score.guesses = opponent_->guesses() - guesses_before;
  return score;
}

}  // namespace az
