#include "engine/process/child_setup.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

#include "base/exit_codes.h"
#include "base/strings.h"

namespace az {
namespace {

// SIGKILL with the supervisor, also when it died between the spawn and this line.
Result<void> DieWith(pid_t parent) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return SystemError("set parent-death signal", errno);
  if (::getppid() != parent) {
    return Error{Errc::kPeerGone,
                 StrCat("supervisor ", parent, " has gone; parent is ", ::getppid())};
  }
  return {};
}

Result<UniqueFd> SetSignals() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  // A terminal sends the first two to the whole group; what they mean, the supervisor says.
  for (const int number : {SIGINT, SIGHUP, SIGPIPE, SIGXFSZ}) ::sigaction(number, &ignore, nullptr);
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  if (::sigprocmask(SIG_BLOCK, &terminate, nullptr) != 0)
    return SystemError("block SIGTERM", errno);
  UniqueFd fd(::signalfd(-1, &terminate, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd.valid()) return SystemError("create signal descriptor", errno);
  return fd;
}

Result<void> CheckDescriptors() {
  for (const int fd : {kSegmentFd, kControlFd, kLifelineFd}) {
    // Close-on-exec so that nothing a library might spawn keeps the run's pipes open.
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
      return Error{Errc::kInvalid, StrCat("descriptor ", fd,
                                          " is not open: this program is started "
                                          "by az_train, not by hand")};
    }
  }
  return {};
}

void PreferAsMemoryVictim() {
  UniqueFd fd(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  // A container may refuse; then the kernel chooses by size, and any victim is restarted all the
  // same.
  if (fd.valid()) [[maybe_unused]]
    const ssize_t count = ::write(fd.get(), "500", 3);
}

Error BadOption(std::string_view option, std::string_view value, std::string_view what) {
  return Error{Errc::kInvalid, StrCat("--", option, " ", value, " ", what)};
}

Result<std::int64_t> IntOption(std::string_view option, std::string_view value, std::int64_t least,
                               std::int64_t most) {
  std::int64_t number = 0;
  if (!ParseInt(value, number) || number < least || number > most) {
    return BadOption(option, value, StrCat("is no integer of [", least, ", ", most, "]"));
  }
  return number;
}

}  // namespace

std::string_view ChildRoleName(ChildRole role) {
  return role == ChildRole::kWorker ? "worker" : "device";
}

Result<ChildArguments> ParseChildArguments(std::span<const char* const> arguments) {
  constexpr std::array<std::string_view, 6> kOptions = {"run-dir", "run-id", "lane",
                                                        "epoch",   "parent", "segment-lane"};
  std::array<std::optional<std::string_view>, kOptions.size()> given;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string_view option = arguments[i];
    std::size_t k = 0;
    while (k < kOptions.size() && option != StrCat("--", kOptions[k])) ++k;
    if (k == kOptions.size()) {
      return Error{Errc::kInvalid, StrCat("unknown argument '", option, "'")};
    }
    if (given[k]) return Error{Errc::kInvalid, StrCat("argument '", option, "' is given twice")};
    if (i + 1 == arguments.size()) {
      return Error{Errc::kInvalid, StrCat("argument '", option, "' has no value")};
    }
    given[k] = arguments[i + 1];
  }
  for (std::size_t k = 0; k < kOptions.size(); ++k) {
    if (!given[k]) {
      return Error{Errc::kInvalid, StrCat("argument '--", kOptions[k],
                                          "' is missing: this program is started by az_train")};
    }
  }
  ChildArguments out;
  out.run_dir = *given[0];
  out.run_id = *given[1];
  if (out.run_id.size() != 32 ||
      out.run_id.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return BadOption("run-id", out.run_id, "is not 32 hexadecimal digits");
  }
  AZ_ASSIGN_OR_RETURN(const std::int64_t lane,
                      IntOption("lane", *given[2], OwnDeviceOf(kMaxWorkerLane), kMaxWorkerLane));
  AZ_ASSIGN_OR_RETURN(const std::int64_t epoch, IntOption("epoch", *given[3], 0, UINT32_MAX));
  AZ_ASSIGN_OR_RETURN(const std::int64_t parent, IntOption("parent", *given[4], 1, INT32_MAX));
  AZ_ASSIGN_OR_RETURN(const std::int64_t segment_lane,
                      IntOption("segment-lane", *given[5], 0, kMaxWorkerLane));
  out.lane = static_cast<int>(lane);
  out.segment_lane = static_cast<int>(segment_lane);
  out.epoch = static_cast<std::uint32_t>(epoch);
  out.parent = static_cast<pid_t>(parent);
  return out;
}

