// GtpEngine: commands that ask about the position.

#include <cmath>
#include <utility>

#include "base/strings.h"
#include "engine/play/board_drawing.h"
#include "engine/play/gtp_engine.h"
#include "games/board_text.h"
#include "games/points.h"

namespace az {
namespace {

// Finds the chains of a Go board; each is a line with its points' names.
class ChainNames {
 public:
  explicit ChainNames(const BoardPicture& picture)
      : picture_(picture), seen_(picture.rows.size() * picture.columns.size(), false) {}

  std::string All() {
    std::string text;
    for (std::size_t row = 0; row < picture_.rows.size(); ++row) {
      for (std::size_t col = 0; col < picture_.columns.size(); ++col) {
        const char stone = picture_.rows[row].cells[col];
        if (stone == kEmptyCell) continue;
        std::string chain;
        Collect(row, col, stone, chain);
        if (!chain.empty()) text += StrCat(text.empty() ? "" : "\n", chain);
      }
    }
    return text;
  }

 private:
  // Adds the cells that are connected with this one and were not seen before. The coordinates may
  // lie outside of the board (below zero they wrap around).
  void Collect(std::size_t row, std::size_t col, char stone, std::string& chain) {
    if (row >= picture_.rows.size() || col >= picture_.columns.size()) return;
    const std::size_t at = row * picture_.columns.size() + col;
    if (seen_[at] || picture_.rows[row].cells[col] != stone) return;
    seen_[at] = true;
    chain += StrCat(chain.empty() ? "" : " ", picture_.CellName(row, col));
    Collect(row + 1, col, stone, chain);
    Collect(row - 1, col, stone, chain);
    Collect(row, col + 1, stone, chain);
    Collect(row, col - 1, stone, chain);
  }

  const BoardPicture& picture_;
  std::vector<bool> seen_;
};

}  // namespace

GtpEngine::Reply GtpEngine::ShowBoard(const Call&) {
  std::string text = StrCat("\n", session_.position().ToString());
  if (const auto komi = DefaultKomi(session_.game()); komi.has_value()) {
    text += StrCat("komi ", session_.options().komi.value_or(*komi), "\n");
  }
  return Ok(std::move(text));
}

GtpEngine::Reply GtpEngine::FinalScore(const Call&) {
  const auto margin = PointsMargin(session_.game(), session_.options(), session_.moves());
  if (!margin) return Fail(margin.error().message);
  if (margin->has_value()) {
    const double points = **margin;
    if (points == 0) return Ok("0");
    return Ok(StrCat(points > 0 ? "B+" : "W+", std::abs(points)));
  }
  const std::optional<Outcome> outcome = session_.position().FinalOutcome();
  if (!outcome.has_value()) return Fail("cannot score: the game is not over");
  if (*outcome == Outcome::kDraw) return Ok("0");
  return Ok(*outcome == Outcome::kFirstWins ? "B+" : "W+");
}

GtpEngine::Reply GtpEngine::FinalStatusList(const Call& call) {
  if (call.arguments().size() != 1) return Fail("syntax error");
  const std::string& status = call.arguments()[0];
  if (session_.game().info().family != "go") return Fail("only stones of go have a status");
  // The rules count every stone on the board as alive.
  if (status == "dead" || status == "seki") return Ok();
  if (status != "alive") return Fail("syntax error");
  const BoardPicture picture = ReadBoard(session_.position());
  return Ok(GtpMoveText(session_.game(), ChainNames(picture).All()));
}

std::string GtpEngine::LegalNames() const {
  std::string names;
  for (const Action action : session_.position().LegalActions()) {
    names += StrCat(names.empty() ? "" : " ", Named(action));
  }
  return names;
}

GtpEngine::Reply GtpEngine::AllLegal(const Call& call) {
  const auto color =
      call.arguments().size() == 1 ? ParseGtpColor(call.arguments()[0]) : std::nullopt;
  if (!color.has_value()) return Fail("syntax error");
  const auto passes = GiveTurn(*color);
  if (!passes) return session_.is_over() ? Ok() : Fail(passes.error().message);
  Reply names = Ok(LegalNames());
  session_.Undo(*passes);
  return names;
}

GtpEngine::Reply GtpEngine::RulesGameId(const Call&) { return Ok(session_.game().info().family); }

GtpEngine::Reply GtpEngine::RulesBoard(const Call&) {
  std::string text;
  for (const BoardPicture::Row& row : ReadBoard(session_.position()).rows) {
    for (std::size_t col = 0; col < row.cells.size(); ++col) {
      const char cell = row.cells[col];
      text += StrCat(col == 0 ? "" : " ", cell == kFirstStone    ? 'X'
                                          : cell == kSecondStone ? 'O'
                                                                 : '.');
    }
    text += '\n';
  }
  return Ok(std::move(text));
}

GtpEngine::Reply GtpEngine::RulesBoardSize(const Call&) {
  return Ok(StrCat(session_.game().info().shape.cols));
}

GtpEngine::Reply GtpEngine::RulesSideToMove(const Call&) {
  return Ok(std::string(GtpColorName(session_.to_move())));
}

GtpEngine::Reply GtpEngine::RulesLegalMoves(const Call&) { return Ok(LegalNames()); }

GtpEngine::Reply GtpEngine::RulesFinalResult(const Call&) {
  const std::optional<Outcome> outcome = session_.position().FinalOutcome();
  if (!outcome.has_value()) return Ok();
  if (*outcome == Outcome::kDraw) return Ok("draw");
  return Ok(*outcome == Outcome::kFirstWins ? "black wins" : "white wins");
}

}  // namespace az
