#include "tests/engine/server/protocol_rig.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "base/rng.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/server/inference_server.h"
#include "tests/support/segment_fixture.h"

namespace az::fakes {
namespace {

// Dies where it is told to, without a word.
class KillHook final : public FailPointHook {
 public:
  KillHook(RigShared& shared, int one_in, std::uint64_t seed)
      : shared_(shared), one_in_(one_in), seed_(seed) {}
  void Reached(FailPoint point) override {
    int aim = static_cast<int>(point);
    if (shared_.kill_at.load() == aim && shared_.kill_at.compare_exchange_strong(aim, -1)) Die();
    Maybe();
  }
  void Maybe() {
    if (one_in_ == 0 || !shared_.random_kills.load(std::memory_order_relaxed)) return;
    const std::uint64_t draw = HashCombine(seed_, draws_.fetch_add(1, std::memory_order_relaxed));
    if (draw % static_cast<std::uint64_t>(one_in_) == 0) Die();
  }

 private:
  [[noreturn]] static void Die() {
    ::kill(::getpid(), SIGKILL);
    while (true) ::pause();
  }
  RigShared& shared_;
  const int one_in_;
  const std::uint64_t seed_;
  std::atomic<std::uint64_t> draws_{0};
};

template <std::size_t N>
std::uint64_t Sum(const std::atomic<std::uint64_t> (&values)[N]) {
  std::uint64_t sum = 0;
  for (const auto& value : values) sum += value.load();
  return sum;
}

}  // namespace

ProtocolRig::ProtocolRig(const RigOptions& options)
    : options_(options),
      segment_(MakeSegment(TestSpec(options.lanes))),
      pids_(options.lanes + 1, -1),
      epochs_(options.lanes + 1, 0),
      recoveries_(options.lanes + 1) {
  AZ_CHECK(options.lanes <= RigShared::kLanes);
  void* memory =
      ::mmap(nullptr, sizeof(RigShared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  AZ_CHECK(memory != MAP_FAILED);
  shared_ = std::construct_at(static_cast<RigShared*>(memory));
  shared_->kill_at = -1;
  shared_->random_kills = true;
  shared_->versions[0] = 1;
  shared_->versions[1] = 1;
}

ProtocolRig::~ProtocolRig() {
  for (const pid_t pid : pids_) {
    if (pid <= 0) continue;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  ::munmap(shared_, sizeof(RigShared));
}

void ProtocolRig::Signal(std::size_t index, int signal) const {
  if (pids_[index] > 0) ::kill(pids_[index], signal);  // never -1: that is everybody
}

void ProtocolRig::StartAll() {
  Start(server());
  // Blocks of a slot that never held weights fail; one that did makes them wait, over restarts too.
  for (const ModelLine* model : {&segment_->header().models[0], &segment_->header().models[1]}) {
    while (model->state.load() == static_cast<std::uint32_t>(ModelState::kEmpty)) {
      Tend();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  for (std::size_t lane = 0; lane + 1 < pids_.size(); ++lane) Start(lane);
}

void ProtocolRig::Start(std::size_t index) {
  const std::uint32_t epoch = ++epochs_[index];
  const pid_t child = ::fork();
  AZ_CHECK(child >= 0);
  if (child > 0) {
    pids_[index] = child;
    return;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  KillHook hook(*shared_, options_.random_kill_one_in,
                HashCombine(HashCombine(options_.seed, index), epoch));
  segment_->set_fail_points(&hook);
  const bool is_server = index + 1 == pids_.size();
  ::_exit(is_server ? ServerMain(epoch) : WorkerMain(static_cast<std::uint32_t>(index), epoch));
}

int ProtocolRig::ServerMain(std::uint32_t epoch) {
  Log log(STDERR_FILENO, "server", LogLevel::kError);
  FakeNetwork network;
  network.words = static_cast<int>(segment_->shape().in_words);
  network.actions = static_cast<int>(segment_->shape().num_actions);
  // Outputs half written.
  network.during = [this] { segment_->Reached(FailPoint::kEnd); };
  // Deaths here say nothing of a block: no poison.
  auto server = InferenceServer::Start(
      *segment_, epoch, FakeRunners(network, options_.runners),
      {.buckets = {8, 32}, .gpu_pipeline = options_.gpu_pipeline, .max_attempts = 0}, log);
  if (!server.has_value()) return 1;
  while (!shared_->server_ends) {
    for (std::uint16_t model = 0; model < 2; ++model) {
      const std::uint64_t version = shared_->versions[model].load();
      if (network.versions[model].load() == version) continue;
      network.versions[model] = version;
      (*server)->SetModel(ModelId(model), ModelState::kReady, version);
    }
    Segment::Beat(segment_->device());
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  (*server)->Stop();
  return 0;
}

int ProtocolRig::WorkerMain(std::uint32_t lane, std::uint32_t epoch) {
  struct InFlight {
    EvalBatch batch;
    std::uint64_t seed;
    WeightsVersion least;  // published before the submission
  };
  ShmEvaluator evaluator(*segment_, lane, epoch);
  Rng rng(HashCombine(HashCombine(options_.seed, lane), epoch));
  std::deque<InFlight> open;
  while (true) {
    const bool drains = segment_->stop() != StopWord::kRun;
    if (drains && open.empty()) return 0;
    while (!drains && static_cast<int>(open.size()) < evaluator.max_batches()) {
      const ModelId model(static_cast<std::uint16_t>(rng.Below(2)));
      const int rows = 1 + static_cast<int>(rng.Below(8));
      auto batch = evaluator.Reserve(model, rows, Deadline::In(std::chrono::seconds(1)));
      if (!batch.has_value()) break;
      const std::uint64_t seed = rng.Next();
      FillRows(*batch, seed);
      const auto least =
          segment_->header().models[model.value()].version.load(std::memory_order_acquire);
      open.push_back({*std::move(batch), seed, least});
      if (!evaluator.Submit(open.back().batch).has_value()) return 1;
    }
    std::vector<EvalBatch*> waiting;
    for (InFlight& entry : open) waiting.push_back(&entry.batch);
    const auto which = evaluator.WaitAny(waiting, Deadline::In(std::chrono::seconds(1)));
    if (!which.has_value()) {
      if (which.error().code == Errc::kTimeout) continue;
      return 1;
    }
    InFlight& done = open[static_cast<std::size_t>(*which)];
    if (!evaluator.Wait(done.batch, Deadline::In(Duration::zero())).has_value()) {
      ++shared_->failed_batches[lane];
      return 1;
    }
    const auto wrong = static_cast<std::uint64_t>(fakes::WrongRows(done.batch, done.seed));
    shared_->wrong_rows[lane] += wrong;
    shared_->right_rows[lane] += static_cast<std::uint64_t>(done.batch.rows()) - wrong;
    if (done.batch.version() < done.least) ++shared_->stale_batches[lane];
    open.erase(open.begin() + *which);
  }
}

std::uint64_t ProtocolRig::Progress(std::size_t index) const {
  if (index + 1 == pids_.size()) return segment_->counter(ServerCounter::kBatches);
  return segment_->counter(static_cast<std::uint32_t>(index), LaneCounter::kRows);
}

void ProtocolRig::NoteRecoveries() {
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    if (!recoveries_[i] || Progress(i) == recoveries_[i]->count) continue;
    auto& into = i + 1 == pids_.size() ? server_recoveries_s_ : worker_recoveries_s_;
    into.push_back(Seconds(std::chrono::steady_clock::now() - recoveries_[i]->reaped));
    recoveries_[i].reset();
  }
}

void ProtocolRig::Tend() {
  NoteRecoveries();
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    int status = 0;
    if (pids_[i] <= 0 || ::waitpid(pids_[i], &status, WNOHANG) != pids_[i]) continue;
    pids_[i] = -1;
    if (WIFEXITED(status)) {
      bad_exit_ |= WEXITSTATUS(status) != 0 || !finishing_;
      continue;
    }
    bad_exit_ |= WTERMSIG(status) != SIGKILL;
    ++(i + 1 == pids_.size() ? server_deaths_ : worker_deaths_);
    recoveries_[i] = {std::chrono::steady_clock::now(), Progress(i)};
    Start(i);
  }
}

bool ProtocolRig::Finish(Duration limit) {
  const Deadline deadline = Deadline::In(limit);
  const auto ended = [](pid_t pid) { return pid == -1; };
  for (std::size_t i = 0; i < size(); ++i) Signal(i, SIGCONT);
  shared_->random_kills = false;
  finishing_ = true;
  segment_->SetStop(StopWord::kDrain);
  while (!std::all_of(pids_.begin(), pids_.end() - 1, ended) && !deadline.Passed()) {
    Tend();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // What a worker left when it drained right after a restart is answered, and its successor's to
  // free.
  const auto in_flight = [&] {
    return segment_->CountBlocks(BlockState::kSubmitted) +
           segment_->CountBlocks(BlockState::kTaken);
  };
  while (in_flight() > 0 && !deadline.Passed()) {
    Tend();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::uint32_t lane = 0; lane < options_.lanes; ++lane) {
    const ShmEvaluator successor(*segment_, lane, ++epochs_[lane]);
  }
  shared_->server_ends = true;
  while (!std::all_of(pids_.begin(), pids_.end(), ended) && !deadline.Passed()) {
    Tend();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::all_of(pids_.begin(), pids_.end(), ended) && !bad_exit_;
}

std::uint64_t ProtocolRig::RightRows() const { return Sum(shared_->right_rows); }
std::uint64_t ProtocolRig::WrongRows() const { return Sum(shared_->wrong_rows); }
std::uint64_t ProtocolRig::FailedBatches() const { return Sum(shared_->failed_batches); }
std::uint64_t ProtocolRig::StaleBatches() const { return Sum(shared_->stale_batches); }

}  // namespace az::fakes
