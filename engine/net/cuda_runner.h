#pragma once
// CudaRunner: BatchRunner of one batch slot of a GPU, and the model slots it reads. Private to the
// CUDA files of engine/net.

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "engine/ipc/batch_runner.h"
#include "engine/net/aten_net.h"
#include "engine/net/inference_device.h"
#include "games/game.h"
#include "scheduler/device_memory.h"

namespace az {

class CudaRunner;

// What runners and loader share. The mutex orders who enqueues on the stream.
struct CudaModels {
  static constexpr int kSlots = 4;
  // A captured {copy in, unpack, forward, copy out} for each bucket of a runner; null where the
  // capture failed, and that size runs eagerly.
  using Graphs = std::map<int, std::unique_ptr<at::cuda::CUDAGraph>>;
  struct Slot {
    std::shared_ptr<AtenNet> net;  // shared with the batches in flight
    WeightsVersion version = 0;
    std::map<const CudaRunner*, Graphs> graphs;  // they replay the addresses of `net`
  };
  CudaModels(c10::cuda::CUDAStream inference_stream, const DeviceMemory& device_memory,
             Mutex& capture_mutex)
      : stream(inference_stream), memory(device_memory), captures(capture_mutex) {}
  c10::cuda::CUDAStream stream;
  const DeviceMemory& memory;  // outlives it
  Mutex& captures;             // held while a graph is captured, after `mutex`; outlives it
  Mutex mutex;
  std::array<Slot, kSlots> slots AZ_GUARDED_BY(mutex);
};

// Page-locked host memory. Thread-compatible.
class PinnedMemory {
 public:
  static Result<PinnedMemory> Allocate(std::size_t bytes);
  PinnedMemory() = default;
  PinnedMemory(PinnedMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~PinnedMemory();
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

// Launch and Finish may come from two threads, never at once.
class CudaRunner final : public BatchRunner {
 public:
  // The models must outlive it. `max_rows`: of its largest bucket; its buffers are made for that.
  static Result<std::unique_ptr<CudaRunner>> Create(CudaModels& models,
                                                    const InferenceDeviceOptions& options,
                                                    int max_rows);
  ~CudaRunner() override;
  Result<WeightsVersion> Launch(ModelId model, int bucket,
                                std::span<const BlockView> blocks) override;
  Result<void> Finish() override;

 private:
  CudaRunner(CudaModels& models, const InferenceDeviceOptions& options, int max_rows);
  Result<void> Prepare();
  void Enqueue(const AtenNet& net, int bucket);
  // Into the memory pool of `graphs`, which all belong to this runner and network. Null when the
  // capture fails: that size then runs eagerly, and InferenceDeviceOptions::on_failed_capture is
  // told.
  std::unique_ptr<at::cuda::CUDAGraph> Capture(const AtenNet& net, int bucket,
                                               const CudaModels::Graphs& graphs);

  CudaModels& models_;
  InferenceDeviceOptions options_;
  const int max_rows_;
  PlaneShape planes_;
  PinnedMemory host_bits_;
  PinnedMemory host_logits_;
  PinnedMemory host_values_;
  at::Tensor device_bits_;  // int64 [max_rows, words]
  cudaEvent_t done_ = nullptr;
  std::shared_ptr<AtenNet> flying_;  // from Launch to Finish
  std::vector<BlockView> blocks_;
};

}  // namespace az
