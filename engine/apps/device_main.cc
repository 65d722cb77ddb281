// az_device: inference server and learner of a run. Started by az_train only.

#include <unistd.h>

#include <memory>
#include <span>

#include "base/exit_codes.h"
#include "base/log.h"
#include "engine/apps/device_app.h"
#include "engine/apps/device_setup.h"
#include "engine/net/capped_cpu_allocator.h"
#include "engine/net/cpu_runner.h"
#include "engine/process/child_setup.h"
#include "engine/process/process_setup.h"
#include "engine/train/heap.h"

namespace az {
namespace {

int RunDevice(ChildContext& context, Log& log) {
  TuneHeap();
  InstallCappedCpuAllocator();
  UseOneTorchThread();
  Result<DeviceSetup> setup = SetUpDevice(context);
  if (!setup) {
    log.Error(setup.error().message);
    const int code = context.Fail(setup.error());
    const bool wrong_segment = setup.error().code == Errc::kIncompatible;
    return wrong_segment ? static_cast<int>(ExitCode::kWrongSegment) : code;
  }
  Result<std::unique_ptr<DeviceApp>> app = DeviceApp::Start(context, *setup, log);
  if (!app) {
    log.Error(app.error().message);
    context.Fail(app.error());
    return static_cast<int>(ExitCodeOfStart(app.error()));
  }
  const Result<void> served = (*app)->Run();
  if (served) return 0;
  log.Error(served.error().message);
  const int code = context.Fail(served.error());
  return (*app)->lost_device() ? static_cast<int>(ExitCode::kTryAgain) : code;
}

}  // namespace
}  // namespace az

int main(int argc, char** argv) {
  az::ExitWhenOutOfMemory("az_device");
  az::Result<az::ChildContext> context = az::ChildContext::SetUp(
      az::ChildRole::kDevice, std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
  if (!context) {
    az::Log(STDERR_FILENO, "device").Error(context.error().message);
    return static_cast<int>(az::ExitCodeFor(context.error().code));
  }
  az::Log log(STDERR_FILENO, context->name());
  return az::RunDevice(*context, log);
}
