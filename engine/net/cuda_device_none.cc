// cuda_device.h in a build without AZ_CUDA.

#include "base/strings.h"
#include "engine/net/cuda_device.h"

namespace az {

int CudaDeviceCount() { return 0; }

Result<std::unique_ptr<InferenceDevice>> OpenCudaDevice(int index,
                                                        const InferenceDeviceOptions& options) {
  (void)options;
  return Error{Errc::kUnavailable, StrCat("open device cuda:", index,
                                          ": this build has no CUDA parts (configure with "
                                          "-DAZ_CUDA=ON)")};
}

}  // namespace az
