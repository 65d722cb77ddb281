// GtpEngine: moves, time and analysis.

#include <chrono>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "base/strings.h"
#include "engine/play/gtp_engine.h"

namespace az {
namespace {

constexpr Duration kIdleEvery = std::chrono::milliseconds(200);
constexpr double kMostSeconds = 1e6;

std::optional<Player> OneColor(const std::vector<std::string>& arguments) {
  return arguments.size() == 1 ? ParseGtpColor(arguments[0]) : std::nullopt;
}

bool ParseSeconds(std::string_view text, Duration& time) {
  double seconds = 0;
  if (!ParseDouble(text, seconds) || !(std::abs(seconds) <= kMostSeconds)) return false;
  time = DurationOf(seconds);
  return true;
}

}  // namespace

std::string GtpEngine::Named(Action action) const {
  return GtpMoveText(session_.game(), session_.position().MoveText(action));
}

Result<std::size_t> GtpEngine::GiveTurn(Player color) {
  if (session_.is_over()) return Error{Errc::kInvalid, "the game is over"};
  if (session_.to_move() == color) return std::size_t{0};
  const auto pass = session_.Find("pass");
  if (pass && session_.Play(*pass)) {
    if (!session_.is_over() && session_.to_move() == color) return std::size_t{1};
    session_.Undo(1);
  }
  return Error{Errc::kInvalid, StrCat("it is ", GtpColorName(session_.to_move()), "'s turn")};
}

GtpEngine::Reply GtpEngine::PlayMove(const Call& call) {
  if (call.arguments().size() != 2) return Fail("syntax error");
  const std::optional<Player> color = ParseGtpColor(call.arguments()[0]);
  if (!color.has_value()) return Fail("syntax error");
  const auto passes = GiveTurn(*color);
  if (!passes) return Fail("illegal move");
  const auto action = session_.Find(call.arguments()[1]);
  if (!action || !session_.Play(*action)) {
    session_.Undo(*passes);
    return Fail("illegal move");
  }
  plies_of_moves_.push_back(*passes + 1);
  return Ok();
}

GtpEngine::Reply GtpEngine::Undo(const Call&) {
  if (plies_of_moves_.empty()) return Fail("cannot undo");
  session_.Undo(plies_of_moves_.back());
  plies_of_moves_.pop_back();
  bad_moves_ = {};
  return Ok();
}

std::optional<Duration> GtpEngine::TimeFor(Player color) const {
  const std::optional<GameClock>& clock = clocks_[static_cast<std::size_t>(color)];
  if (!clock.has_value()) return std::nullopt;
  const int moves_left = ExpectedMovesLeft(session_.game().info().shape.cells(),
                                           static_cast<int>(session_.moves().size()));
  return ThinkTime(*clock, moves_left);
}

Result<Thought> GtpEngine::ThinkInTime(Player color, const ThinkLimits& limits,
                                       const OnProgress& report) {
  ThinkLimits in_time = limits;
  in_time.time = TimeFor(color);
  const TimePoint begin = clock_->Now();
  auto thought = thinker_->Think(session_.moves(), in_time, report);
  std::optional<GameClock>& clock = clocks_[static_cast<std::size_t>(color)];
  // Claiming a fallen flag is up to the controller.
  if (clock.has_value()) clock->Spend(clock_->Now() - begin);
  return thought;
}

bool GtpEngine::WouldResign(Player color, const Thought& thought) {
  if (options_.resign_threshold <= 0) return false;
  int& streak = bad_moves_[static_cast<std::size_t>(color)];
  streak = thought.value <= -options_.resign_threshold ? streak + 1 : 0;
  return streak >= options_.resign_streak;
}

GtpEngine::Reply GtpEngine::GenMove(const Call& call) { return Generate(call, std::nullopt); }

GtpEngine::Reply GtpEngine::LzGenMoveAnalyze(const Call& call) {
  return Generate(call, GtpAnalysisForm::kLeelaZero);
}

GtpEngine::Reply GtpEngine::KataGenMoveAnalyze(const Call& call) {
  return Generate(call, GtpAnalysisForm::kKataGo);
}

GtpEngine::Reply GtpEngine::Generate(const Call& call, std::optional<GtpAnalysisForm> form) {
  GtpAnalysisRequest request{.color = OneColor(call.arguments())};
  if (form.has_value()) {
    auto parsed = ParseGtpAnalysis(call.arguments());
    if (!parsed) return Fail(parsed.error().message);
    request = *parsed;
    if (!request.color.has_value()) request.color = session_.to_move();
  }
  if (!request.color.has_value()) return Fail("syntax error");
  const auto passes = GiveTurn(*request.color);
  if (!passes) return Fail(passes.error().message);

  bool is_read = true;
  OnProgress report;
  if (form.has_value()) {
    is_read = call.port.Write(GtpAnswerStart(GtpStatus::kSuccess, call.command.id) + "\n");
    report = [&](const Thought& thought) {
      is_read = is_read && call.port.Write(GtpAnalysisLine(*form, request, session_, thought));
      return is_read;
    };
  }
  const auto thought = ThinkInTime(*request.color, {.progress_every = request.interval}, report);
  if (!is_read) has_quit_ = true;
  if (!thought) {
    session_.Undo(*passes);
    // An answer that has begun can only be ended; the next command fails for the same reason.
    return form.has_value() ? Reply{.is_written = true} : Fail(thought.error().message);
  }
  const std::string last =
      form.has_value() ? GtpAnalysisLine(*form, request, session_, *thought) : "";
  std::string move = "resign";
  if (WouldResign(*request.color, *thought)) {
    session_.Undo(*passes);
  } else {
    move = Named(thought->best);
    session_.Play(thought->best).value();
    plies_of_moves_.push_back(*passes + 1);
  }
  if (!form.has_value()) return Ok(move);
  return {.text = StrCat(last, "play ", move, "\n"), .is_written = true};
}

GtpEngine::Reply GtpEngine::RegGenMove(const Call& call) {
  const std::optional<Player> color = OneColor(call.arguments());
  if (!color.has_value()) return Fail("syntax error");
  const auto passes = GiveTurn(*color);
  if (!passes) return Fail(passes.error().message);
  // Thinks as genmove would, but takes no time off the clock.
  const auto thought = thinker_->Think(session_.moves(), {.time = TimeFor(*color)}, {});
  const Reply reply = thought ? Ok(Named(thought->best)) : Fail(thought.error().message);
  session_.Undo(*passes);
  return reply;
}

GtpEngine::Reply GtpEngine::TimeSettings(const Call& call) {
  const std::vector<std::string>& arguments = call.arguments();
  TimeControl control;
  std::uint64_t stones = 0;
  if (arguments.size() != 3 || !ParseSeconds(arguments[0], control.main) ||
      !ParseSeconds(arguments[1], control.byo_time) || !ParseUint(arguments[2], stones) ||
      control.main < Duration::zero() || control.byo_time < Duration::zero() || stones > 1000) {
    return Fail("syntax error");
  }
  if (stones == 0 && control.byo_time > Duration::zero()) {  // means "no limits" in GTP
    clocks_ = {};
    return Ok();
  }
  if (control.byo_time > Duration::zero()) control.byo_stones = static_cast<int>(stones);
  if (control.main == Duration::zero() && control.byo_stones == 0) {
    return Fail("these time settings leave no time for a move");
  }
  clocks_ = {GameClock(control), GameClock(control)};
  return Ok();
}

GtpEngine::Reply GtpEngine::TimeLeft(const Call& call) {
  const std::vector<std::string>& arguments = call.arguments();
  Duration left{};
  std::uint64_t stones = 0;
  const auto color = arguments.size() == 3 ? ParseGtpColor(arguments[0]) : std::nullopt;
  if (!color.has_value() || !ParseSeconds(arguments[1], left) || !ParseUint(arguments[2], stones) ||
      stones > 1000) {
    return Fail("syntax error");
  }
  // Without time settings the clock is what the controller says before each move.
  std::optional<GameClock>& clock = clocks_[static_cast<std::size_t>(*color)];
  if (!clock.has_value()) clock = GameClock(TimeControl{});
  clock->Set(left, static_cast<int>(stones));
  return Ok();
}

GtpEngine::Reply GtpEngine::LzAnalyze(const Call& call) {
  return Analyze(call, GtpAnalysisForm::kLeelaZero);
}

GtpEngine::Reply GtpEngine::KataAnalyze(const Call& call) {
  return Analyze(call, GtpAnalysisForm::kKataGo);
}

GtpEngine::Reply GtpEngine::Analyze(const Call& call, GtpAnalysisForm form) {
  const auto request = ParseGtpAnalysis(call.arguments());
  if (!request) return Fail(request.error().message);
  const auto passes = GiveTurn(request->color.value_or(session_.to_move()));
  if (!passes) return Fail(passes.error().message);

  bool is_read = call.port.Write(GtpAnswerStart(GtpStatus::kSuccess, call.command.id) + "\n");
  const auto tell = [&](const Thought& thought) {
    is_read = is_read && call.port.Write(GtpAnalysisLine(form, *request, session_, thought));
    return is_read && !call.port.InputWaits(Duration::zero());
  };
  // The port is checked between reports too, so that the next command need not wait for a report.
  const ThinkLimits limits{.simulations = kMostSimulations,
                           .goes_on = [&] { return !call.port.InputWaits(Duration::zero()); },
                           .progress_every = request->interval};
  const auto thought = thinker_->Think(session_.moves(), limits, tell);
  if (thought && is_read) tell(*thought);
  // The search may be complete before the controller ends the analysis.
  while (is_read && !call.port.InputWaits(kIdleEvery)) {
    if (!thinker_->Idle()) break;
  }
  session_.Undo(*passes);
  if (!is_read) has_quit_ = true;
  return {.is_written = true};
}

}  // namespace az
