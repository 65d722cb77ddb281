#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/stats.h"
#include "base/strings.h"
#include "base/temp_folder.h"
#include "bench/bench_tools.h"
#include "bench/commands.h"
#include "engine/config/config_printer.h"
#include "engine/ipc/segment.h"
#include "engine/process/child_process.h"
#include "engine/process/child_setup.h"
#include "engine/process/proc_memory.h"
#include "engine/server/inference_server.h"
#include "games/registry.h"

namespace az {
namespace {

constexpr auto kStartLimit = std::chrono::seconds(10);
constexpr int kStarts = 9;
constexpr int kBlocks = 4;
constexpr int kRows = 32;

struct Settings {
  int slots = 64;
  int simulations = 800;
  int seconds = 4;
};

// Answers every row with a uniform policy and the value 0.
class UniformRunner final : public BatchRunner {
 public:
  explicit UniformRunner(std::size_t actions) : actions_(actions) {}
  Result<WeightsVersion> Launch(ModelId, int, std::span<const BlockView> blocks) override {
    for (const BlockView& block : blocks) {
      const auto rows = static_cast<std::size_t>(block.rows);
      std::fill_n(block.logits, rows * actions_, 0.0f);
      std::fill_n(block.values, rows, 0.0f);
    }
    return WeightsVersion{1};
  }
  Result<void> Finish() override { return {}; }

