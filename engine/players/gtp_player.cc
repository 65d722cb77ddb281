#include "engine/players/gtp_player.h"

#include <utility>

#include "base/clock.h"
#include "base/readable.h"
#include "base/strings.h"
#include "base/words.h"
#include "games/points.h"

namespace az {
namespace {

constexpr std::string_view kGenmove = "genmove";
constexpr std::string_view kList = "list_commands";
constexpr std::string_view kVersion = "protocol_version";

std::string_view Word(std::string_view line) { return line.substr(0, line.find(' ')); }
std::string_view ColourOf(Player player) { return player == Player::kFirst ? "b" : "w"; }

std::int64_t WholeSeconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

}  // namespace

GtpPlayerOptions GtpPlayerOptions::For(std::string command, const PlayerSettings& settings,
                                       const GameOps& game) {
  GtpPlayerOptions options{.command = std::move(command),
                           .board_size = game.info().board_size,
                           .komi = DefaultKomi(game)};
  if (settings.timeout) options.timeout = DurationOf(*settings.timeout);
  if (!settings.clock.empty()) options.clock = settings.time_control();
  return options;
}

GtpPlayer::GtpPlayer(GtpPlayerOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

void GtpPlayer::Queue(std::string line, bool if_known) {
  queue_.push_back({.line = std::move(line), .timeout = options_.timeout, .if_known = if_known});
}

void GtpPlayer::StartProgram() {
  known_.clear();
  Result<GtpProcess> started = GtpProcess::Start(options_.command);
  if (!started) {
    start_error_ = std::move(started).error();
    return;
  }
  process_.emplace(std::move(*started));
  Queue(std::string(kVersion));
  Queue(std::string(kList));
}

void GtpPlayer::NewGame() {
  move_.reset();
  start_error_.reset();
  // The last question is still open, but nobody waits for its answer any more (its game was given
  // up). A new process is sure to be in step.
  if (running_.has_value() || !queue_.empty()) process_.reset();
  queue_.clear();
  running_.reset();
  if (!process_.has_value()) {
    StartProgram();
    if (options_.board_size > 0) {
      queue_.push_back({.line = StrCat("boardsize ", options_.board_size),
                        .timeout = options_.timeout,
                        .if_known = true});
    }
  }
  Queue("clear_board");
  if (options_.komi.has_value()) Queue(StrCat("komi ", *options_.komi), /*if_known=*/true);
  if (options_.clock.has_value()) {
    const TimeControl& clock = *options_.clock;
    // GTP has no increment; time_left reports it as a little more main time.
    Queue(StrCat("time_settings ", WholeSeconds(clock.main), ' ', WholeSeconds(clock.byo_time), ' ',
                 clock.byo_stones),
          /*if_known=*/true);
  }
}

void GtpPlayer::TellMove(Player player, std::string_view move) {
  Queue(StrCat("play ", ColourOf(player), ' ', move));
}

void GtpPlayer::AskMove(Player player, const GameClock* game_clock) {
  move_.reset();
  Duration timeout = options_.timeout;
  if (game_clock != nullptr) {
    timeout += game_clock->left();
    if (game_clock->stones() == 0 && game_clock->control().byo_stones > 0) {
      timeout += game_clock->control().byo_time;
    }
    Queue(StrCat("time_left ", ColourOf(player), ' ', WholeSeconds(game_clock->left()), ' ',
                 game_clock->stones()),
          /*if_known=*/true);
  }
  queue_.push_back({.line = StrCat(kGenmove, ' ', ColourOf(player)), .timeout = timeout});
}

bool GtpPlayer::IsKnown(std::string_view line) const { return known_.contains(Word(line)); }

Result<void> GtpPlayer::SendNext() {
  while (!running_.has_value() && !queue_.empty()) {
    Command command = std::move(queue_.front());
    queue_.pop_front();
    if (command.if_known && !IsKnown(command.line)) continue;
    AZ_RETURN_IF_ERROR(process_->Send(command.line));
    too_late_ = clock_.Now() + command.timeout;
    running_ = std::move(command);
  }
  return {};
}

Result<void> GtpPlayer::TakeAnswer(const GtpAnswer& answer) {
  const Command command = std::move(*running_);
  running_.reset();
  if (!answer.ok) {
    return Error{Errc::kInvalid,
                 StrCat("it answered '", Shown(command.line), "' with ? ", Shown(answer.text))};
  }
  const std::string_view word = Word(command.line);
  if (word == kVersion && answer.text != "2") {
    return Error{Errc::kInvalid,
                 StrCat("it speaks version '", Shown(answer.text), "' of GTP, not 2")};
  }
  if (word == kList) {
    for (const std::string_view line : Split(answer.text, '\n')) known_.emplace(Trim(line));
    for (const std::string_view needed : {"clear_board", "play", "genmove"}) {
      if (known_.contains(needed)) continue;
      return Error{Errc::kInvalid, StrCat("it has no command ", needed)};
    }
  }
  if (word == kGenmove) move_ = LowerCase(answer.text);
  return {};
}

GtpReply GtpPlayer::Fail(GtpFault fault, std::string reason) {
  process_.reset();
  queue_.clear();
  running_.reset();
  return {.fault = fault, .reason = std::move(reason)};
}

std::optional<GtpReply> GtpPlayer::PollTold() {
  if (start_error_) return Fail(GtpFault::kGone, start_error_->message);
  AZ_CHECK(process_.has_value()) << "NewGame comes first";
  const auto failed = [this](const Error& error) {
    return Fail(error.code == Errc::kPeerGone ? GtpFault::kGone : GtpFault::kRefused,
                error.message);
  };
  while (true) {
    if (const Result<void> sent = SendNext(); !sent) return failed(sent.error());
    if (!running_.has_value()) break;
    const Result<std::optional<GtpAnswer>> answer = process_->Receive();
    if (!answer) return failed(answer.error());
    if (!answer->has_value()) {
      if (clock_.Now() < too_late_) return std::nullopt;
      return Fail(GtpFault::kNoAnswer, StrCat("it did not answer '", Shown(running_->line), "' in ",
                                              Seconds(running_->timeout), " s"));
    }
    if (const Result<void> taken = TakeAnswer(**answer); !taken) return failed(taken.error());
  }
  return GtpReply{};
}

std::optional<GtpReply> GtpPlayer::Poll() {
  const std::optional<GtpReply> told = PollTold();
  if (!told || told->fault) return told;
  AZ_CHECK(move_.has_value()) << "AskMove comes first";
  GtpReply reply;
  const std::string move = *std::exchange(move_, std::nullopt);
  if (move != "resign") reply.move = move;
  if (move.empty()) return Fail(GtpFault::kRefused, "it answered genmove with nothing");
  return reply;
}

}  // namespace az
