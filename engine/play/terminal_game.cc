#include "engine/play/terminal_game.h"

#include <utility>

#include "base/readable.h"
#include "base/strings.h"
#include "base/words.h"
#include "engine/play/terminal_level.h"
#include "games/points.h"

namespace az {
namespace {

constexpr std::size_t kMostEchoed = 80;

}  // namespace

Result<PersonSides> ParsePersonSides(std::string_view text) {
  if (text == "first" || text == "x") return PersonSides{{true, false}};
  if (text == "second" || text == "o") return PersonSides{{false, true}};
  if (text == "both") return PersonSides{{true, true}};
  if (text == "none") return PersonSides{{false, false}};
  return Error{Errc::kInvalid,
               StrCat("side '", text, "' is none of x, o, first, second, both, none")};
}

TerminalGame::TerminalGame(GameSession session, std::unique_ptr<Thinker> thinker,
                           const TerminalOptions& options)
    : session_(std::move(session)), thinker_(std::move(thinker)), options_(options) {}

DialogueNext TerminalGame::Begin(LinePort& port) {
  const std::string who = StrCat(session_.game().info().entry, " against ", options_.opponent,
                                 "; help lists the commands\n\n");
  if (const auto started = StartThinking(); !started) {
    is_waiting_ = true;
    port.Write(StrCat(started.error().message, "\n"));
  }
  const bool is_read =
      port.Write(StrCat(who, Picture(), Standing())) && LetPlayerMove(port) && port.Write(Prompt());
  return is_read ? DialogueNext::kGoOn : DialogueNext::kQuit;
}

DialogueNext TerminalGame::Handle(std::string_view line, LinePort& port) {
  std::string text(line.substr(0, line.find_first_of("\r\n")));
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F) letter = ' ';
  }
  const std::vector<std::string_view> words = Words(text);
  if (options_.echo && !port.Write(text.substr(0, kMostEchoed) + '\n')) return DialogueNext::kQuit;
  Said said = std::string();
  is_waiting_ = false;
  if (!words.empty()) {
    const std::string name = LowerCase(words.front());
    const Command* command = nullptr;
    for (const Command& candidate : Commands()) {
      if (candidate.name == name || (name == "analyze" && candidate.name == "analyse") ||
          (name == "exit" && candidate.name == "quit")) {
        command = &candidate;
      }
    }
    said = command == nullptr ? PersonMoves(words.front())
                              : (this->*command->handler)(Arguments(words).subspan(1));
  }
  if (!said) said = said.error().message + "\n";
  bool is_read = port.Write(*said);
  if (has_quit_ || !is_read) return DialogueNext::kQuit;
  is_read = LetPlayerMove(port) && port.Write(Prompt());
  return is_read ? DialogueNext::kGoOn : DialogueNext::kQuit;
}

DialogueNext TerminalGame::Refuse(std::string_view why, LinePort& port) {
  return port.Write(StrCat(why, "\n", Prompt())) ? DialogueNext::kGoOn : DialogueNext::kQuit;
}

bool TerminalGame::LetPlayerMove(LinePort& port) {
  while (IsPlayersTurn() && !is_waiting_) {
    const Player mover = session_.to_move();
    const auto thought = ThinkAtLevel();
    if (!thought) {
      is_waiting_ = true;
      return port.Write(StrCat("the player cannot move: ", thought.error().message, "\n"));
    }
    Action action = thought->best;
    if (options_.level > 0) {
      Rng rng = Rng(options_.seed).Fork(session_.moves().size());
      action = ChooseMove(*thought, LevelOf(options_.level).temperature, rng);
    }
    const std::string text =
        StrCat(DrawStone(mover, options_.style), " plays ", NameOf(action), " (value ",
               Signed(thought->value, 2), " after ", thought->simulations, " simulations)\n");
    Play(action, &*thought).value();
    if (!port.Write(StrCat(text, Picture(), Standing()))) return false;
  }
  return true;
}

