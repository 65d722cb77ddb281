#include "engine/net/cuda_runner.h"

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "engine/net/torch_guard.h"

namespace az {
namespace {

Error CudaError(std::string_view what, cudaError_t code) {
  return Error{code == cudaErrorMemoryAllocation ? Errc::kNoMemory : Errc::kUnavailable,
               StrCat(what, ": ", cudaGetErrorString(code))};
}

// Takes the stream out of a capture that failed, which fails again where it was invalidated.
void EndCapture(at::cuda::CUDAGraph& graph) {
  static_cast<void>(GuardTorch("end a capture", [&]() -> Result<void> {
    graph.capture_end();
    return {};
  }));
}

// Of a capture that failed. Where the driver refuses to end it, LibTorch leaves in its allocators,
// that of the device and that of pinned memory, what directs this stream's allocations to the pool;
// that refers to the graph, and no other capture could open the pool again. Else the pool is left
// already, which each allocator says by throwing, and the graph gives it back.
void LeavePool(c10::DeviceIndex device, at::cuda::MempoolId_t pool) {
  static_cast<void>(GuardTorch("leave a graph's pool", [&]() -> Result<void> {
    c10::cuda::CUDACachingAllocator::endAllocateToPool(device, pool);
    c10::cuda::CUDACachingAllocator::releasePool(device, pool);
    return {};
  }));
  static_cast<void>(GuardTorch("leave a graph's pool of pinned memory", [&]() -> Result<void> {
    at::HostAllocator* const pinned = at::getHostAllocator(at::kCUDA);
    pinned->end_allocate_to_pool(pool);
    pinned->release_pool(pool);
    return {};
  }));
}

}  // namespace

Result<PinnedMemory> PinnedMemory::Allocate(std::size_t bytes) {
  PinnedMemory memory;
  const cudaError_t code = cudaHostAlloc(&memory.data_, bytes, cudaHostAllocDefault);
  if (code != cudaSuccess) return CudaError(StrCat("pin ", bytes, " bytes"), code);
  return memory;
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr) cudaFreeHost(data_);
}

CudaRunner::CudaRunner(CudaModels& models, const InferenceDeviceOptions& options, int max_rows)
    : models_(models),
      options_(options),
      max_rows_(max_rows),
      planes_{options.shape.planes, options.shape.rows, options.shape.cols} {}

Result<std::unique_ptr<CudaRunner>> CudaRunner::Create(CudaModels& models,
                                                       const InferenceDeviceOptions& options,
                                                       int max_rows) {
  // private constructor
  std::unique_ptr<CudaRunner> runner(new CudaRunner(models, options, max_rows));
  AZ_RETURN_IF_ERROR(GuardTorch("prepare a batch slot", [&] { return runner->Prepare(); }));
  return runner;
}

Result<void> CudaRunner::Prepare() {
  const c10::cuda::CUDAStreamGuard guard(models_.stream);
  const auto rows = static_cast<std::size_t>(max_rows_);
  const auto words = static_cast<std::size_t>(planes_.words());
  const auto actions = static_cast<std::size_t>(options_.shape.actions);
  AZ_ASSIGN_OR_RETURN(host_bits_, PinnedMemory::Allocate(rows * words * sizeof(std::uint64_t)));
  AZ_ASSIGN_OR_RETURN(host_logits_, PinnedMemory::Allocate(rows * actions * sizeof(float)));
  AZ_ASSIGN_OR_RETURN(host_values_, PinnedMemory::Allocate(rows * sizeof(float)));
  std::fill_n(host_bits_.as<std::uint64_t>(), rows * words, 0);
  device_bits_ = at::empty({max_rows_, planes_.words()},
                           at::TensorOptions(at::kLong).device(models_.stream.device()));
  // Blocking: a wait that spins takes a core from the workers.
  const cudaError_t code =
      cudaEventCreateWithFlags(&done_, cudaEventDisableTiming | cudaEventBlockingSync);
  if (code != cudaSuccess) return CudaError("create an event", code);
  return {};
}

CudaRunner::~CudaRunner() {
  const MutexLock lock(models_.mutex);
  cudaStreamSynchronize(models_.stream.stream());  // graphs and buffers may still be in use
  for (CudaModels::Slot& slot : models_.slots) slot.graphs.erase(this);
  if (done_ != nullptr) cudaEventDestroy(done_);
}

