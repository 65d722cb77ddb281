// GtpEngine: games from and to SGF.

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "base/strings.h"
#include "engine/play/gtp_engine.h"
#include "engine/records/game_text.h"
#include "engine/records/sgf.h"

namespace az {

GtpEngine::Reply GtpEngine::LoadSgf(const Call& call) {
  const std::vector<std::string>& arguments = call.arguments();
  std::uint64_t before_move = 0;  // 0: the whole game
  if (arguments.empty() || arguments.size() > 2 ||
      (arguments.size() == 2 && (!ParseUint(arguments[1], before_move) || before_move == 0))) {
    return Fail("syntax error");
  }
  const auto text = ReadFile(arguments[0]);
  if (!text) return Fail("cannot load file");
  const auto read = ReadGames(*text, session_.game());
  if (!read) return Fail(StrCat("cannot load file: ", read.error().message));
  if (read->games.empty()) return Fail("cannot load file");
  const NotedGame& game = read->games.front();
  const StartOptions start{.komi = game.komi};
  if (const auto started = StartGame(start); !started) return Fail(started.error().message);
  std::size_t plies = game.moves.size();
  if (before_move > 0) plies = std::min<std::size_t>(plies, before_move - 1);
  for (std::size_t ply = 0; ply < plies; ++ply) {
    session_.Play(game.moves[ply].action).value();  // ReadGames found all of them legal
    plies_of_moves_.push_back(1);
  }
  return Ok();
}

GtpEngine::Reply GtpEngine::PrintSgf(const Call& call) {
  if (call.arguments().size() > 1) return Fail("syntax error");
  NotedGame game{.entry = session_.game().info().entry, .komi = session_.options().komi};
  for (const Action action : session_.moves()) game.moves.push_back({.action = action});
  game.outcome = session_.position().FinalOutcome();
  if (game.outcome.has_value()) game.reason = EndReason::kRules;
  const auto text = WriteSgf(game, session_.game());
  if (!text) return Fail(text.error().message);
  if (call.arguments().empty()) return Ok(StrCat("\n", *text));
  const auto written = WriteFileAtomic(call.arguments()[0], *text);
  return written ? Ok() : Fail(written.error().message);
}

}  // namespace az
