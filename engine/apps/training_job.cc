#include "engine/apps/training_job.h"

#include <pthread.h>

#include <string>
#include <utility>

namespace az {
namespace {

void Answer(Result<TrainedMessage> trained, Outbox& outbox) {
  if (trained) {
    outbox.Put(std::move(trained).value());
  } else if (trained.error().code != Errc::kStopped) {
    outbox.Put(ErrorMessage{.code = std::string(ErrcName(trained.error().code)),
                            .message = trained.error().message,
                            .fatal = false});
  }
}

}  // namespace

TrainingJob::TrainingJob(Trainer& trainer, TrainMessage message, Outbox& outbox) {
  thread_ = std::jthread(
      [this, &trainer, &outbox, message = std::move(message)](const std::stop_token& stop) {
        pthread_setname_np(pthread_self(), "az_learner");
        const auto tell = [&](const TrainProgressMessage& progress) { outbox.Put(progress); };
        Answer(trainer.Train(message, tell, stop), outbox);
        done_.store(true, std::memory_order_release);
      });
}

TrainingJob::~TrainingJob() = default;  // jthread asks for the stop and joins

}  // namespace az
