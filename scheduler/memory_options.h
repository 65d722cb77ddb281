#pragma once
// Options of the memory scheduler.

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/describe.h"

namespace az {

enum class OnOvercommit : std::uint8_t { kDegrade, kRefuse };
template <>
struct EnumNames<OnOvercommit> {
  static constexpr std::array<std::pair<OnOvercommit, std::string_view>, 2> value = {
      {{OnOvercommit::kDegrade, "degrade"}, {OnOvercommit::kRefuse, "refuse"}}};
};

enum class ProbeMode : std::uint8_t { kAuto, kAlways, kNever };
template <>
struct EnumNames<ProbeMode> {
  static constexpr std::array<std::pair<ProbeMode, std::string_view>, 3> value = {
      {{ProbeMode::kAuto, "auto"}, {ProbeMode::kAlways, "always"}, {ProbeMode::kNever, "never"}}};
};

enum class ModelSharing : std::uint8_t { kShared, kPerWorker };
template <>
struct EnumNames<ModelSharing> {
  static constexpr std::array<std::pair<ModelSharing, std::string_view>, 2> value = {
      {{ModelSharing::kShared, "shared"}, {ModelSharing::kPerWorker, "per_worker"}}};
};

// A budget as a person writes it: bytes, or a share of what the machine has.
struct MemorySize {
  Bytes bytes;             // when share_permille is 0
  int share_permille = 0;  // [1, 1000]; whole, so that text and value agree exactly

  static constexpr MemorySize Share(int permille) { return {Bytes(), permille}; }
  constexpr Bytes Of(Bytes available) const {
    if (share_permille == 0) return bytes;
    const Bytes rest(available.count() % 1000);  // separate, so that nothing overflows
    return available / 1000 * share_permille + rest * share_permille / 1000;
  }
  friend constexpr bool operator==(const MemorySize&, const MemorySize&) = default;
};

struct MemoryOptions {
  Auto<MemorySize> vram_budget;
  Auto<MemorySize> ram_budget;
  OnOvercommit on_overcommit = OnOvercommit::kDegrade;
  Auto<Bytes> guard;  // auto: RamGuard and VramGuard of planner.h
  ModelSharing model_sharing = ModelSharing::kShared;
  ProbeMode probe = ProbeMode::kAuto;
  int climb_after = 3;
  float gpu_threshold = 0.85f;
  float cpu_threshold = 0.80f;
  bool enable_monitoring = true;
  float sample_hz = 2.0f;
  int history = 7200;
  int auto_cleanup_interval = 30;  // seconds
  int force_cleanup_every = 0;     // batches
  Bytes leak_slope = KiB(512);     // per iteration
  Auto<bool> expandable_segments;
};
template <class V>
void Describe(V& v, MemoryOptions& o) {
  v.Field("vram_budget", o.vram_budget,
          "device memory the run may use, as 4GiB or 85%; auto = what is free");
  v.Field("ram_budget", o.ram_budget,
          "host memory the run may use, as 8GiB or 50%; auto = 85% of what is available");
  v.Field("on_overcommit", o.on_overcommit,
          "degrade or refuse when numbers written in the config do not fit");
  v.Field("guard", o.guard, Range{Bytes(), GiB(64)},
          "memory kept free of each budget; auto = 2 %, at least 16MiB (host), 128MiB (GPU)");
  v.Field("model_sharing", o.model_sharing,
          "shared: one inference server for all workers; per_worker: a device process each, the "
          "usual design, to compare with");
  v.Field("probe", o.probe,
          "measure what batches need before the first phase: auto = on a GPU of which nothing is "
          "kept; never = formulas alone");
  v.Field("climb_after", o.climb_after, Range{0, 1000},
          "clean iterations before one step given up after a failure is tried again; 0 = never");
  v.Field("gpu_threshold", o.gpu_threshold, Range{0.5f, 0.99f},
          "share of the device budget above which memory is cleaned up");
  v.Field("cpu_threshold", o.cpu_threshold, Range{0.5f, 0.99f},
          "share of the host budget above which memory is cleaned up");
  v.Field("enable_monitoring", o.enable_monitoring,
          "sample memory during phases; samples at phase boundaries are always taken");
  v.Field("sample_hz", o.sample_hz, Range{0.1f, 10.0f}, "samples a second");
  v.Field("history", o.history, Range{1, 1'000'000}, "samples kept");
  v.Field("auto_cleanup_interval", o.auto_cleanup_interval, Range{0, 3600},
          "seconds between clean-ups above a threshold, at least; 0 = never clean up");
  v.Field("force_cleanup_every", o.force_cleanup_every, Range{0, 1'000'000'000},
          "inference batches after which caches are emptied whatever the level; slow; 0 = never");
  v.Field("leak_slope", o.leak_slope, Range{Bytes(1), GiB(64)},
          "growth an iteration from which a series of samples is called a leak");
  v.Field("expandable_segments", o.expandable_segments,
          "let the GPU allocator grow its segments; auto = on for a GPU, but for WSL");
}

}  // namespace az
