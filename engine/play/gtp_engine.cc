#include "engine/play/gtp_engine.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "games/points.h"
#include "games/registry.h"

namespace az {

std::span<const GtpEngine::Entry> GtpEngine::Commands() {
  using E = GtpEngine;
  static constexpr std::array<Entry, 33> kCommands = {{
      {"protocol_version", &E::ProtocolVersion},
      {"name", &E::Name},
      {"version", &E::Version},
      {"known_command", &E::KnownCommand},
      {"list_commands", &E::ListCommands},
      {"quit", &E::Quit},
      {"boardsize", &E::BoardSize},
      {"clear_board", &E::ClearBoard},
      {"komi", &E::Komi},
      {"play", &E::PlayMove},
      {"genmove", &E::GenMove},
      {"reg_genmove", &E::RegGenMove},
      {"undo", &E::Undo},
      {"time_settings", &E::TimeSettings},
      {"time_left", &E::TimeLeft},
      {"lz-analyze", &E::LzAnalyze},
      {"kata-analyze", &E::KataAnalyze},
      {"lz-genmove_analyze", &E::LzGenMoveAnalyze},
      {"kata-genmove_analyze", &E::KataGenMoveAnalyze},
      {"showboard", &E::ShowBoard},
      {"final_score", &E::FinalScore},
      {"final_status_list", &E::FinalStatusList},
      {"all_legal", &E::AllLegal},
      {"loadsgf", &E::LoadSgf},
      {"printsgf", &E::PrintSgf},
      {"gogui-rules_game_id", &E::RulesGameId},
      {"gogui-rules_board", &E::RulesBoard},
      {"gogui-rules_board_size", &E::RulesBoardSize},
      {"gogui-rules_side_to_move", &E::RulesSideToMove},
      {"gogui-rules_legal_moves", &E::RulesLegalMoves},
      {"gogui-rules_final_result", &E::RulesFinalResult},
      {"fixed_handicap", &E::NoHandicap},
      {"place_free_handicap", &E::NoHandicap},
  }};
  return kCommands;
}

GtpEngine::GtpEngine(GameSession session, std::unique_ptr<Thinker> thinker,
                     MakeThinker make_thinker, const GtpOptions& options, const Clock& clock)
    : session_(std::move(session)),
      thinker_(std::move(thinker)),
      make_thinker_(std::move(make_thinker)),
      options_(options),
      clock_(&clock) {
  if (options.clock.has_value()) clocks_.fill(GameClock(*options.clock));
}

Result<GtpEngine> GtpEngine::Create(const GameOps& game, MakeThinker make_thinker,
                                    const GtpOptions& options, const Clock& clock) {
  AZ_ASSIGN_OR_RETURN(GameSession session, GameSession::Create(game));
  AZ_ASSIGN_OR_RETURN(std::unique_ptr<Thinker> thinker, make_thinker(game));
  AZ_RETURN_IF_ERROR(thinker->NewGame({}));
  return GtpEngine(std::move(session), std::move(thinker), std::move(make_thinker), options, clock);
}

DialogueNext GtpEngine::Handle(std::string_view line, LinePort& port) {
  const std::optional<GtpCommand> command = ParseGtpLine(line);
  if (!command.has_value()) return DialogueNext::kGoOn;
  const std::span<const Entry> commands = Commands();
  const auto entry = std::ranges::find(commands, command->name, &Entry::name);
  const Call call{*command, port};
  const Reply reply =
      entry == commands.end() ? Fail("unknown command") : (this->*entry->handler)(call);
  const bool is_read =
      port.Write(reply.is_written ? StrCat(reply.text, "\n")
                                  : GtpAnswer(reply.status, command->id, reply.text));
  return has_quit_ || !is_read ? DialogueNext::kQuit : DialogueNext::kGoOn;
}

DialogueNext GtpEngine::Refuse(std::string_view why, LinePort& port) {
  const bool is_read = port.Write(GtpAnswer(GtpStatus::kFailure, std::nullopt, why));
  return is_read ? DialogueNext::kGoOn : DialogueNext::kQuit;
}

GtpEngine::Reply GtpEngine::ProtocolVersion(const Call&) { return Ok("2"); }

GtpEngine::Reply GtpEngine::Name(const Call&) { return Ok(options_.name); }

GtpEngine::Reply GtpEngine::Version(const Call&) { return Ok(options_.version); }

GtpEngine::Reply GtpEngine::KnownCommand(const Call& call) {
  if (call.arguments().size() != 1) return Fail("syntax error");
  const bool is_known = std::ranges::any_of(Commands(), [&](const Entry& entry) {
    return entry.name == call.arguments()[0] && entry.handler != &GtpEngine::NoHandicap;
  });
  return Ok(is_known ? "true" : "false");
}

GtpEngine::Reply GtpEngine::ListCommands(const Call&) {
  std::string names;
  for (const Entry& entry : Commands()) {
    if (entry.handler == &GtpEngine::NoHandicap) continue;
    names += StrCat(names.empty() ? "" : "\n", entry.name);
  }
  return Ok(names);
}

GtpEngine::Reply GtpEngine::Quit(const Call&) {
  has_quit_ = true;
  return Ok();
}

Result<void> GtpEngine::StartGame(const StartOptions& start) {
  AZ_RETURN_IF_ERROR(session_.game().Start(start));
  AZ_RETURN_IF_ERROR(thinker_->NewGame(start));
  session_.Restart();
  AZ_RETURN_IF_ERROR(session_.SetOptions(start));
  plies_of_moves_.clear();
  bad_moves_ = {};
  for (std::optional<GameClock>& clock : clocks_) {
    if (clock.has_value()) clock = GameClock(clock->control());
  }
  return {};
}

GtpEngine::Reply GtpEngine::BoardSize(const Call& call) {
  std::uint64_t size = 0;
  if (call.arguments().size() != 1 || !ParseUint(call.arguments()[0], size)) {
    return Fail("syntax error");
  }
  const GameInfo& info = session_.game().info();
  const bool is_same = size == static_cast<std::uint64_t>(info.shape.cols);
  if (!is_same) {
    if (info.board_size == 0 || size == 0 || size > 1000) return Fail("unacceptable size");
    const auto game = FindGame(info.family, static_cast<int>(size));
    if (!game) return Fail("unacceptable size");
    auto thinker = make_thinker_(**game);
    if (!thinker) return Fail("unacceptable size");
    auto session = GameSession::Create(**game);
    if (!session) return Fail("unacceptable size");
    session_ = *std::move(session);
    thinker_ = *std::move(thinker);
  }
  // Another size is another game, so komi returns to its default.
  const auto started = StartGame(is_same ? session_.options() : StartOptions{});
  return started ? Ok() : Fail(started.error().message);
}

GtpEngine::Reply GtpEngine::ClearBoard(const Call&) {
  const auto started = StartGame(session_.options());
  return started ? Ok() : Fail(started.error().message);
}

GtpEngine::Reply GtpEngine::Komi(const Call& call) {
  double komi = 0;
  if (call.arguments().size() != 1 || !ParseDouble(call.arguments()[0], komi)) {
    return Fail("syntax error");
  }
  // Controllers send komi in every game; games without komi accept 0.
  if (!DefaultKomi(session_.game()).has_value() && komi == 0) return Ok();
  const StartOptions start{.komi = komi};
  if (const auto set = session_.SetOptions(start); !set) return Fail(set.error().message);
  const auto told = thinker_->NewGame(start);  // the moves stay, but must be thought about anew
  return told ? Ok() : Fail(told.error().message);
}

GtpEngine::Reply GtpEngine::NoHandicap(const Call&) {
  return Fail("handicap games are not supported");
}

}  // namespace az
