#pragma once
// ProtocolRig: one server and some workers as real processes over one segment, with a hash for a
// network, so that tests can kill and stop them anywhere. Forks without exec: the test process must
// have no other threads.

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "engine/ipc/segment.h"

namespace az::fakes {

// Shared by the rig's processes, outside the segment.
struct RigShared {
  static constexpr std::size_t kLanes = 8;
  std::atomic<std::uint64_t> versions[2];  // published weights
  std::atomic<std::uint64_t> right_rows[kLanes];
  std::atomic<std::uint64_t> wrong_rows[kLanes];
  std::atomic<std::uint64_t> failed_batches[kLanes];
  std::atomic<std::uint64_t>
      stale_batches[kLanes];  // answered by weights older than published before their submission
  std::atomic<bool> random_kills;  // the hooks draw; off at the end
  std::atomic<bool> server_ends;   // workers have ended
  std::atomic<int> kill_at;        // FailPoint: the first process that reaches it dies; -1: none
};

struct RigOptions {
  std::uint32_t lanes = 2;
  int runners = 2;
  bool gpu_pipeline = false;
  int random_kill_one_in = 0;  // at each fail point, in any process; 0: never
  std::uint64_t seed = 1;
};

class ProtocolRig {
 public:
  explicit ProtocolRig(const RigOptions& options);
  ~ProtocolRig();  // kills and reaps what is left
  ProtocolRig(const ProtocolRig&) = delete;
  ProtocolRig& operator=(const ProtocolRig&) = delete;

  void StartAll();
  // Reaps the dead and starts their successors with the next epoch. Counts them.
  void Tend();
  // Ends the run in order: random kills off, workers drain, then the server stops. False when
  // somebody does not end in `limit` or ends badly.
  bool Finish(Duration limit);

  // Workers by lane, then the server. Signals nobody when that process has ended.
  std::size_t size() const { return pids_.size(); }
  std::size_t server() const { return pids_.size() - 1; }
  pid_t pid(std::size_t index) const { return pids_[index]; }  // -1: ended
  void Signal(std::size_t index, int signal) const;

  Segment& segment() { return *segment_; }
  RigShared& shared() { return *shared_; }
  void Publish(int model) { shared_->versions[model].fetch_add(1); }

  std::uint64_t RightRows() const;
  std::uint64_t WrongRows() const;
  std::uint64_t FailedBatches() const;
  std::uint64_t StaleBatches() const;
  int server_deaths() const { return server_deaths_; }
  int worker_deaths() const { return worker_deaths_; }
  const std::vector<double>& server_recoveries_s() const { return server_recoveries_s_; }
  const std::vector<double>& worker_recoveries_s() const { return worker_recoveries_s_; }

 private:
  // A restart that has not shown its first result.
  struct Recovery {
    TimePoint reaped{};
    std::uint64_t count = 0;
  };
  void Start(std::size_t index);
  std::uint64_t Progress(std::size_t index) const;  // batches of the server, rows of a worker
  void NoteRecoveries();
  int ServerMain(std::uint32_t epoch);
  int WorkerMain(std::uint32_t lane, std::uint32_t epoch);

  const RigOptions options_;
  std::unique_ptr<Segment> segment_;
  RigShared* shared_ = nullptr;  // owned: an anonymous shared mapping
  std::vector<pid_t> pids_;
  std::vector<std::uint32_t> epochs_;
  std::vector<std::optional<Recovery>> recoveries_;
  int server_deaths_ = 0;
  int worker_deaths_ = 0;
  bool finishing_ = false;
  bool bad_exit_ = false;
  std::vector<double> server_recoveries_s_;
  std::vector<double> worker_recoveries_s_;
};

}  // namespace az::fakes
