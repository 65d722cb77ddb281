#pragma once
// GtpProcess: another program that speaks GTP over its standard input and output. Knows bytes and
// whole answers; gtp_player.h knows their meaning. Never blocks.
//
//   /bin/sh, leader of a process group of its own
//     ├── a guard that waits for the end of a pipe which this process holds, and then kills the
//     │   group: so nothing is left when this process dies, however it dies
//     └── the command, stdin and stdout ours, stderr this process's

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/result.h"

namespace az {

// A program's answer to one command.
struct GtpAnswer {
  bool ok = false;   // '=', not '?'
  std::string text;  // without the mark and the id; lines separated by '\n'
};

// Takes the first whole answer out of `bytes`: "=[id] text", ended by an empty line. Carriage
// returns and other control characters are dropped, tabs become blanks. nullopt: part of it is
// still missing. Fails with kCorrupt when `bytes` hold no answer, or one longer than kMaxGtpAnswer.
Result<std::optional<GtpAnswer>> TakeGtpAnswer(std::string& bytes);
inline constexpr std::size_t kMaxGtpAnswer = std::size_t{256} << 10;

// Thread-compatible. Kills the process group when it is destroyed.
class GtpProcess {
 public:
  // Runs the command line in a shell. Fails with kUnavailable when the system starts no process. A
  // command that does not exist shows only when its answer is read: kPeerGone.
  static Result<GtpProcess> Start(const std::string& command);
  GtpProcess(GtpProcess&& other) noexcept { *this = std::move(other); }
  GtpProcess& operator=(GtpProcess&& other) noexcept;
  ~GtpProcess() { Kill(); }

  // Queues a line and writes what can be written now. Fails with kPeerGone when the program has
  // closed its input.
  Result<void> Send(std::string_view line);
  // Reads and writes what is possible now, and returns the next whole answer. Fails with kPeerGone,
  // naming the exit status, when the program has ended, and as TakeGtpAnswer does.
  Result<std::optional<GtpAnswer>> Receive();

  int output() const { return output_.get(); }  // readable when there may be an answer
  bool wants_write() const { return !to_write_.empty(); }
  pid_t group() const { return pid_; }

 private:
  GtpProcess() = default;
  Result<void> Flush();
  Error Gone();
  void Kill();

  pid_t pid_ = -1;  // the shell's, which is also the group's
  UniqueFd input_;
  UniqueFd output_;
  UniqueFd guard_;  // closing it makes the guard kill the group
  std::string to_write_;
  std::string received_;
};

}  // namespace az
