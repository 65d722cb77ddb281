#pragma once
// WorkerControl: a worker's connection to its supervisor, as its loop sees it. ChildControl is the
// real one; tests use a script.

#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/ipc/evaluator.h"
#include "engine/ipc/segment.h"
#include "engine/process/child_setup.h"

namespace az {

// Confined to the worker's thread.
class WorkerControl {
 public:
  virtual ~WorkerControl() = default;
  // The messages that have come; never blocks. Writes a sign of life. kPeerGone: the supervisor is
  // dead.
  virtual Result<std::vector<ControlMessage>> Poll() = 0;
  // Asked to finish by a signal or the stop word.
  virtual bool StopAsked() = 0;
  // Queues and sends; what cannot be sent now goes with a later Poll.
  virtual Result<void> Send(const ControlMessage& message) = 0;
  // The version of the weights that a model slot holds now.
  virtual WeightsVersion Published(ModelId model) = 0;
  // Blocks until a message may have come, at most so long. For a worker without games.
  virtual void Idle(Duration most) = 0;
};

class ChildControl final : public WorkerControl {
 public:
  // Both outlive it.
  ChildControl(ChildContext& context, Segment& segment) : context_(context), segment_(segment) {}

  Result<std::vector<ControlMessage>> Poll() override;
  bool StopAsked() override;
  Result<void> Send(const ControlMessage& message) override;
  WeightsVersion Published(ModelId model) override;
  void Idle(Duration most) override;

 private:
  ChildContext& context_;
  Segment& segment_;
};

}  // namespace az
