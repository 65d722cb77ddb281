// A child for the tests of the supervisor. AZ_TEST_CHILD says how it behaves: "obey", or one of the
// faults below; "fault@2" is faulty up to its second epoch and obeys afterwards.

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "engine/process/child_setup.h"

namespace az {
namespace {

using std::chrono::seconds;

bool Send(ChildContext& context, const ControlMessage& message) {
  return context.channel().Send(message).has_value();
}

int Obey(ChildContext& context) {
  while (!context.stop_asked()) {
    if (context.supervisor_gone()) return 1;
    auto message = context.channel().Receive();
    if (!message) return 1;
    if (!message->has_value()) {
      context.WaitForNews(Deadline::In(seconds(10)));
    } else if (std::holds_alternative<StopMessage>(**message)) {
      break;
    } else if (std::holds_alternative<WorkerPlanMessage>(**message) ||
               std::holds_alternative<DevicePlanMessage>(**message)) {
      Send(context, ReadyMessage{});
    } else if (const auto* drain = std::get_if<DrainMessage>(&**message)) {
      Send(context, DrainedMessage{drain->phase});
    }
  }
  return 0;
}

[[noreturn]] void Hang() {
  while (true) ::pause();
}

void WriteRaw(std::string_view bytes) {
  if (::write(kControlFd, bytes.data(), bytes.size()) < 0) std::abort();
}

std::string Variable(const char* name) {
  const char* text = ::getenv(name);
  return text == nullptr ? "unset" : text;
}

// What a child has inherited, for the launcher's tests.
void WriteReport(const ChildContext& context) {
  std::ofstream report(context.arguments().run_dir / "report");
  report << "fds";
  for (int fd = 0; fd < 256; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) report << ' ' << fd;
  }
  report << "\ncuda '" << Variable("CUDA_VISIBLE_DEVICES") << "'\n";
  report << "cuda order '" << Variable("CUDA_DEVICE_ORDER") << "'\n";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Sig")) report << line << '\n';
  }
  std::ifstream adjust("/proc/self/oom_score_adj");
  std::string value;
  adjust >> value;
  report << "oom_score_adj " << value << '\n';
}

int Misbehave(ChildContext& context, std::string_view mode) {
  std::int64_t code = 0;
  if (mode.starts_with("exit:") && ParseInt(mode.substr(5), code)) return static_cast<int>(code);
  if (mode == "fail") return context.Fail({Errc::kNoSpace, "write journal: the disk is full"});
  if (mode == "never_ready") Hang();
  if (mode == "kill") ::raise(SIGKILL);
  if (mode == "second_hello") {
    Send(context, HelloMessage{"worker", 0, ::getpid()});
    Hang();
  }
  if (mode == "junk") {
    WriteRaw("this is no message\n");
    Hang();
  }
  if (mode == "endless_line") {
    const std::string bytes(4096, 'x');
    while (true) WriteRaw(bytes);
  }
  if (mode == "close") {
    Send(context, ReadyMessage{});
    ::close(kControlFd);
    Hang();
  }
  if (mode == "report") {
    WriteReport(context);
    std::printf("to standard output\n");
    std::fprintf(stderr, "to standard error\n");
    return 0;
  }
  if (mode == "deaf" || mode == "stopped") {  // ready, then never again
    Send(context, ReadyMessage{});
    if (mode == "stopped") ::raise(SIGSTOP);
    Hang();
  }
  if (mode == "spam") {
    Send(context, ReadyMessage{});
    while (!context.stop_asked()) {
      if (!Send(context, WorkerStatsMessage{})) context.WaitForNews(Deadline::In(seconds(1)));
    }
    return 0;
  }
  std::fprintf(stderr, "test child: unknown mode\n");
  return 2;
}

int Main(std::span<const char* const> arguments) {
  const char* setting = ::getenv("AZ_TEST_CHILD");
  std::string_view mode = setting == nullptr ? "obey" : setting;
  const std::size_t at = mode.find('@');
  const std::string_view last_text = at == mode.npos ? "" : mode.substr(at + 1);
  const auto parsed = ParseChildArguments(arguments);
  const bool is_device = parsed && parsed->lane < 0;
  auto context =
      ChildContext::SetUp(is_device ? ChildRole::kDevice : ChildRole::kWorker, arguments);
  if (!context) {
    std::fprintf(stderr, "test child: %s\n", context.error().message.c_str());
    return 2;
  }
  std::uint64_t last_faulty = UINT32_MAX;
  if (at != mode.npos && !ParseUint(last_text, last_faulty)) return 2;
  mode = mode.substr(0, at);
  if (mode == "obey" || context->arguments().epoch > last_faulty) return Obey(*context);
  return Misbehave(*context, mode);
}

}  // namespace
}  // namespace az

int main(int argc, char** argv) { return az::Main({argv + 1, static_cast<std::size_t>(argc - 1)}); }
