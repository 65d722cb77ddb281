#include "engine/apps/device_setup.h"

#include <chrono>
#include <utility>

#include "engine/config/config_reader.h"
#include "engine/config/plan_request.h"
#include "engine/ipc/run_id.h"
#include "games/registry.h"

namespace az {
namespace {

constexpr auto kPlanLimit = std::chrono::seconds(30);

Result<DevicePlanMessage> AwaitPlan(ControlChannel& channel) {
  AZ_ASSIGN_OR_RETURN(ControlMessage message, channel.Await(Deadline::In(kPlanLimit)));
  if (auto* plan = std::get_if<DevicePlanMessage>(&message)) return std::move(*plan);
  return Error{Errc::kInvalid, "the supervisor's first message is no device plan"};
}

}  // namespace

Result<DeviceSetup> SetUpDevice(ChildContext& context) {
  const ChildArguments& arguments = context.arguments();
  DeviceSetup setup;
  AZ_ASSIGN_OR_RETURN(LoadedConfig loaded,
                      LoadConfig((arguments.run_dir / "config.yaml").string()));
  setup.config = std::move(loaded.config);
  AZ_ASSIGN_OR_RETURN(setup.game,
                      FindGame(setup.config.game.name, setup.config.game.board_size.value_or(0)));
  const GameInfo& game = setup.game->info();
  setup.shape = NetShapeFor(setup.config, game);
  AZ_ASSIGN_OR_RETURN(const RunId run_id, ParseRunId(arguments.run_id));
  setup.journals = {
      .run_id = run_id.bytes, .game_hash = game.Hash(), .entry = game.entry, .lane = kAnyLane};
  AZ_ASSIGN_OR_RETURN(setup.segment,
                      Segment::Open(context.TakeSegmentFd(),
                                    {.run_id = run_id,
                                     .game_hash = game.Hash(),
                                     .in_words = static_cast<std::uint32_t>(game.shape.words()),
                                     .num_actions = static_cast<std::uint32_t>(game.num_actions),
                                     .lane = std::nullopt}));
  setup.segment->Register(setup.segment->device(), arguments.epoch, ProcessState::kStarting);
  AZ_ASSIGN_OR_RETURN(setup.plan, AwaitPlan(context.channel()));
  setup.config.engine.device = setup.plan.device;
  return setup;
}

}  // namespace az