 private:
  const std::size_t actions_;
};

// The common environment of the processes of one measurement. Thread-compatible.
struct Ground {
  const GameInfo& game;
  RunConfig config;
  TempFolder folder;
  RunId run_id;
  std::unique_ptr<Segment> segment;
  UniqueFd lifeline_read;
  UniqueFd lifeline_write;
};

Result<Ground> MakeGround(std::string_view entry, const Settings& settings) {
  AZ_ASSIGN_OR_RETURN(const GameOps* ops, FindGame(entry));
  const GameInfo& game = ops->info();
  AZ_ASSIGN_OR_RETURN(TempFolder folder, TempFolder::Make("az_bench"));
  AZ_ASSIGN_OR_RETURN(const RunId run_id, NewRunId());
  AZ_ASSIGN_OR_RETURN(
      std::unique_ptr<Segment> segment,
      Segment::Create({.shape = {.lanes = 1,
                                 .blocks = kBlocks,
                                 .rows = kRows,
                                 .in_words = static_cast<std::uint32_t>(game.shape.words()),
                                 .num_actions = static_cast<std::uint32_t>(game.num_actions),
                                 .models = 1},
                       .game_hash = game.Hash(),
                       .run_id = run_id}));
  RunConfig config;
  config.game.name = game.family;
  if (game.board_size > 0) config.game.board_size = game.board_size;
  config.search.visits = settings.simulations;
  AZ_RETURN_IF_ERROR(WriteFileAtomic(folder.path() / "config.yaml", ToYaml(config)));
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError("make a pipe", errno);
  return Ground{game,
                std::move(config),
                std::move(folder),
                run_id,
                std::move(segment),
                UniqueFd(ends[0]),
                UniqueFd(ends[1])};
}

// A worker that has sent Ready; `start_s` is the time from before the spawn until then.
struct StartedWorker {
  ChildProcess process;
  double start_s = 0;
};

Result<StartedWorker> StartWorker(const Ground& ground, const Settings& settings,
                                  std::uint32_t epoch) {
  PosixLauncher launcher;
  const TimePoint begin = std::chrono::steady_clock::now();
  const SpawnSpec spec{.program = ProgramFolder() / "az_worker",
                       .arguments = ToArguments({.run_dir = ground.folder.path(),
                                                 .run_id = ToHex(ground.run_id),
                                                 .lane = 0,
                                                 .epoch = epoch,
                                                 .parent = ::getpid()}),
                       .environment = {}};
  AZ_ASSIGN_OR_RETURN(ChildProcess process,
                      ChildProcess::Start(launcher, spec,
                                          {.segment = ground.segment->fd(),
                                           .lifeline = ground.lifeline_read.get(),
                                           .log = STDERR_FILENO}));
  ControlChannel& channel = process.channel();
  const std::string journal = (ground.folder.path() / StrCat("journal_", epoch)).string();
  AZ_RETURN_IF_ERROR(
      channel.Send(WorkerPlanMessage{.slots = settings.slots,
                                     .cache_bytes = ground.config.search.cache.count(),
                                     .journal_path = journal,
                                     .journal_valid_bytes = 0}));
  while (true) {
    AZ_ASSIGN_OR_RETURN(const ControlMessage message, channel.Await(Deadline::In(kStartLimit)));
    if (std::holds_alternative<ReadyMessage>(message)) break;
    if (const auto* error = std::get_if<ErrorMessage>(&message)) {
      return Error{Errc::kPeerGone, StrCat("the worker ended: ", error->message)};
    }
  }
  const double start_s = Seconds(std::chrono::steady_clock::now() - begin);
  return StartedWorker{std::move(process), start_s};
}

struct Memory {
  Bytes anonymous;  // the largest that was seen
  WorkerStatsMessage stats;
};

// Runs self-play for the settings' seconds.
Result<Memory> Play(const Settings& settings, ChildProcess& process) {
  constexpr std::uint32_t kGames = 900;  // the most that one grant holds
  ControlChannel& channel = process.channel();
  AZ_RETURN_IF_ERROR(channel.Send(PhaseMessage{
      .phase = 1, .kind = GameKind::kSelfPlay, .iteration = 0, .players = {PlayerMessage{}}}));
  GrantMessage grant{.phase = 1, .games = {}};
  for (std::uint32_t index = 0; index < kGames; ++index) {
    grant.games.push_back({.id = GameId::Make(GameKind::kSelfPlay, 0, index).packed});
  }
  AZ_RETURN_IF_ERROR(channel.Send(grant));
  Memory memory;
  const Deadline end = Deadline::In(std::chrono::seconds(settings.seconds));
  while (!end.Passed()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    AZ_ASSIGN_OR_RETURN(const ProcMemory now, ReadProcMemory(process.pid()));
    memory.anonymous = std::max(memory.anonymous, now.anonymous);
    while (true) {
      AZ_ASSIGN_OR_RETURN(const std::optional<ControlMessage> message, channel.Receive());
      if (!message) break;
      if (const auto* stats = std::get_if<WorkerStatsMessage>(&*message)) memory.stats = *stats;
    }
  }
  return memory;
}

Result<void> BenchGame(std::string_view entry, const Settings& settings, bool json) {
  AZ_ASSIGN_OR_RETURN(const Ground ground, MakeGround(entry, settings));
  std::vector<double> starts;
  for (std::uint32_t epoch = 1; epoch < kStarts; ++epoch) {
    AZ_ASSIGN_OR_RETURN(const StartedWorker worker, StartWorker(ground, settings, epoch));
    starts.push_back(worker.start_s);
  }
  AZ_ASSIGN_OR_RETURN(StartedWorker worker, StartWorker(ground, settings, kStarts));
  starts.push_back(worker.start_s);
  AZ_ASSIGN_OR_RETURN(const ProcMemory idle, ReadProcMemory(worker.process.pid()));
  Log log(STDERR_FILENO, "bench_server", LogLevel::kWarn);
  std::vector<std::unique_ptr<BatchRunner>> runners;
  runners.push_back(
      std::make_unique<UniformRunner>(static_cast<std::size_t>(ground.game.num_actions)));
  AZ_ASSIGN_OR_RETURN(
      const std::unique_ptr<InferenceServer> server,
      InferenceServer::Start(*ground.segment, 1, std::move(runners), ServerOptions{}, log));
  server->SetModel(kBestModel, ModelState::kReady, 1);
  AZ_ASSIGN_OR_RETURN(const Memory memory, Play(settings, worker.process));
  const double start_ms = 1e3 * Median(starts);
  const double simulations_per_s = static_cast<double>(memory.stats.simulations) / settings.seconds;
  const auto mib = [](Bytes bytes) { return static_cast<double>(bytes.count()) / (1 << 20); };
  std::printf(
      json ? "{\"bench\":\"worker\",\"game\":\"%s\",\"slots\":%d,\"simulations_per_move\":%d,"
             "\"start_ms\":%.1f,\"idle_anonymous_mib\":%.1f,\"anonymous_mib\":%.1f,"
             "\"moves\":%llu,\"simulations_per_s\":%.0f}\n"
           : "%-14s %4d slots x %4d simulations   start %5.1f ms   anonymous %5.1f MiB idle, "
             "%6.1f MiB at most   (%llu moves, %.0f simulations/s)\n",
      ground.game.entry.c_str(), settings.slots, settings.simulations, start_ms,
      mib(idle.anonymous), mib(memory.anonymous),
      static_cast<unsigned long long>(memory.stats.moves), simulations_per_s);
  std::fflush(stdout);
  return {};
}

}  // namespace

Result<void> RunWorkerBench(BenchArgs& args) {
  const bool json = args.TakeFlag("--json");
  const std::string games = args.TakeText("--games").value_or("hex5,connect_four");
  Settings settings;
  AZ_ASSIGN_OR_RETURN(settings.slots, args.TakeCount("--slots", settings.slots));
  AZ_ASSIGN_OR_RETURN(settings.simulations, args.TakeCount("--simulations", settings.simulations));
  AZ_ASSIGN_OR_RETURN(settings.seconds, args.TakeCount("--seconds", settings.seconds));
  AZ_RETURN_IF_ERROR(args.Finish());
  for (const std::string_view game : Split(games, ',')) {
    AZ_RETURN_IF_ERROR(BenchGame(game, settings, json));
  }
  return {};
}

}  // namespace az
