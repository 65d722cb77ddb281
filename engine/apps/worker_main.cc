// az_worker: plays games for the supervisor. Rules and tree search only: no LibTorch, no CUDA.

#include <unistd.h>

#include <span>

#include "base/exit_codes.h"
#include "base/log.h"
#include "engine/config/config_reader.h"
#include "engine/config/validate.h"
#include "engine/config/visits_schedule.h"
#include "engine/ipc/run_id.h"
#include "engine/ipc/segment.h"
#include "engine/ipc/shm_evaluator.h"
#include "engine/process/child_setup.h"
#include "engine/process/process_setup.h"
#include "engine/worker/worker.h"
#include "engine/worker/worker_inl.h"
#include "games/registry.h"

namespace az {
namespace {

constexpr auto kPlanLimit = std::chrono::seconds(30);

Result<WorkerPlanMessage> AwaitPlan(ControlChannel& channel) {
  AZ_ASSIGN_OR_RETURN(const ControlMessage message, channel.Await(Deadline::In(kPlanLimit)));
  if (const auto* plan = std::get_if<WorkerPlanMessage>(&message)) return *plan;
  return Error{Errc::kInvalid, "the supervisor's first message is no worker plan"};
}

struct WorkerParts {
  const RunConfig& config;
  const WorkerPlanMessage& plan;
  Segment& segment;
  JournalWriter& journal;
  ChildContext& context;
  const Log& log;
};

template <GameState S>
Result<void> Serve(const WorkerParts& parts) {
  const SteadyClock clock;
  const ChildArguments& arguments = parts.context.arguments();
  ShmEvaluator evaluator(parts.segment, static_cast<std::uint32_t>(arguments.segment_lane),
                         arguments.epoch);
  ChildControl control(parts.context, parts.segment);
  Worker<S> worker({.search = parts.config.search,
                    .run_seed = parts.config.run.seed,
                    .visits = VisitsScheduleOf(parts.config),
                    .slots = parts.plan.slots,
                    .cache = Bytes(parts.plan.cache_bytes),
                    .evaluator = evaluator,
                    .control = control,
                    .journal = parts.journal,
                    .clock = clock,
                    .log = parts.log});
  AZ_RETURN_IF_ERROR(control.Send(ReadyMessage{}));
  return worker.Run();
}

Result<void> RunWorker(ChildContext& context, const Log& log) {
  const ChildArguments& arguments = context.arguments();
  AZ_ASSIGN_OR_RETURN(const LoadedConfig loaded,
                      LoadConfig((arguments.run_dir / "config.yaml").string()));
  AZ_ASSIGN_OR_RETURN(const GameOps* ops, GameOf(loaded.config.game));
  const GameInfo& game = ops->info();
  AZ_ASSIGN_OR_RETURN(const RunId run_id, ParseRunId(arguments.run_id));
  const auto segment_lane = static_cast<std::uint32_t>(arguments.segment_lane);
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<Segment> segment,
                      Segment::Open(context.TakeSegmentFd(),
                                    {.run_id = run_id,
                                     .game_hash = game.Hash(),
                                     .in_words = static_cast<std::uint32_t>(game.shape.words()),
                                     .num_actions = static_cast<std::uint32_t>(game.num_actions),
                                     .lane = segment_lane}));
  segment->Register(segment->worker(segment_lane), arguments.epoch, ProcessState::kRunning);
  AZ_ASSIGN_OR_RETURN(const WorkerPlanMessage plan, AwaitPlan(context.channel()));
  AZ_ASSIGN_OR_RETURN(JournalWriter journal,
                      JournalWriter::Open(plan.journal_path,
                                          {.run_id = run_id.bytes,
                                           .game_hash = game.Hash(),
                                           .entry = game.entry,
                                           .lane = static_cast<std::uint32_t>(arguments.lane)},
                                          plan.journal_valid_bytes));
  const WorkerParts parts{loaded.config, plan, *segment, journal, context, log};
  return WithGame(game.entry, [&]<GameState S>() { return Serve<S>(parts); });
}

}  // namespace
}  // namespace az

int main(int argc, char** argv) {
  az::ExitWhenOutOfMemory("az_worker");
  az::Result<az::ChildContext> context = az::ChildContext::SetUp(
      az::ChildRole::kWorker, std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
  if (!context) {
    az::Log(STDERR_FILENO, "worker").Error(context.error().message);
    return static_cast<int>(az::ExitCodeFor(context.error().code));
  }
  const az::Log log(STDERR_FILENO, context->name());
  const az::Result<void> run = az::RunWorker(*context, log);
  if (run) return 0;
  log.Error(run.error().message);
  return context->Fail(run.error());
}
