// The training of a run: sent to each device process until one has done it.

#include <signal.h>

#include <optional>
#include <utility>

#include "base/strings.h"
#include "engine/fleet/process_fleet.h"

namespace az {

Result<TrainedMessage> ProcessFleet::Train(
    const TrainMessage& message,
    const std::function<void(const TrainProgressMessage&)>& on_progress) {
  training_.emplace(RunningTraining{message, &on_progress, {}, std::nullopt});
  training_->message.attempt = ++trainings_;
  if (ready_.contains(kDeviceLane)) TellTraining(training_->message);
  const Result<void> waited = PumpUntil([this] { return training_->done.has_value(); });
  std::optional<Result<TrainedMessage>> done = std::move(training_->done);
  training_.reset();
  AZ_RETURN_IF_ERROR(Ended(waited));
  // Whoever plans again must know whether the successor of a dead process lacks room for weights.
  const bool lacks_memory = !*done && done->error().code == Errc::kNoMemory;
  if (lacks_memory && !ready_.contains(kDeviceLane)) {
    AZ_RETURN_IF_ERROR(AwaitLoads({kDeviceLane}));
  }
  return *std::move(done);
}

void ProcessFleet::TellTraining(const TrainMessage& message) {
  Tell(kDeviceLane, message);
  training_->deaths.Sent();
}

void ProcessFleet::OnProgress(const TrainProgressMessage& progress) {
  if (!Trains(progress.attempt)) return;
  training_->deaths.Reached(progress.step);
  (*training_->on_progress)(progress);
}

void ProcessFleet::OnTrainerDied(const ChildDied& died) {
  if (!training_ || training_->done || !died.restarts || !training_->deaths.Died()) return;
  const bool by_others = died.exit == ChildExit{ChildExit::How::kSignal, SIGKILL} && !died.killed;
  std::string why;
  if (by_others) {
    why = ", not by this run: the kernel does so when RAM runs out";
    lacked_room_ = NoRoomFor::kProcess;
  } else if (!died.fatal.message.empty()) {
    why = StrCat(": ", died.fatal.message);
  } else if (died.killed) {
    why = ", by this run: it hung";
  }
  training_->done =
      Error{by_others ? Errc::kNoMemory : Errc::kPeerGone,
            StrCat("train iteration ", training_->message.iteration, ": the device process died ",
                   training_->deaths.in_a_row(), " times in it and got no further than step ",
                   training_->deaths.furthest(), "; the last time it ", DescribeExit(died.exit),
                   why, " (the log says more)")};
}

}  // namespace az