std::vector<std::string> ToArguments(const ChildArguments& arguments) {
  return {
      "--run-dir", arguments.run_dir.string(), "--run-id",       arguments.run_id,
      "--lane",    StrCat(arguments.lane),     "--epoch",        StrCat(arguments.epoch),
      "--parent",  StrCat(arguments.parent),   "--segment-lane", StrCat(arguments.segment_lane)};
}

ChildContext::ChildContext(ChildRole role, ChildArguments arguments, UniqueFd term_signal)
    : role_(role),
      arguments_(std::move(arguments)),
      segment_(kSegmentFd),
      channel_(UniqueFd(kControlFd)),
      lifeline_(kLifelineFd),
      term_signal_(std::move(term_signal)) {}

Result<ChildContext> ChildContext::SetUp(ChildRole role, std::span<const char* const> arguments) {
  AZ_ASSIGN_OR_RETURN(ChildArguments parsed, ParseChildArguments(arguments));
  if ((role == ChildRole::kDevice) != IsDevice(parsed.lane)) {
    return BadOption("lane", StrCat(parsed.lane),
                     StrCat("does not go with a ", ChildRoleName(role)));
  }
  AZ_RETURN_IF_ERROR(DieWith(parsed.parent));
  AZ_RETURN_IF_ERROR(CheckDescriptors());
  AZ_ASSIGN_OR_RETURN(UniqueFd term_signal, SetSignals());
  if (role == ChildRole::kWorker) {
    ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
    PreferAsMemoryVictim();
  } else {
    // The supervisor plans for the GPU of this number in NVML's order; CUDA's own is the fastest
    // first. Who sets another order means it.
    ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", /*overwrite=*/0);
  }
  ChildContext context(role, std::move(parsed), std::move(term_signal));
  AZ_RETURN_IF_ERROR(context.channel_.Send(
      HelloMessage{std::string(ChildRoleName(role)), context.arguments_.lane, ::getpid()}));
  return context;
}

bool ChildContext::stop_asked() {
  signalfd_siginfo info{};
  if (::read(term_signal_.get(), &info, sizeof info) == sizeof info) stop_asked_ = true;
  return stop_asked_;
}

bool ChildContext::supervisor_gone() const {
  pollfd entry{lifeline_.get(), POLLIN, 0};  // nobody writes to it: readable means closed
  return ::poll(&entry, 1, 0) > 0 || ::getppid() != arguments_.parent;
}

void ChildContext::WaitForNews(Deadline deadline) {
  const int events = channel_.wants_write() ? POLLIN | POLLOUT : POLLIN;
  pollfd entries[] = {{channel_.fd(), static_cast<short>(events), 0},
                      {term_signal_.get(), POLLIN, 0},
                      {lifeline_.get(), POLLIN, 0}};
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline.Left(std::chrono::seconds(60)));
  ::poll(entries, std::size(entries), static_cast<int>(left.count()));  // EINTR: news enough
}

int ChildContext::Fail(const Error& error) {
  const int code = static_cast<int>(ExitCodeFor(error.code));
  // Best effort: the exit code says the kind even when the line cannot leave.
  if (channel_.Send(ErrorMessage{std::string(ErrcName(error.code)), error.message, true})) {
    [[maybe_unused]] const Result<void> left =
        channel_.FlushUntil(Deadline::In(std::chrono::seconds(1)));
  }
  return code;
}

}  // namespace az