Result<WeightsVersion> CudaRunner::Launch(ModelId model, int bucket,
                                          std::span<const BlockView> blocks) {
  AZ_CHECK(flying_ == nullptr) << "launch before the last batch is finished";
  int rows = 0;
  for (const BlockView& block : blocks) rows += block.rows;
  if (rows <= 0 || rows > bucket || bucket > max_rows_) {
    return Error{Errc::kInvalid, StrCat("run ", rows, " rows in a bucket of ", bucket,
                                        " on a runner of at most ", max_rows_, " rows")};
  }
  std::uint64_t* out = host_bits_.as<std::uint64_t>();
  for (const BlockView& block : blocks) {
    out = std::copy_n(block.planes, static_cast<std::size_t>(block.rows * planes_.words()), out);
  }
  const MutexLock lock(models_.mutex);
  if (model.value() >= CudaModels::kSlots || models_.slots[model.value()].net == nullptr) {
    return Error{Errc::kNoModel, StrCat("model slot ", model.value(), " holds no weights")};
  }
  CudaModels::Slot& slot = models_.slots[model.value()];
  const auto launch = [&]() -> Result<void> {
    const c10::InferenceMode inference;
    const c10::cuda::CUDAStreamGuard guard(models_.stream);
    CudaModels::Graphs& graphs = slot.graphs[this];
    auto found = graphs.find(bucket);
    if (found == graphs.end()) {
      auto graph = options_.cuda_graphs ? Capture(*slot.net, bucket, graphs) : nullptr;
      found = graphs.emplace(bucket, std::move(graph)).first;
    }
    if (found->second != nullptr) {
      found->second->replay();
    } else {
      Enqueue(*slot.net, bucket);
    }
    C10_CUDA_CHECK(cudaEventRecord(done_, models_.stream.stream()));
    return {};
  };
  AZ_RETURN_IF_ERROR(
      GuardTorch("launch a batch", launch, [this] { return RoomIn(models_.memory.Snapshot()); }));
  flying_ = slot.net;
  blocks_.assign(blocks.begin(), blocks.end());
  return slot.version;
}

Result<void> CudaRunner::Finish() {
  AZ_CHECK(flying_ != nullptr) << "finish without launch";
  const cudaError_t code = cudaEventSynchronize(done_);
  flying_ = nullptr;
  if (code != cudaSuccess) return CudaError("wait for a batch", code);
  const auto actions = static_cast<std::size_t>(options_.shape.actions);
  const float* logits = host_logits_.as<float>();
  const float* values = host_values_.as<float>();
  for (const BlockView& block : blocks_) {
    const auto count = static_cast<std::size_t>(block.rows);
    std::copy_n(logits, count * actions, block.logits);
    std::copy_n(values, count, block.values);
    logits += count * actions;
    values += count;
  }
  return {};
}

// Copies by plain addresses, not tensors: LibTorch's bookkeeping of pinned tensors must stay out of
// captured graphs.
void CudaRunner::Enqueue(const AtenNet& net, int bucket) {
  const cudaStream_t stream = models_.stream.stream();
  const auto rows = static_cast<std::size_t>(bucket);
  const auto actions = static_cast<std::size_t>(options_.shape.actions);
  const std::size_t bits = rows * static_cast<std::size_t>(planes_.words()) * sizeof(std::uint64_t);
  C10_CUDA_CHECK(cudaMemcpyAsync(device_bits_.data_ptr(), host_bits_.as<void>(), bits,
                                 cudaMemcpyHostToDevice, stream));
  const AtenNet::Output out = net.Forward(device_bits_.narrow(0, 0, bucket));
  C10_CUDA_CHECK(cudaMemcpyAsync(host_logits_.as<void>(), out.logits.const_data_ptr(),
                                 rows * actions * sizeof(float), cudaMemcpyDeviceToHost, stream));
  C10_CUDA_CHECK(cudaMemcpyAsync(host_values_.as<void>(), out.values.const_data_ptr(),
                                 rows * sizeof(float), cudaMemcpyDeviceToHost, stream));
}

std::unique_ptr<at::cuda::CUDAGraph> CudaRunner::Capture(const AtenNet& net, int bucket,
                                                         const CudaModels::Graphs& graphs) {
  Enqueue(net, bucket);  // libraries make their plans and workspaces outside of the capture
  C10_CUDA_CHECK(cudaStreamSynchronize(models_.stream.stream()));
  auto graph = std::make_unique<at::cuda::CUDAGraph>();
  // One pool for all: they run one after another on one stream, and what a batch leaves in the pool
  // is not read after it.
  const auto shared =
      std::ranges::find_if(graphs, [](const auto& g) { return g.second != nullptr; });
  const at::cuda::MempoolId_t pool =
      shared == graphs.end() ? at::cuda::graph_pool_handle() : shared->second->pool();
  bool is_open = true;
  const MutexLock capturing(models_.captures);
  const auto capture = [&]() -> Result<void> {
    // Thread-local: the learner allocates in its own thread meanwhile.
    graph->capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    Enqueue(net, bucket);
    is_open = false;
    graph->capture_end();
    return {};
  };
  const Result<void> captured = GuardTorch(StrCat("capture a graph of ", bucket, " rows"), capture);
  if (captured) return graph;
  if (options_.on_failed_capture) options_.on_failed_capture(captured.error());
  if (is_open) EndCapture(*graph);
  LeavePool(models_.stream.device_index(), pool);
  cudaGetLastError();  // the failed capture's; it must not show up at the next call
  return nullptr;
}

}  // namespace az
