// az_play analyze: JSON lines on standard input and output. docs/az_play.md.

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <memory>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/strings.h"
#include "engine/apps/play_command.h"
#include "engine/play/analysis_session.h"
#include "engine/play/line_splitter.h"
#include "engine/play/player_pools.h"

namespace az {
namespace {

constexpr auto kTurn = std::chrono::milliseconds(20);
constexpr int kIdleWaitMs = 100;

// Confined to the main thread.
class AnalyzeLoop {
 public:
  // `signal`: the signal that ends the program, once one has arrived; 0 before. Outlives the loop.
  AnalyzeLoop(PlayerRequest defaults, PlayEnvironment environment, const int& signal)
      : pools_(std::move(defaults), std::move(environment)), session_(pools_), signal_(signal) {}

  // Runs until the input has ended and every line is answered, or nobody reads the answers. Fails
  // with kStopped after a signal.
  Result<void> Run() {
    while (signal_ == 0) {
      AddLines();
      if (!input_ended_ && session_.HasRoom()) AZ_RETURN_IF_ERROR(Read());
      if (input_ended_ && session_.is_idle()) return {};
      AZ_RETURN_IF_ERROR(session_.Run(Deadline::In(kTurn)));
      AZ_RETURN_IF_ERROR(pools_.Idle());
      const Result<void> written = Write(session_.TakeOutput());
      if (!written && written.error().code == Errc::kPeerGone) return {};
      AZ_RETURN_IF_ERROR(written);
    }
    return Error{Errc::kStopped, "stopped by a signal"};
  }

 private:
  void AddLines() {
    while (session_.HasRoom()) {
      const std::optional<std::string> line = splitter_.Next();
      if (!line) return;
      session_.AddLine(*line);
    }
  }

  // Reads what is there, and waits only when there is nothing else to do. REQUIRES: no line is left
  // over.
  Result<void> Read() {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&input, 1, session_.is_idle() ? kIdleWaitMs : 0);
    if (ready <= 0) return {};
    const ssize_t count = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
    if (count > 0) {
      splitter_.Add({buffer_.data(), static_cast<std::size_t>(count)});
    } else if (count == 0) {
      splitter_.End();
      input_ended_ = true;
    } else if (errno != EINTR && errno != EAGAIN) {
      return SystemError("read standard input", errno);
    }
    AddLines();
    return {};
  }

  // Writes the text and waits for a client that reads slowly, so that answers do not pile up. Fails
  // with kPeerGone when the client has closed its end.
  Result<void> Write(std::string_view text) {
    while (!text.empty()) {
      pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
      const int ready = ::poll(&output, 1, kIdleWaitMs);
      AZ_RETURN_IF_ERROR(pools_.Idle());
      if (ready <= 0) continue;
      // A pipe that is ready for writing takes up to PIPE_BUF bytes without blocking.
      const std::size_t most = std::min<std::size_t>(text.size(), PIPE_BUF);
      const ssize_t count = ::write(STDOUT_FILENO, text.data(), most);
      if (count > 0) {
        text.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno == EPIPE) {
        return Error{Errc::kPeerGone, "standard output is closed"};
      } else if (errno != EINTR && errno != EAGAIN) {
        return SystemError("write standard output", errno);
      }
    }
    return {};
  }

  PlayerPools pools_;
  AnalysisSession session_;
  const int& signal_;
  LineSplitter splitter_{kMaxRequestBytes};
  std::array<char, 64 << 10> buffer_{};
  bool input_ended_ = false;
};

int RunAnalyze(const PlayArguments& arguments) {
  Result<PlayEnvironment> environment = EnvironmentOf(arguments);
  if (!environment) return Complain(environment.error());
  // A fault of the player on the command line is reported now and not in every answer. Without a
  // game on the command line, requests may name one.
  if (!arguments.player.player.empty()) {
    const Result<PlayerSpec> spec = ParsePlayer(arguments.player.player);
    if (!spec) return Complain(spec.error());
    const Result<void> timed = CheckTime(*spec, environment->time);
    if (!timed) return Complain(timed.error());
    if (spec->kind == PlayerKind::kCheckpoint || !arguments.player.game.empty()) {
      const Result<ResolvedPlayer> player = ResolvePlayer(arguments.player, *environment);
      if (!player) return Complain(player.error());
    }
  }
  int signal = 0;
  environment->on_signal = [&](int number) { signal = number; };
  const auto loop =
      std::make_unique<AnalyzeLoop>(arguments.player, *std::move(environment), signal);
  const Result<void> run = loop->Run();
  return ExitOf(run, signal);
}

}  // namespace

void AddAnalyzeCommand(CLI::App& app, PlayRun& run) {
  CLI::App* const command =
      app.add_subcommand("analyze", "answers positions: a JSON request a line, an answer a line");
  const auto arguments = std::make_shared<PlayArguments>();  // shared by the parser and the run
  AddPlayArguments(*command, *arguments);
  command->callback([&run, arguments, command] {
    RefuseEarlierOptions(*command);
    run = [arguments] { return RunAnalyze(*arguments); };
  });
}

}  // namespace az
