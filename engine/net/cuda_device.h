#pragma once
// The GPU behind InferenceDevice. Built with AZ_CUDA; without it the functions say that there is
// none.
//
// One inference stream. Weights stay at fixed addresses and are overwritten in place, in stream
// order, so that captured graphs stay valid when a slot gets new weights.

#include <memory>

#include "base/result.h"
#include "engine/net/inference_device.h"

namespace az {

int CudaDeviceCount();  // usable GPUs; 0 without a driver or without CUDA parts in this build

Result<std::unique_ptr<InferenceDevice>> OpenCudaDevice(int index,
                                                        const InferenceDeviceOptions& options);

}  // namespace az
