#include "engine/train/step_transaction.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>

#include <utility>

#include "engine/net/torch_guard.h"

namespace az {
namespace {

constexpr int kDrainTries = 3;

std::optional<Bytes> Allocated(const DeviceMemory* memory) {
  return memory != nullptr ? memory->Allocated() : std::nullopt;
}

}  // namespace

void DrainAutogradQueue(at::Device device) {
  const at::AutoGradMode with_gradients(true);
  const at::Tensor one =
      at::ones({1}, at::TensorOptions(at::kFloat).device(device)).requires_grad_(true);
  one.mul(2).sum().backward();
}

StepTransaction::StepTransaction(ShardTeam& team,
                                 const std::vector<std::unique_ptr<Replica>>& replicas,
                                 at::Device device, DeviceMemory* memory)
    : team_(team), replicas_(replicas), device_(device), memory_(memory) {}

template <class Work>
Result<void> StepTransaction::OnShards(Work work) {
  std::vector<Result<void>> done(replicas_.size());
  team_.Run([&](int shard) {
    const auto index = static_cast<std::size_t>(shard);
    done[index] = GuardTorch("undo a training step", [&]() -> Result<void> {
      work(*replicas_[index]);
      return {};
    });
  });
  for (Result<void>& result : done) AZ_RETURN_IF_ERROR(std::move(result));
  return {};
}

Result<void> StepTransaction::Begin() {
  baseline_ = Allocated(memory_);
  rng_states_.clear();
  Result<void> begun = GuardTorch("begin a training step", [&]() -> Result<void> {
    for (const auto& replica : replicas_) replica->SaveBuffers();
    const auto keep = [this](at::Generator generator) {
      rng_states_.push_back({generator, generator.get_state()});
    };
    keep(at::globalContext().defaultGenerator(at::kCPU));
    if (!device_.is_cpu()) keep(at::globalContext().defaultGenerator(device_));
    return {};
  });
  if (!begun) rng_states_.clear();
  return begun;
}

// Fails when the device is lost.
Result<void> StepTransaction::ReleaseCaches() {
  if (memory_ == nullptr) return {};
  return GuardTorch("release cached memory", [this]() -> Result<void> {
    memory_->Synchronize();
    memory_->EmptyCache();
    return {};
  });
}

Result<StepTransaction::Undone> StepTransaction::Rollback() {
  Undone undone;
  if (memory_ != nullptr) undone.refusal = memory_->LastRefusal();
  AZ_RETURN_IF_ERROR(OnShards([](Replica& replica) {
    replica.RestoreBuffers();
    replica.ClearGradient();
  }));
  AZ_RETURN_IF_ERROR(GuardTorch("restore the random generators", [&]() -> Result<void> {
    for (RngState& saved : rng_states_) saved.generator.set_state(saved.state);
    return {};
  }));
  rng_states_.clear();

  Result<void> drained;
  for (int i = 0; i < kDrainTries; ++i) {
    drained = OnShards([this](Replica&) { DrainAutogradQueue(device_); });
    AZ_RETURN_IF_ERROR(ReleaseCaches());
    if (drained) break;
  }
  AZ_RETURN_IF_ERROR(std::move(drained));
  const std::optional<Bytes> now = Allocated(memory_);
  if (now && baseline_) undone.left = *now - *baseline_;
  return undone;
}

}  // namespace az
