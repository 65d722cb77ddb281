#pragma once
// ServerEngine: the threads between a sealed batch and its runner. Two kinds: RunnerPool for
// runners that compute on the CPU, DevicePipeline for slots of an asynchronous device.

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/result.h"

namespace az {

class ServerEngine {
 public:
  virtual ~ServerEngine() = default;  // as Stop
  // Takes over what an older server left and starts the threads. Once. kUnavailable: the system
  // gives no thread; those that were started have ended.
  virtual Result<void> Begin() = 0;
  // Seals nothing more, finishes what is in flight, joins the threads. Idempotent.
  virtual void Stop() = 0;
  // How long the batch that is most overdue has been running beyond its limit; nullopt while all is
  // well. Thread-safe.
  virtual std::optional<Duration> Overdue() const = 0;
};

// A named thread that runs `body`. `name`: at most 15 characters.
Result<std::thread> StartThread(const std::string& name, std::function<void()> body);

}  // namespace az
