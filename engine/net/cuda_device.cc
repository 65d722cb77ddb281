#include "engine/net/cuda_device.h"

#include <ATen/Context.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <sys/utsname.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/strings.h"
#include "engine/net/checkpoint.h"
#include "engine/net/cuda_device_memory.h"
#include "engine/net/cuda_runner.h"
#include "engine/net/expandable_segments.h"
#include "engine/net/folded_net.h"
#include "engine/net/torch_guard.h"
#include "games/game.h"

namespace az {
namespace {

constexpr int kTrialRows = 8;
constexpr std::int64_t kTrialBytes = 1 << 21;  // of the allocator's pool of large blocks
constexpr int kFirstFastBf16Major = 8;         // compute capability of Ampere

class CudaDevice final : public InferenceDevice {
 public:
  CudaDevice(c10::Device device, std::string name, Precision precision,
             const InferenceDeviceOptions& options)
      : device_(device),
        name_(std::move(name)),
        precision_(precision),
        options_(options),
        memory_(MakeCudaDeviceMemory(device.index(), captures_)),
        load_stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index())),
        models_(c10::cuda::getStreamFromPool(/*isHighPriority=*/true, device.index()), *memory_,
                captures_) {}

  Result<void> Load(ModelId slot, const std::filesystem::path& weights_file,
                    WeightsVersion version) override {
    AZ_ASSIGN_OR_RETURN(
        const Weights weights,
        LoadWeightsFor(weights_file, options_.shape, options_.game, options_.other_networks));
    if (slot.value() >= CudaModels::kSlots) {
      return Error{Errc::kInvalid, StrCat("model slot ", slot.value(), " does not exist")};
    }
    return GuardTorch(
        StrCat("publish ", weights_file.string()), [&] { return Publish(slot, weights, version); },
        [this] { return RoomIn(memory_->Snapshot()); });
  }

  void Unload(ModelId slot) override {
    if (slot.value() >= CudaModels::kSlots) return;
    const MutexLock lock(models_.mutex);
    cudaStreamSynchronize(models_.stream.stream());  // no graph goes while it runs
    models_.slots[slot.value()] = {};
  }

  Result<std::unique_ptr<BatchRunner>> MakeRunner(int max_rows) override {
    AZ_ASSIGN_OR_RETURN(std::unique_ptr<CudaRunner> runner,
                        CudaRunner::Create(models_, options_, max_rows));
    return std::unique_ptr<BatchRunner>(std::move(runner));
  }
  bool is_asynchronous() const override { return true; }

  std::string Describe() const override {
    return StrCat("cuda:", static_cast<int>(device_.index()), " (", name_, ", ",
                  EnumName(precision_), options_.cuda_graphs ? ", graphs)" : ")");
  }

  DeviceMemory& memory() override { return *memory_; }

 private:
  Result<void> Publish(ModelId slot, const Weights& weights, WeightsVersion version) {
    const c10::InferenceMode inference;
    const c10::cuda::CUDAStreamGuard guard(load_stream_);
    const auto type = precision_ == Precision::kBf16 ? at::kBFloat16 : at::kFloat;
    auto fresh = std::make_shared<AtenNet>(Fold(weights), type, device_);
    AZ_RETURN_IF_ERROR(TryOut(*fresh));  // ends in a synchronisation: `fresh` is complete
    const MutexLock lock(models_.mutex);
    CudaModels::Slot& target = models_.slots[slot.value()];
    if (target.net != nullptr && !(target.net->shape() == fresh->shape())) {
      cudaStreamSynchronize(models_.stream.stream());  // as in Unload
      target = {};
    }
    if (target.net == nullptr) {
      target.net = std::move(fresh);
    } else {
      const c10::cuda::CUDAStreamGuard inference_guard(models_.stream);
      target.net->Assign(*fresh);
      // `fresh` is freed by its own stream's pool; it must live until the copies are done.
      C10_CUDA_CHECK(cudaStreamSynchronize(models_.stream.stream()));
    }
    target.version = version;
    return {};
  }

