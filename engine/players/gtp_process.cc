#include "engine/players/gtp_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <utility>

#include "base/strings.h"

namespace az {
namespace {

// $1 is the command. The guard closes input and output, so that we notice when the command closes
// them. Debian keeps such programs in /usr/games, which is not in everybody's PATH.
constexpr const char* kShell =
    "(read -r nothing <&3; kill -9 0) >/dev/null 2>&1 </dev/null & exec 3<&-; "
    "PATH=\"$PATH:/usr/games\"; eval \"$1\"";
constexpr int kGuardFd = 3;
constexpr int kFirstSourceFd = 10;  // above every target, so that no dup2 overwrites a source

// Destroys the two C structs of posix_spawn in every case.
struct SpawnRecipe {
  SpawnRecipe() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnRecipe(const SpawnRecipe&) = delete;
  SpawnRecipe& operator=(const SpawnRecipe&) = delete;
  ~SpawnRecipe() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  // Returns 0 or an errno. The child gets a process group of its own, no signal blocked or ignored,
  // and none of our descriptors.
  int Prepare(int input, int output, int guard) {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    int code = ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (code == 0) code = ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (code == 0) code = ::posix_spawn_file_actions_adddup2(&actions, guard, kGuardFd);
    if (code == 0) code = ::posix_spawn_file_actions_addclosefrom_np(&actions, kGuardFd + 1);
    if (code == 0) code = ::posix_spawnattr_setpgroup(&attributes, 0);
    if (code == 0) code = ::posix_spawnattr_setsigmask(&attributes, &none);
    if (code == 0) code = ::posix_spawnattr_setsigdefault(&attributes, &all);
    if (code == 0) {
      code = ::posix_spawnattr_setflags(
          &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    return code;
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

struct Ends {
  UniqueFd ours;
  UniqueFd theirs;
};

Result<Ends> Adopt(std::array<int, 2> fds, std::string_view what) {
  Ends ends{UniqueFd(fds[0]), UniqueFd()};
  const UniqueFd low(fds[1]);
  ends.theirs.Reset(::fcntl(low.get(), F_DUPFD_CLOEXEC, kFirstSourceFd));
  if (!ends.theirs.valid()) return SystemError(what, errno);
  return ends;
}

std::string StatusText(int status) {
  if (WIFSIGNALED(status)) return StrCat("was killed by signal ", WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  return code == 127 ? "could not be started (no such command: exit status 127)"
                     : StrCat("ended with exit status ", code);
}

}  // namespace

Result<std::optional<GtpAnswer>> TakeGtpAnswer(std::string& bytes) {
  std::string line;
  std::string text;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (c != '\n') {
      if (c == '\t') {
        line += ' ';
      } else if (std::iscntrl(static_cast<unsigned char>(c)) == 0) {
        line += c;
      }
      if (lines == 0 && !line.empty() && line[0] != '=' && line[0] != '?') break;
      continue;
    }
    const std::string_view trimmed = Trim(line);
    if (trimmed.empty() && lines == 0) {  // skips empty lines between answers
      line.clear();
      continue;
    }
    if (trimmed.empty() && at < kMaxGtpAnswer) {
      GtpAnswer answer{.ok = text[0] == '='};
      std::size_t start = 1;
      while (start < text.size() && std::isdigit(static_cast<unsigned char>(text[start])) != 0) {
        ++start;
      }
      answer.text = Trim(std::string_view(text).substr(start));
      bytes.erase(0, at + 1);
      return std::optional(std::move(answer));
    }
    text += text.empty() ? "" : "\n";
    text += trimmed;
    ++lines;
    line.clear();
  }
  if (lines == 0 && !line.empty() && line[0] != '=' && line[0] != '?') {
    std::string shown;
    for (const char c : std::string_view(bytes).substr(0, 40)) {
      shown += c >= ' ' && c <= '~' ? c : '.';
    }
    return Error{Errc::kCorrupt,
                 StrCat("it wrote '", shown, "', which begins neither with = nor with ?")};
  }
  if (bytes.size() > kMaxGtpAnswer) {
    return Error{Errc::kCorrupt, StrCat("its answer is longer than ", kMaxGtpAnswer, " bytes")};
  }
  return std::optional<GtpAnswer>();
}

Result<GtpProcess> GtpProcess::Start(const std::string& command) {
  const std::string what = StrCat("start '", command, "'");
  // Its input is a socket, so that writing to a program that is gone is an error and not a signal.
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  std::array<int, 2> guard{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input.data()) != 0) {
    return SystemError(what, errno);
  }
  AZ_ASSIGN_OR_RETURN(Ends in, Adopt(input, what));
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return SystemError(what, errno);
  AZ_ASSIGN_OR_RETURN(Ends out, Adopt({output[0], output[1]}, what));
  if (::pipe2(guard.data(), O_CLOEXEC) != 0) return SystemError(what, errno);
  AZ_ASSIGN_OR_RETURN(Ends watch, Adopt({guard[1], guard[0]}, what));
  if (::fcntl(out.ours.get(), F_SETFL, O_NONBLOCK) != 0) return SystemError(what, errno);

  SpawnRecipe recipe;
  int code = recipe.Prepare(in.theirs.get(), out.theirs.get(), watch.theirs.get());
  std::array<std::string, 5> texts = {"sh", "-c", kShell, "gtp", command};
  std::array<char*, 6> arguments{};
  for (std::size_t i = 0; i < texts.size(); ++i) arguments[i] = texts[i].data();
  GtpProcess process;
  if (code == 0) {
    code = ::posix_spawn(&process.pid_, "/bin/sh", &recipe.actions, &recipe.attributes,
                         arguments.data(), environ);
  }
  if (code != 0) {
    process.pid_ = -1;
    Error error = SystemError(what, code);
    error.code = Errc::kUnavailable;
    return error;
  }
  process.input_ = std::move(in.ours);
  process.output_ = std::move(out.ours);
  process.guard_ = std::move(watch.ours);
  return process;
}

GtpProcess& GtpProcess::operator=(GtpProcess&& other) noexcept {
  if (this == &other) return *this;
  Kill();
  pid_ = std::exchange(other.pid_, -1);
  input_ = std::move(other.input_);
  output_ = std::move(other.output_);
  guard_ = std::move(other.guard_);
  to_write_ = std::move(other.to_write_);
  received_ = std::move(other.received_);
  return *this;
}

Result<void> GtpProcess::Send(std::string_view line) {
  to_write_ += line;
  to_write_ += '\n';
  return Flush();
}

Result<void> GtpProcess::Flush() {
  while (!to_write_.empty()) {
    const ssize_t sent =
        ::send(input_.get(), to_write_.data(), to_write_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      to_write_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return {};
    } else if (errno != EINTR) {
      return Gone();
    }
  }
  return {};
}

Result<std::optional<GtpAnswer>> GtpProcess::Receive() {
  AZ_RETURN_IF_ERROR(Flush());
  std::array<char, 4096> chunk;
  bool ended = false;
  while (received_.size() <= kMaxGtpAnswer) {
    const ssize_t count = ::read(output_.get(), chunk.data(), chunk.size());
    if (count > 0) {
      received_.append(chunk.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      ended = true;
      break;
    } else if (errno != EINTR) {
      ended = errno != EAGAIN && errno != EWOULDBLOCK;
      break;
    }
  }
  AZ_ASSIGN_OR_RETURN(std::optional<GtpAnswer> answer, TakeGtpAnswer(received_));
  if (!answer && ended) return Gone();
  return answer;
}

// The error after the program's output or input has ended: so has the program, or it is useless
// now.
Error GtpProcess::Gone() {
  int status = 0;
  for (int tries = 0; tries < 20 && pid_ > 0; ++tries) {  // its pipes close just before it ends
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      ::kill(-pid_, SIGKILL);  // the guard, and whatever else the program left
      pid_ = -1;
      return Error{Errc::kPeerGone, StrCat("it ", StatusText(status))};
    }
    ::usleep(1000);
  }
  return Error{Errc::kPeerGone, "it closed its input or output"};
}

void GtpProcess::Kill() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace az