Result<void> TerminalGame::StartThinking() { return thinker_->NewGame(session_.options()); }

Result<Thought> TerminalGame::ThinkAtLevel() {
  ThinkLimits limits;
  if (options_.level > 0) limits.simulations = LevelOf(options_.level).simulations;
  return thinker_->Think(session_.moves(), limits, {});
}

Result<void> TerminalGame::Play(Action action, const Thought* thought) {
  std::unique_ptr<Position> before = session_.position().Clone();
  AZ_RETURN_IF_ERROR(session_.Play(action));
  before_ = std::move(before);
  NotedMove note{.action = action};
  if (thought != nullptr) {
    note.visits = thought->simulations;
    note.value = static_cast<float>(thought->value);
  }
  notes_.resize(session_.moves().size());  // drops the notes that undo and new leave behind
  notes_.back() = note;
  return {};
}

NotedGame TerminalGame::Record() const {
  NotedGame record{.entry = session_.game().info().entry, .komi = session_.options().komi};
  for (std::size_t side = 0; side < record.players.size(); ++side) {
    record.players[side] = options_.person.plays[side] ? "person" : options_.opponent;
  }
  record.moves.assign(notes_.begin(),
                      notes_.begin() + static_cast<std::ptrdiff_t>(session_.moves().size()));
  record.outcome = session_.position().FinalOutcome();
  if (record.outcome.has_value()) record.reason = EndReason::kRules;
  if (resigned_.has_value()) {
    record.outcome = LossOf(*resigned_);
    record.reason = EndReason::kResigned;
  }
  return record;
}

TerminalGame::Said TerminalGame::PersonMoves(std::string_view name) {
  const auto action = session_.Find(name);
  if (IsOver() || !action) return UnknownWord(name);
  if (IsPlayersTurn()) {
    return Error{Errc::kInvalid, "it is the player's turn: an empty line asks it again"};
  }
  AZ_RETURN_IF_ERROR(Play(*action, nullptr));
  return Picture() + Standing();
}

TerminalGame::Said TerminalGame::UnknownWord(std::string_view word) const {
  std::vector<std::string> names;
  for (const Command& command : Commands()) names.emplace_back(command.name);
  const std::string shown(word.substr(0, 40));
  const std::string nearest = shown.size() > 2 ? Nearest(LowerCase(shown), names) : "";
  if (!nearest.empty())
    return StrCat("'", shown, "' is no command; did you mean '", nearest, "'?\n");
  if (IsOver()) return std::string("the game is over: undo, new or quit\n");
  return StrCat(session_.Find(shown).error().message, " (moves lists all)\n");
}

std::string TerminalGame::Picture() const {
  return DrawBoard(session_.position(), before_.get(), options_.style);
}

std::string TerminalGame::Standing() const {
  const auto stone = [&](Player player) { return DrawStone(player, options_.style); };
  if (resigned_.has_value()) {
    return StrCat(stone(*resigned_), " resigns, ", stone(Opponent(*resigned_)), " wins\n");
  }
  const std::optional<Outcome> outcome = session_.position().FinalOutcome();
  if (!outcome.has_value()) return StrCat(stone(session_.to_move()), " to move\n");
  std::string text =
      *outcome == Outcome::kDraw
          ? std::string("draw")
          : StrCat(stone(*outcome == Outcome::kFirstWins ? Player::kFirst : Player::kSecond),
                   " wins");
  const auto points = PointsMargin(session_.game(), session_.options(), session_.moves());
  if (points && points->has_value() && *outcome != Outcome::kDraw) {
    text += StrCat(" by ", **points < 0 ? -**points : **points);
  }
  return text + '\n';
}

std::string TerminalGame::Prompt() const {
  if (IsOver()) return "over> ";
  return StrCat(session_.to_move() == Player::kFirst ? "x" : "o", "> ");
}

}  // namespace az
