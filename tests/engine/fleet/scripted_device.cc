// A device process without a network, for the tests of the fleet. It says that it did what it is
// asked for. `script.txt` beside the run's folder has a line for each of its lives, the last one
// for all further ones:
//   serve                does all
//   die STEPS SIGNAL     in a training, tells of so many steps and then ends by this signal
//   refuse               loads nothing: weights answer NaN to its trial
//   meet                 the same, but waits before it says so until the FIFO `meet` beside the
//                        script is opened, and afterwards until the FIFO `met` is

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/strings.h"
#include "engine/process/child_setup.h"

namespace az {
namespace {

struct Script {
  std::string what;
  int steps = 5;
  int signal = 0;
  std::filesystem::path folder;
};

Script ReadScript(const ChildArguments& arguments) {
  std::vector<std::string> lines;
  const std::string text = ReadFile(arguments.run_dir.parent_path() / "script.txt").value();
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  Script script{.folder = arguments.run_dir.parent_path()};
  std::istringstream words(lines.at(std::min<std::size_t>(arguments.epoch, lines.size()) - 1));
  words >> script.what;
  if (script.what == "die") words >> script.steps >> script.signal;
  return script;
}

Result<void> Train(ChildContext& context, const TrainMessage& message, const Script& script) {
  ControlChannel& channel = context.channel();
  for (int step = 1; step <= script.steps; ++step) {
    AZ_RETURN_IF_ERROR(channel.Send(TrainProgressMessage{
        .iteration = message.iteration, .step = step, .steps = 100, .attempt = message.attempt}));
  }
  if (script.signal != 0) {
    AZ_RETURN_IF_ERROR(channel.FlushUntil(Deadline::In(std::chrono::seconds(10))));
    ::raise(script.signal);
  }
  return channel.Send(TrainedMessage{.iteration = message.iteration,
                                     .path = message.to,
                                     .metrics_json = "{}",
                                     .attempt = message.attempt});
}

void WaitForOther(const std::filesystem::path& fifo, int flags) {
  const UniqueFd opened(::open(fifo.c_str(), flags | O_CLOEXEC));
}

Result<void> Refuse(ChildContext& context, const Script& script) {
  ControlChannel& channel = context.channel();
  if (script.what == "meet") WaitForOther(script.folder / "meet", O_RDONLY);
  AZ_RETURN_IF_ERROR(channel.Send(ErrorMessage{.code = std::string(ErrcName(Errc::kNotFinite)),
                                               .message = "the weights answer NaN to a trial batch",
                                               .fatal = false}));
  AZ_RETURN_IF_ERROR(channel.FlushUntil(Deadline::In(std::chrono::seconds(10))));
  if (script.what == "meet") WaitForOther(script.folder / "met", O_WRONLY);
  return {};
}

Result<void> Obey(ChildContext& context, const ControlMessage& message, const Script& script) {
  ControlChannel& channel = context.channel();
  if (std::holds_alternative<DevicePlanMessage>(message)) return channel.Send(ReadyMessage{});
  if (const auto* load = std::get_if<LoadMessage>(&message)) {
    if (script.what == "refuse" || script.what == "meet") return Refuse(context, script);
    return channel.Send(PublishedMessage{.slot = load->slot, .version = load->version});
  }
  if (const auto* release = std::get_if<ReleaseMessage>(&message)) {
    return channel.Send(ReleasedMessage{.phase = release->phase});
  }
  if (const auto* train = std::get_if<TrainMessage>(&message)) {
    return Train(context, *train, script);
  }
  return {};
}

Result<void> Serve(ChildContext& context, const Script& script) {
  while (!context.stop_asked() && !context.supervisor_gone()) {
    AZ_ASSIGN_OR_RETURN(const std::optional<ControlMessage> message, context.channel().Receive());
    if (!message) {
      context.WaitForNews(Deadline::In(std::chrono::seconds(10)));
    } else if (std::holds_alternative<StopMessage>(*message)) {
      break;
    } else {
      AZ_RETURN_IF_ERROR(Obey(context, *message, script));
    }
  }
  return {};
}

}  // namespace
}  // namespace az

int main(int argc, char** argv) {
  az::Result<az::ChildContext> context = az::ChildContext::SetUp(
      az::ChildRole::kDevice, std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
  if (!context) return 2;
  const az::Result<void> served = az::Serve(*context, az::ReadScript(context->arguments()));
  return served ? 0 : context->Fail(served.error());
}
