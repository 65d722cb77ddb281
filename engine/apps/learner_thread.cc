#include "engine/apps/learner_thread.h"

#include <utility>

#include "engine/server/engine.h"

namespace az {

LearnerThread::~LearnerThread() {
  Wait();
  if (!thread_.joinable()) return;
  begin_.release();  // without work
  thread_.join();
}

Result<void> LearnerThread::Run(std::function<void()> work) {
  Wait();
  if (!thread_.joinable()) {
    AZ_ASSIGN_OR_RETURN(thread_, StartThread("az_learner", [this] { Loop(); }));
  }
  work_ = std::move(work);
  is_running_ = true;
  begin_.release();
  return {};
}

void LearnerThread::Wait() {
  if (!is_running_) return;
  end_.acquire();
  is_running_ = false;
  work_ = nullptr;
}

void LearnerThread::Loop() {
  while (true) {
    begin_.acquire();
    if (!work_) return;
    work_();
    end_.release();
  }
}

}  // namespace az
