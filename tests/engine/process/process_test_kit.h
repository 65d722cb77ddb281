#pragma once
// What the tests of this folder share: a run folder with segment and log, and a supervisor over
// test children.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/strings.h"
#include "engine/process/supervisor.h"

namespace az {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Removed with its contents when destroyed.
class TestRun {
 public:
  TestRun() {
    std::string name = (std::filesystem::temp_directory_path() / "az_process_XXXXXX").string();
    AZ_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    segment_.Reset(::memfd_create("az_test", MFD_CLOEXEC));
    log_.Reset(::open((path_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    AZ_CHECK(segment_.valid() && log_.valid());
  }
  ~TestRun() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }
  int segment_fd() const { return segment_.get(); }
  int log_fd() const { return log_.get(); }
  std::string log_text() const { return ReadFile(path_ / "log").value(); }

  // Workers behave as `mode` (test_child.cc), the device process obeys.
  SupervisorOptions Options(std::string_view mode) const {
    SupervisorOptions options;
    options.worker = {AZ_TEST_CHILD_PATH, {}, {StrCat("AZ_TEST_CHILD=", mode)}};
    options.device = {AZ_TEST_CHILD_PATH, {}, {"AZ_TEST_CHILD=obey"}};
    options.run_dir = path_;
    options.run_id = "00112233445566778899aabbccddeeff";
    options.seat = [this](int) { return SegmentSeat{.segment_fd = segment_fd()}; };
    options.log_fd = log_fd();
    options.restart.delay = milliseconds(1);
    return options;
  }

 private:
  std::filesystem::path path_;
  UniqueFd segment_;
  UniqueFd log_;
};

// Fails the spawns it is told to fail, hands the others on.
class FlakyLauncher final : public ProcessLauncher {
 public:
  Result<SpawnedProcess> Spawn(const SpawnSpec& spec, const SpawnFds& fds) override {
    ++calls;
    if (failures > 0 && calls > fail_after) {
      --failures;
      return Error{Errc::kUnavailable, "start test child: injected"};
    }
    return real_.Spawn(spec, fds);
  }
  int calls = 0;
  int fail_after = 0;
  int failures = 0;

 private:
  PosixLauncher real_;
};

// A supervisor with what it borrows, and all its events so far.
struct TestSupervisor {
  explicit TestSupervisor(SupervisorOptions options) : TestSupervisor(std::move(options), steady) {}
  TestSupervisor(SupervisorOptions options, const Clock& clock)
      : log(options.log_fd, "supervisor"),
        supervisor(Supervisor::Create(std::move(options), launcher, clock, log).value()) {}

  // Ticks until `done` or 10 s have passed; workers that start get their plan. Returns whether it
  // was done.
  template <class F>
  bool TickUntil(F done) {
    const Deadline deadline = Deadline::In(seconds(10));
    while (!done()) {
      if (deadline.Passed()) return false;
      for (SupervisorEvent& event : supervisor.Tick(milliseconds(10))) {
        if (const auto* started = std::get_if<ChildStarted>(&event)) {
          const ControlMessage plan = IsDevice(started->lane) ? ControlMessage(DevicePlanMessage{})
                                                              : ControlMessage(WorkerPlanMessage{});
          const Result<void> sent = supervisor.Send(started->lane, plan);
          EXPECT_TRUE(sent ||
                      sent.error().code == Errc::kPeerGone);  // dead already, not yet reaped
        }
        events.push_back(std::move(event));
      }
    }
    return true;
  }
  bool TickUntilReady(int lane) {
    return TickUntil([&] { return supervisor.is_ready(lane); });
  }
  template <class E>
  std::vector<E> All() const {
    std::vector<E> all;
    for (const SupervisorEvent& event : events) {
      if (const auto* one = std::get_if<E>(&event)) all.push_back(*one);
    }
    return all;
  }
  template <class E>
  bool TickUntilSome() {
    return TickUntil([&] { return !All<E>().empty(); });
  }

  FlakyLauncher launcher;
  SteadyClock steady;
  Log log;
  Supervisor supervisor;
  std::vector<SupervisorEvent> events;
};

// No child of this process is left, not even a dead one that nobody waited for.
inline testing::AssertionResult NoChildIsLeft() {
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == -1 && errno == ECHILD) {
    return testing::AssertionSuccess();
  }
  if (info.si_pid == 0) return testing::AssertionFailure() << "a child is running";
  const auto name = ReadFile(StrCat("/proc/", info.si_pid, "/stat"));
  return testing::AssertionFailure()
         << "a child has ended and was not reaped: " << (name ? *name : name.error().message);
}

}  // namespace az