  Result<void> TryOut(const AtenNet& net) const {
    const PlaneShape planes{options_.shape.planes, options_.shape.rows, options_.shape.cols};
    const at::Tensor bits =
        at::zeros({kTrialRows, planes.words()}, at::TensorOptions(at::kLong).device(device_));
    const AtenNet::Output out = net.Forward(bits);
    if (!at::isfinite(out.logits).all().item<bool>() ||
        !at::isfinite(out.values).all().item<bool>()) {
      return Error{Errc::kNotFinite, "the weights answer NaN or infinity to a trial batch"};
    }
    return {};
  }

  c10::Device device_;
  std::string name_;
  Precision precision_;
  InferenceDeviceOptions options_;
  Mutex captures_;  // see MakeCudaDeviceMemory
  const std::unique_ptr<DeviceMemory> memory_;
  // One for all loads: LibTorch keeps a cuBLAS workspace of each stream it has seen for good.
  const c10::cuda::CUDAStream load_stream_;
  CudaModels models_;
};

std::string CudaText(int version) {  // 13000 is 13.0
  return version > 0 ? StrCat("CUDA ", version / 1000, ".", version % 1000 / 10) : "none";
}

// Fails with what the runtime says and with both versions: most often the driver is too old.
Result<int> CountDevices() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess) return count;
  cudaGetLastError();  // clears it
  int driver = 0;
  int runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  return Error{Errc::kUnavailable,
               StrCat("count the GPUs: ", cudaGetErrorString(code), " (the driver supports ",
                      CudaText(driver), ", this build needs ", CudaText(runtime),
                      "; install a newer driver, or use device: cpu)")};
}

// Before anything else is allocated: it holds for segments made from now on.
Result<void> ChooseSegments(c10::Device device, const InferenceDeviceOptions& options) {
  utsname system{};
  uname(&system);
  const auto set = [](bool expandable) {
    c10::CachingAllocator::setAllocatorSettings(expandable ? "expandable_segments:True"
                                                           : "expandable_segments:False");
  };
  const auto allocate = [device] {
    return GuardTorch("allocate on the GPU", [device]() -> Result<void> {
      at::zeros({kTrialBytes}, at::TensorOptions(at::kByte).device(device));
      C10_CUDA_CHECK(cudaDeviceSynchronize());
      return {};
    });
  };
  return SettleSegments(WantsExpandableSegments(options.expandable_segments, system.release),
                        {.set = set, .allocate = allocate, .on_plain = options.on_plain_segments});
}

}  // namespace

int CudaDeviceCount() {
  const Result<int> count = CountDevices();
  return count ? *count : 0;
}

Result<std::unique_ptr<InferenceDevice>> OpenCudaDevice(int index,
                                                        const InferenceDeviceOptions& options) {
  const Result<int> count = CountDevices();
  if (!count) return WithContext(StrCat("open device cuda:", index), count.error());
  if (index >= *count) {
    return Error{Errc::kUnavailable,
                 StrCat("open device cuda:", index, ": CUDA shows ", *count,
                        " GPUs (check nvidia-smi and CUDA_VISIBLE_DEVICES, or use device: cpu)")};
  }
  using Opened = Result<std::unique_ptr<InferenceDevice>>;
  return GuardTorch(StrCat("open device cuda:", index), [&]() -> Opened {
    cudaDeviceProp properties{};
    C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    const Precision fast =
        properties.major >= kFirstFastBf16Major ? Precision::kBf16 : Precision::kFp32;
    const Precision precision = options.precision.value_or(fast);
    if (precision == Precision::kFp32) {  // asked for digits: no TF32; so does the learner
      at::globalContext().setAllowTF32CuDNN(false);
      at::globalContext().setAllowTF32CuBLAS(false);
    }
    // Its attention is compiled at run time, by a library that need not be there.
    at::globalContext().setSDPUseCuDNN(false);
    const c10::Device device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index));
    auto opened = std::make_unique<CudaDevice>(device, properties.name, precision, options);
    AZ_RETURN_IF_ERROR(ChooseSegments(device, options));
    return std::unique_ptr<InferenceDevice>(std::move(opened));
  });
}

}  // namespace az
