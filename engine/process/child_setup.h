#pragma once
// The first lines of every child's main: command line, the descriptors it was given, signals, and
// the ways to learn that the supervisor has gone. The supervisor's side is process_launcher.h.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "engine/process/control_channel.h"
#include "engine/process/lanes.h"

namespace az {

// Where a child finds what the supervisor handed over. The next free descriptor is 6.
inline constexpr int kSegmentFd = 3;
inline constexpr int kControlFd = 4;
inline constexpr int kLifelineFd = 5;

enum class ChildRole : std::uint8_t { kWorker, kDevice };
std::string_view ChildRoleName(ChildRole role);  // "worker", "device"

struct ChildArguments {
  std::filesystem::path run_dir;  // --run-dir
  std::string run_id;             // --run-id, 32 hexadecimal digits
  int lane = kDeviceLane;         // --lane, as in lanes.h
  int segment_lane = 0;           // --segment-lane: a worker's in the segment it was handed
  std::uint32_t epoch = 0;        // --epoch: counts this lane's processes, from 1
  pid_t parent = 0;               // --parent: the supervisor
};

// `arguments` without the program's name; each option once, as `--name value`, all of them given.
// Fails: kInvalid.
Result<ChildArguments> ParseChildArguments(std::span<const char* const> arguments);
// The same the other way: what the supervisor puts on the command line.
std::vector<std::string> ToArguments(const ChildArguments& arguments);

// What a child owns from the supervisor. Confined to the main thread.
class ChildContext {
 public:
  // Makes this process a child: killed by the kernel when the supervisor's main thread ends;
  // SIGINT, SIGHUP, SIGPIPE, SIGXFSZ ignored; SIGTERM blocked and read by stop_asked(). A worker also hides
  // CUDA devices from itself and offers itself first to the kernel's out-of-memory killer. Sends
  // HelloMessage. REQUIRES: called once, first thing in main, before any thread exists (they must
  // inherit the signal mask). Fails: kInvalid (command line, descriptors: not started by a
  // supervisor), kPeerGone (the supervisor has gone).
  static Result<ChildContext> SetUp(ChildRole role, std::span<const char* const> arguments);

  const ChildArguments& arguments() const { return arguments_; }
  std::string name() const { return LaneName(arguments_.lane); }  // for the log

  // The shared segment; the first call gets it.
  UniqueFd TakeSegmentFd() { return std::move(segment_); }
  ControlChannel& channel() { return channel_; }

  // SIGTERM has arrived, now or earlier: finish what is open, then exit 0. Never blocks.
  bool stop_asked();
  // The supervisor is dead: exit at once. Never blocks. (The kernel's signal comes first, as a
  // rule; this is for a supervisor that died before it was armed.)
  bool supervisor_gone() const;

  // Blocks until the channel has something to read (or, when its queue is not empty, takes more),
  // SIGTERM arrives, the supervisor dies, or the deadline passes.
  void WaitForNews(Deadline deadline);

  // Tells the supervisor why this process ends, waits at most a second for the line to leave, and
  // returns what main returns: ExitCodeFor(error.code).
  int Fail(const Error& error);

 private:
  ChildContext(ChildRole role, ChildArguments arguments, UniqueFd term_signal);

  ChildRole role_;
  ChildArguments arguments_;
  UniqueFd segment_;
  ControlChannel channel_;
  UniqueFd lifeline_;
  UniqueFd term_signal_;
  bool stop_asked_ = false;
};

}  // namespace az
