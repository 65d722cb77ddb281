#pragma once
// The real az_device, driven as the supervisor and a worker drive it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/exit_codes.h"
#include "base/strings.h"
#include "engine/data/journal.h"
#include "engine/ipc/segment.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/process/child_setup.h"
#include "engine/process/process_launcher.h"
#include "games/registry.h"
#include "tests/engine/data/random_games.h"
#include "tests/engine/data/records.h"

namespace az {

inline constexpr std::string_view kConfig = R"(
game: {name: tic_tac_toe}
net: {num_filters: 8, num_res_blocks: 1, policy_filters: 4, value_filters: 4, value_hidden: 16}
train: {batch: 64, min_positions: 200, samples_per_position: 2}
loop: {iterations: 3}
run: {name: device_test, seed: 5}
)";

class DeviceTest : public ::testing::Test {
 protected:
  using seconds = std::chrono::seconds;

  DeviceTest() : game_(*FindGame("tic_tac_toe").value()) {
    run_id_ = NewRunId().value();
    identity_ = {.run_id = run_id_.bytes, .game_hash = game_.info().Hash(), .entry = "tic_tac_toe"};
    segment_ = Segment::Create(
                   {.shape = {.lanes = 1,
                              .blocks = 4,
                              .rows = 8,
                              .in_words = static_cast<std::uint32_t>(game_.info().shape.words()),
                              .num_actions = 9,
                              .models = 2},
                    .game_hash = game_.info().Hash(),
                    .run_id = run_id_})
                   .value();
    std::array<int, 2> ends{};
    AZ_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0);
    lifeline_[0].Reset(ends[0]);
    lifeline_[1].Reset(ends[1]);
    log_.Reset(
        open((folder_ / "log.txt").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    AZ_CHECK(log_.valid());
    WriteConfig(std::string(kConfig));
  }
  ~DeviceTest() override {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    if (HasFailure()) std::fputs(LogText().c_str(), stderr);
  }

  void WriteConfig(const std::string& text) {
    AZ_CHECK(WriteFileAtomic(folder_ / "config.yaml", text).has_value());
  }
  std::string LogText() const { return ReadFile(folder_ / "log.txt").value(); }

  void Spawn(std::uint32_t epoch = 1, std::optional<RunId> run_id = std::nullopt) {
    auto ends = ControlChannel::MakePair().value();
    channel_.emplace(std::move(ends.first));
    const SpawnSpec spec{.program = AZ_DEVICE_PATH,
                         .arguments = ToArguments({.run_dir = folder_ / "",
                                                   .run_id = ToHex(run_id.value_or(run_id_)),
                                                   .lane = -1,
                                                   .epoch = epoch,
                                                   .parent = getpid()}),
                         .environment = {}};
    auto spawned = launcher_.Spawn(spec, {.segment = segment_->fd(),
                                          .control = ends.second.get(),
                                          .lifeline = lifeline_[0].get(),
                                          .log = log_.get()});
    ASSERT_TRUE(spawned) << spawned.error().message;
    pid_ = spawned->pid;
    pidfd_ = std::move(spawned->pidfd);
  }
  void SendPlan(std::int64_t memory_cap_bytes = 0, std::string device = "cpu") {
    ASSERT_TRUE(channel_->Send(DevicePlanMessage{.device = std::move(device),
                                                 .runners = 1,
                                                 .buckets = {8, 32},
                                                 .learner_shards = 2,
                                                 .micro_batch = 32,
                                                 .inference_precision = "fp32",
                                                 .train_precision = "fp32",
                                                 .cuda_graphs = false,
                                                 .memory_cap_bytes = memory_cap_bytes}));
  }
  void Start(std::uint32_t epoch = 1, std::int64_t memory_cap_bytes = 0) {
    Spawn(epoch);
    SendPlan(memory_cap_bytes);
    const auto ready = Await<ReadyMessage>();
    ASSERT_TRUE(ready);
    EXPECT_NE(ready->device.find("cpu"), std::string::npos);
  }

  // The next message of this kind; progress and statistics before it are passed over.
  template <class Message>
  std::optional<Message> Await(seconds limit = seconds(30)) {
    const Deadline deadline = Deadline::In(limit);
    while (true) {
      Result<ControlMessage> message = channel_->Await(deadline);
      if (!message) {
        ADD_FAILURE() << message.error().message;
        return std::nullopt;
      }
      if (auto* wanted = std::get_if<Message>(&*message)) return std::move(*wanted);
      if (const auto* error = std::get_if<ErrorMessage>(&*message)) {
        ADD_FAILURE() << error->message;
        return std::nullopt;
      }
      progress_ += std::holds_alternative<TrainProgressMessage>(*message);
    }
  }
  // How the process ended; -1 when it did not in time.
  int ExitStatus(seconds limit = seconds(20)) {
    pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
    if (poll(&ended, 1, static_cast<int>(limit.count()) * 1000) != 1) return -1;
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string checkpoint(int iteration) const { return folder_ / StrCat("iter_", iteration); }
  std::optional<TrainedMessage> MakeFirstNetwork() {
    TrainMessage first;
    first.to = checkpoint(0);
    EXPECT_TRUE(channel_->Send(first));
    return Await<TrainedMessage>();
  }
  void Load(int slot, std::uint64_t version) {
    ASSERT_TRUE(
        channel_->Send(LoadMessage{.slot = slot, .path = checkpoint(0), .version = version}));
    const auto published = Await<PublishedMessage>();
    ASSERT_TRUE(published);
    EXPECT_EQ(published->version, version);
  }
  TrainMessage TrainOnRandomGames(std::uint32_t games) {
    const std::filesystem::path path = folder_ / "lane_000.journal";
    JournalWriter lane = JournalWriter::Open(path, identity_).value();
    for (std::uint32_t index = 0; index < games; ++index) {
      const GameRecord record = RandomGame(game_, GameId::Make(GameKind::kSelfPlay, 0, index));
      AZ_CHECK(lane.StartGame(record.id).has_value());
      for (const MoveRecord& move : record.moves) AZ_CHECK(lane.Move(record.id, move).has_value());
      AZ_CHECK(lane.EndGame({record.id, record.outcome, record.reason,
                             static_cast<std::uint16_t>(record.moves.size())})
                   .has_value());
    }
    TrainMessage message;
    message.from = checkpoint(0);
    message.to = checkpoint(1);
    message.journals = {{path.string(), lane.size_bytes()}};
    message.games_before_iteration = 1;
    return message;
  }
  // Submits a block of start positions.
  EvalBatch Submit(ShmEvaluator& worker, int rows) {
    EvalBatch batch = worker.Reserve(kBestModel, rows, Deadline::In(seconds(5))).value();
    for (int row = 0; row < rows; ++row) game_.Start()->Encode(batch.row(row).planes);
    AZ_CHECK(worker.Submit(batch).has_value());
    return batch;
  }

  TemporaryFolder folder_;
  const GameOps& game_;
  RunId run_id_;
  JournalIdentity identity_;
  std::unique_ptr<Segment> segment_;
  std::array<UniqueFd, 2> lifeline_;
  UniqueFd log_;
  PosixLauncher launcher_;
  std::optional<ControlChannel> channel_;
  pid_t pid_ = 0;
  UniqueFd pidfd_;
  int progress_ = 0;
};

}  // namespace az
