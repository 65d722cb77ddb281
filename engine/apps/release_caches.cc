#include "engine/apps/release_caches.h"

#include <malloc.h>
#include <unistd.h>

#include <utility>

#include "engine/apps/lost_device.h"
#include "engine/apps/memory_layers.h"
#include "engine/net/torch_guard.h"
#include "engine/process/proc_memory.h"

namespace az {
namespace {

Bytes ResidentMemory() {
  const Result<ProcMemory> memory = ReadProcMemory(getpid());
  return memory ? memory->anonymous : Bytes(0);
}

}  // namespace

Result<std::vector<ControlMessage>> AnswerRelease(const ReleaseMessage& message,
                                                  DeviceMemory& memory, Outbox& outbox) {
  const bool is_full = message.level == CleanupLevel::kFull;
  if (is_full) {  // in the middle of a phase nobody waits for what still runs
    Result<void> finished = GuardTorch("finish the device's work", [&]() -> Result<void> {
      memory.Synchronize();
      return {};
    });
    if (!finished && IsLost(memory)) return std::move(finished).error();
  }
  std::vector<ControlMessage> messages = outbox.Take();
  ReleasedMessage answer{.phase = message.phase, .before = LayersOf(memory.Snapshot())};
  const Bytes before = ResidentMemory();
  answer.freed_device_bytes = memory.EmptyCache().count();
  if (is_full) malloc_trim(0);
  memory.ResetPeaks();
  answer.freed_bytes = (before - ResidentMemory()).count();
  answer.after = LayersOf(memory.Snapshot());
  messages.emplace_back(answer);
  return messages;
}

}  // namespace az
