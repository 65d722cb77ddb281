// The az_worker program itself, as a supervisor starts it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/strings.h"
#include "engine/ipc/segment.h"
#include "engine/process/child_process.h"
#include "engine/process/child_setup.h"
#include "games/registry.h"

namespace az {
namespace {

constexpr std::string_view kRunId = "00112233445566778899aabbccddeeff";

// One worker of a tic-tac-toe run, up to its Ready.
class WorkerProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "az_worker_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    lifeline_read_.Reset(ends[0]);
    lifeline_write_.Reset(ends[1]);
    ASSERT_TRUE(WriteFileAtomic(folder_ / "config.yaml", "game:\n  name: tic_tac_toe\n"));
    const GameInfo& game = FindGame("tic_tac_toe").value()->info();
    auto segment =
        Segment::Create({.shape = {.in_words = static_cast<std::uint32_t>(game.shape.words()),
                                   .num_actions = static_cast<std::uint32_t>(game.num_actions)},
                         .game_hash = game.Hash(),
                         .run_id = ParseRunId(kRunId).value()});
    ASSERT_TRUE(segment) << segment.error().message;
    segment_ = std::move(segment).value();
  }
  void TearDown() override {
    process_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Start() {
    const SpawnSpec spec{.program = AZ_WORKER_PATH,
                         .arguments = ToArguments({.run_dir = folder_,
                                                   .run_id = std::string(kRunId),
                                                   .lane = 0,
                                                   .epoch = 1,
                                                   .parent = ::getpid()}),
                         .environment = {"CUDA_VISIBLE_DEVICES=0"}};
    auto started = ChildProcess::Start(
        launcher_, spec,
        {.segment = segment_->fd(), .lifeline = lifeline_read_.get(), .log = STDERR_FILENO});
    ASSERT_TRUE(started) << started.error().message;
    process_ = std::make_unique<ChildProcess>(std::move(started).value());
    ASSERT_TRUE(process_->channel().Send(
        WorkerPlanMessage{.slots = 4, .journal_path = (folder_ / "lane.journal").string()}));
    while (true) {
      const Result<ControlMessage> message =
          process_->channel().Await(Deadline::In(std::chrono::seconds(20)));
      ASSERT_TRUE(message) << message.error().message;
      if (std::holds_alternative<ReadyMessage>(*message)) return;
      ASSERT_TRUE(std::holds_alternative<HelloMessage>(*message)) << ToLine(*message);
    }
  }
  std::string Proc(std::string_view file) const {
    return ReadFile(StrCat("/proc/", process_->pid(), "/", file)).value();
  }

  std::filesystem::path folder_;
  UniqueFd lifeline_read_;
  UniqueFd lifeline_write_;
  std::unique_ptr<Segment> segment_;
  PosixLauncher launcher_;
  std::unique_ptr<ChildProcess> process_;
};

// One CUDA context for a run, by construction: only the device process can make one.
TEST_F(WorkerProcess, MapsNoCudaAndNoTorchLibrary) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string maps = Proc("maps");
  ASSERT_NE(maps.find("az_worker"), std::string::npos);  // the right process, after its exec
  ASSERT_NE(maps.find("libc.so"), std::string::npos);    // libraries are listed
  for (const std::string_view library :
       {"torch", "libc10", "libcuda", "libcudart", "libcublas", "libcudnn", "libnvidia", "nccl"}) {
    EXPECT_EQ(maps.find(library), std::string::npos) << library;
  }
}

TEST_F(WorkerProcess, OpensNoNvidiaDevice) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const auto fds = std::filesystem::path(StrCat("/proc/", process_->pid(), "/fd"));
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fds)) {
    std::error_code closed;  // the worker runs: it may close a file between listing and reading
    const std::string target = std::filesystem::read_symlink(entry.path(), closed).string();
    if (closed) continue;
    ++seen;
    EXPECT_FALSE(target.starts_with("/dev/nvidia")) << target;
  }
  EXPECT_GE(seen, 6);  // std streams, segment, control socket, lifeline: the right process
}

TEST_F(WorkerProcess, HasOneThreadAndEndsWhenToldTo) {
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_NE(Proc("status").find("\nThreads:\t1\n"), std::string::npos);
  ASSERT_TRUE(process_->channel().Send(StopMessage{}));
  segment_->NotifyLane(0);
  const Deadline deadline = Deadline::In(std::chrono::seconds(20));
  std::optional<ChildExit> exit;
  while (!exit && !deadline.Passed()) {
    exit = process_->TryReap();
    ::usleep(1000);
  }
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->how, ChildExit::How::kExited);
  EXPECT_EQ(exit->code, 0);
}

}  // namespace
}  // namespace az
