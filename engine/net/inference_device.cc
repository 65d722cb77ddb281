#include "engine/net/inference_device.h"

#include <charconv>
#include <utility>

#include "base/strings.h"
#include "engine/net/capped_cpu_allocator.h"
#include "engine/net/cpu_device_memory.h"
#include "engine/net/cpu_runner.h"
#include "engine/net/cuda_device.h"
#include "engine/net/model_store.h"
#include "engine/net/net_spec.h"

namespace az {
namespace {

class CpuDevice final : public InferenceDevice {
 public:
  explicit CpuDevice(const InferenceDeviceOptions& options)
      : precision_(CpuPrecision(options.precision)),
        store_({options.shape, options.game, {precision_}, options.other_networks}),
        memory_(MakeCpuDeviceMemory(InstalledCpuHeap())) {}

  Result<void> Load(ModelId slot, const std::filesystem::path& weights_file,
                    WeightsVersion version) override {
    return store_.Load(slot, weights_file, version);
  }
  void Unload(ModelId slot) override { store_.Unload(slot); }
  Result<std::unique_ptr<BatchRunner>> MakeRunner(int max_rows) override {
    return std::unique_ptr<BatchRunner>(std::make_unique<CpuRunner>(store_, max_rows));
  }
  bool is_asynchronous() const override { return false; }
  std::string Describe() const override { return StrCat("cpu (", EnumName(precision_), ")"); }
  DeviceMemory& memory() override { return *memory_; }

 private:
  Precision precision_;
  ModelStore store_;
  const std::unique_ptr<DeviceMemory> memory_;
};

constexpr std::string_view kCudaPrefix = "cuda:";

}  // namespace

Result<std::unique_ptr<InferenceDevice>> InferenceDevice::Open(
    std::string_view name, const InferenceDeviceOptions& options) {
  AZ_RETURN_IF_ERROR(ValidateNetShape(options.shape));
  if (name == "cpu") return std::unique_ptr<InferenceDevice>(std::make_unique<CpuDevice>(options));
  std::uint64_t index = 0;
  if (!name.starts_with(kCudaPrefix) || !ParseUint(name.substr(kCudaPrefix.size()), index) ||
      index > 127) {
    return Error{Errc::kInvalid, StrCat("open device '", name, "': there are cpu and cuda:N")};
  }
  return OpenCudaDevice(static_cast<int>(index), options);
}

}  // namespace az
