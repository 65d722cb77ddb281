// TerminalGame: its commands.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/readable.h"
#include "base/strings.h"
#include "base/words.h"
#include "engine/play/terminal_game.h"
#include "engine/play/terminal_level.h"

namespace az {
namespace {

constexpr std::size_t kShownMoves = 8;
constexpr std::size_t kShownVariation = 6;
constexpr std::size_t kHelpColumn = 16;

Error Wrong(std::string_view what) { return Error{Errc::kInvalid, std::string(what)}; }

std::string ProvenText(int proven) {
  return proven > 0 ? "a proven win" : proven < 0 ? "a proven loss" : "a proven draw";
}

std::string Variation(const Position& start, const std::vector<Action>& actions) {
  const std::unique_ptr<Position> position = start.Clone();
  std::string text;
  for (std::size_t i = 0; i < std::min(actions.size(), kShownVariation); ++i) {
    if (!position->IsLegal(actions[i])) break;
    text += StrCat(i == 0 ? "" : " ", position->MoveText(actions[i]));
    if (!position->Apply(actions[i])) break;
  }
  return text;
}

}  // namespace

std::span<const TerminalGame::Command> TerminalGame::Commands() {
  using T = TerminalGame;
  static constexpr std::array<Command, 12> kCommands = {{
      {"help", "", "this list", &T::Help},
      {"board", "", "draws the board", &T::Board},
      {"moves", "", "lists the legal moves", &T::Moves},
      {"hint", "", "what the player would do in your place", &T::Hint},
      {"analyse", "[SIMS]", "its best moves: visits, prior, value, what would follow", &T::Analyse},
      {"undo", "", "takes back your last move and the answer to it", &T::Undo},
      {"level", "[1-10|0]", "how strong the player is; 0: as it was set up", &T::Level},
      {"side", "x|o|both|none", "which side is yours, from now on", &T::Side},
      {"new", "", "begins another game", &T::NewGame},
      {"save", "FILE", "writes the game's record", &T::Save},
      {"resign", "", "gives the game up", &T::Resign},
      {"quit", "", "ends", &T::Quit},
  }};
  return kCommands;
}

TerminalGame::Said TerminalGame::Help(Arguments) {
  const std::vector<std::string> legal = session_.LegalNames();
  std::string text = StrCat("a move by its name",
                            legal.empty() ? "" : StrCat(", such as ", legal.front()), ", or\n");
  for (const Command& command : Commands()) {
    std::string name = StrCat("  ", command.name, command.usage.empty() ? "" : " ", command.usage);
    name.resize(std::max(kHelpColumn + 6, name.size() + 1), ' ');
    text += StrCat(name, command.what, "\n");
  }
  return text;
}

TerminalGame::Said TerminalGame::Board(Arguments) { return Picture() + Standing(); }

TerminalGame::Said TerminalGame::Moves(Arguments) {
  if (IsOver()) return std::string("none: the game is over\n");
  return Join(session_.LegalNames(), " ") + "\n";
}

TerminalGame::Said TerminalGame::Hint(Arguments) {
  if (IsOver()) return Wrong("no hint: the game is over");
  AZ_ASSIGN_OR_RETURN(const Thought thought, thinker_->Think(session_.moves(), {}, {}));
  const std::string worth = thought.proven.has_value() ? ProvenText(*thought.proven)
                                                       : StrCat("value ", Signed(thought.value, 2));
  return StrCat("try ", NameOf(thought.best), " (", worth, ")\n");
}

TerminalGame::Said TerminalGame::Analyse(Arguments arguments) {
  if (IsOver()) return Wrong("nothing to analyse: the game is over");
  std::optional<int> simulations;
  if (!arguments.empty()) {
    std::int64_t wanted = 0;
    if (!ParseInt(arguments[0], wanted) || wanted < 1 || wanted > kMostSimulations) {
      return Wrong(StrCat("analyse '", arguments[0], "': simulations are a number from 1 to ",
                          kMostSimulations));
    }
    simulations = static_cast<int>(wanted);
  }
  const ThinkLimits limits{.simulations = simulations};
  AZ_ASSIGN_OR_RETURN(const Thought thought, thinker_->Think(session_.moves(), limits, {}));
  std::string text = StrCat(
      "value ", Signed(thought.value, 2), " for ", DrawStone(session_.to_move(), options_.style),
      thought.proven.has_value() ? StrCat(", ", ProvenText(*thought.proven)) : "", ", ",
      thought.simulations, " simulations\n  move  visits  prior  value  what would follow\n");
  for (std::size_t i = 0; i < std::min(thought.moves.size(), kShownMoves); ++i) {
    const MoveInfo& move = thought.moves[i];
    text += StrCat(RightAligned(NameOf(move.action), 6), RightAligned(StrCat(move.visits), 8),
                   RightAligned(Fixed(static_cast<double>(move.prior), 3), 7),
                   RightAligned(Signed(move.value, 2), 7), "  ",
                   Variation(session_.position(), move.variation), "\n");
  }
  return text;
}

TerminalGame::Said TerminalGame::Undo(Arguments) {
  if (resigned_.has_value()) {
    resigned_.reset();
    return Picture() + Standing();
  }
  // Goes back to the person's last choice; if the player has both sides, by one move.
  const auto movers = [&] {
    std::vector<Player> players;
    const std::unique_ptr<Position> position = session_.game().Start(session_.options()).value();
    for (const Action action : session_.moves()) {
      players.push_back(position->ToMove());
      position->Apply(action).value();
    }
    return players;
  }();
  if (movers.empty()) return Wrong("nothing to undo: no move was made");
  std::size_t plies = 1;
  while (plies < movers.size() && !options_.person.Plays(movers[movers.size() - plies])) ++plies;
  const bool found = options_.person.Plays(movers[movers.size() - plies]);
  if (!found && options_.person.plays != std::array{false, false}) {
    return Wrong("nothing to undo: you have not moved yet");
  }
  session_.Undo(found ? plies : 1);
  before_.reset();
  is_waiting_ = !found;  // a watched player would move at once; it waits for an empty line instead
  return Picture() + Standing();
}

TerminalGame::Said TerminalGame::Level(Arguments arguments) {
  std::int64_t level = 0;
  if (arguments.empty()) {
    level = options_.level;
  } else if (!ParseInt(arguments[0], level) || level < 0 || level > kMostLevel) {
    return Wrong(StrCat("level '", arguments[0], "' is no number from 0 to ", kMostLevel));
  }
  if (level != 0 && !options_.has_levels) {
    return WithContext(StrCat("level ", level), NoLevels(options_.opponent));
  }
  options_.level = static_cast<int>(level);
  if (level == 0) return std::string("level 0: the player as it was set up\n");
  const PlayLevel set = LevelOf(options_.level);
  return StrCat("level ", level, ": ", set.simulations, " simulations a move, ",
                set.temperature > 0 ? StrCat("drawn at temperature ", Fixed(set.temperature, 1))
                                    : std::string("the best one"),
                "\n");
}

TerminalGame::Said TerminalGame::Side(Arguments arguments) {
  if (arguments.size() != 1) return Wrong("side x, o, both or none?");
  AZ_ASSIGN_OR_RETURN(options_.person, ParsePersonSides(LowerCase(arguments[0])));
  return std::string();
}

TerminalGame::Said TerminalGame::NewGame(Arguments) {
  AZ_RETURN_IF_ERROR(StartThinking());
  session_.Restart();
  before_.reset();
  resigned_.reset();
  options_.seed = Rng(options_.seed).Fork(1).Next();
  return Picture() + Standing();
}

TerminalGame::Said TerminalGame::Save(Arguments arguments) {
  if (arguments.size() != 1) return Wrong("save to which file? (save FILE)");
  const std::string path(arguments[0]);
  AZ_RETURN_IF_ERROR(options_.save(Record(), session_.game(), path));
  return StrCat("saved ", session_.moves().size(), " moves to ", path, "\n");
}

TerminalGame::Said TerminalGame::Resign(Arguments) {
  if (IsOver()) return Wrong("the game is over");
  resigned_ = session_.to_move();
  return Standing();
}

TerminalGame::Said TerminalGame::Quit(Arguments) {
  has_quit_ = true;
  return std::string();
}

}  // namespace az
