#include "engine/apps/training_job.h"

#include <malloc.h>

#include <cstdint>
#include <string>
#include <utility>

#include "engine/apps/lost_device.h"
#include "engine/apps/oom_reports.h"
#include "engine/net/torch_guard.h"

namespace az {
namespace {

void Answer(Result<TrainedMessage> trained, std::uint32_t attempt, Outbox& outbox) {
  if (trained) {
    trained->attempt = attempt;
    outbox.Put(std::move(trained).value());
  } else if (trained.error().code != Errc::kStopped) {
    outbox.Put(ErrorMessage{.code = std::string(ErrcName(trained.error().code)),
                            .message = trained.error().message,
                            .fatal = false,
                            .attempt = attempt});
  }
}

}  // namespace

TrainingJob::TrainingJob(const Parts& parts, TrainMessage message) : parts_(parts) {
  const std::uint32_t attempt = message.attempt;
  Result<void> begun = parts_.thread.Run([this, message = std::move(message)] { Train(message); });
  if (begun) return;
  Answer(std::move(begun).error(), attempt, parts_.outbox);
  done_.store(true, std::memory_order_release);
}

TrainingJob::~TrainingJob() {
  stop_.request_stop();
  parts_.thread.Wait();
}

void TrainingJob::Train(TrainMessage message) {
  const auto tell = [&](TrainProgressMessage progress) {
    progress.attempt = message.attempt;
    parts_.outbox.Put(progress);
  };
  const auto train = [&] {
    return GuardTorch("train",
                      [&] { return parts_.trainer.Train(message, tell, stop_.get_token()); });
  };
  Result<TrainedMessage> trained = train();
  if (!trained && trained.error().code == Errc::kNoMemory && !stop_.stop_requested()) {
    parts_.outbox.Put(ReportOfPhase("train", trained.error(), parts_.memory.LastRefusal()));
    parts_.memory.EmptyCache();
    malloc_trim(0);
    if (const std::optional<StepSizes>& sizes = parts_.trainer.lowered()) {
      message.micro_batch = sizes->micro_batch;
      message.checkpoint_blocks = sizes->checkpoint_stages;
    }
    trained = train();  // what it writes depends on the message alone
  }
  if (!trained && trained.error().code == Errc::kUnavailable && IsLost(parts_.memory)) {
    lost_device_ = std::move(trained).error();
  } else {
    Answer(std::move(trained), message.attempt, parts_.outbox);
  }
  done_.store(true, std::memory_order_release);
}

}  // namespace az
