#include "engine/apps/training_job.h"

#include <malloc.h>
#include <pthread.h>

#include <cstdint>
#include <string>
#include <utility>

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

// An illegal address and its like break the context: every later call fails as well.
bool IsLost(DeviceMemory& memory) {
  const auto reach = [&]() -> Result<void> {
    memory.Synchronize();
    return {};
  };
  return !GuardTorch("reach the device", reach).has_value();
}

}  // namespace

TrainingJob::TrainingJob(Trainer& trainer, TrainMessage message, DeviceMemory& memory,
                         Outbox& outbox) {
  thread_ = std::jthread([this, &trainer, &memory, &outbox,
                          message = std::move(message)](const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "az_learner");
    const auto tell = [&](TrainProgressMessage progress) {
      progress.attempt = message.attempt;
      outbox.Put(progress);
    };
    const auto train = [&] {
      return GuardTorch("train", [&] { return trainer.Train(message, tell, stop); });
    };
    Result<TrainedMessage> trained = train();
    if (!trained && trained.error().code == Errc::kNoMemory && !stop.stop_requested()) {
      outbox.Put(ReportOfPhase("train", trained.error(), memory.LastRefusal()));
      memory.EmptyCache();
      malloc_trim(0);
      trained = train();  // what it writes depends on the message alone
    }
    if (!trained && trained.error().code == Errc::kUnavailable && IsLost(memory)) {
      lost_device_ = std::move(trained).error();
    } else {
      Answer(std::move(trained), message.attempt, outbox);
    }
    done_.store(true, std::memory_order_release);
  });
}

TrainingJob::~TrainingJob() = default;  // jthread asks for the stop and joins

}  // namespace az
