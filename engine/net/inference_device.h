#pragma once
// InferenceDevice: what the device process runs networks on, a CPU or one GPU, behind one door:
// model slots that are loaded while others run, and runners for the inference server.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/config/options.h"
#include "engine/ipc/batch_runner.h"
#include "engine/ipc/evaluator.h"
#include "scheduler/device_memory.h"
#include "scheduler/net_shape.h"

namespace az {

struct InferenceDeviceOptions {
  NetShape shape;               // of the run; weights of another shape are refused,
  bool other_networks = false;  // or else only those of other planes or actions
  std::string game;             // registry entry; weights of another game are refused
  Auto<Precision> precision;    // auto: bf16 where the device is fast at it
  bool cuda_graphs = true;      // GPU: replay captured graphs
  // GPU: segments of the allocator grow instead of being made anew; of the whole process. auto: but
  // for WSL. Where the driver refuses, plain segments are taken and `on_plain_segments`, which may
  // be empty, is told why.
  Auto<bool> expandable_segments;
  std::function<void(const Error&)> on_plain_segments{};
  // GPU: a batch size whose graph could not be captured runs without one, which is slower and
  // right. Called for each such size, in a thread that runs batches; may be empty.
  std::function<void(const Error&)> on_failed_capture{};
};

// Thread-safe.
class InferenceDevice {
 public:
  // "cpu" or "cuda:0". kUnavailable: the GPU is not there, or this build has no CUDA parts.
  // kInvalid: another name (also auto: ChooseDevice decides what that is), or a shape nobody can
  // build.
  static Result<std::unique_ptr<InferenceDevice>> Open(std::string_view name,
                                                       const InferenceDeviceOptions& options);
  virtual ~InferenceDevice() = default;

  // Reads a weights file, checks it and puts it into the slot; batches launched after the return
  // use it. Blocks for that long, not for the runners. On an error the slot keeps what it had.
  // Errors as ModelStore::Load.
  virtual Result<void> Load(ModelId slot, const std::filesystem::path& weights_file,
                            WeightsVersion version) = 0;
  virtual void Unload(ModelId slot) = 0;

  // CPU: one for each thread that runs batches. GPU: one for each batch slot, two keep it busy.
  // Refuses buckets above `max_rows` (kInvalid): a GPU's has room for so many. Must not outlive
  // this.
  virtual Result<std::unique_ptr<BatchRunner>> MakeRunner(int max_rows) = 0;
  virtual bool is_asynchronous() const = 0;  // Launch returns before the work is done

  virtual std::string Describe()
      const = 0;  // "cpu (onednn bf16)", "cuda:0 (NVIDIA H100, bf16, graphs)"
  virtual DeviceMemory& memory() = 0;
};

}  // namespace az
