#pragma once
// Options of the memory scheduler.

#include <cstdint>
#include <string>

#include "base/describe.h"

namespace az {

enum class OnOvercommit : std::uint8_t { kDegrade, kRefuse };
template <>
struct EnumNames<OnOvercommit> {
  static constexpr std::array<std::pair<OnOvercommit, std::string_view>, 2> value = {
      {{OnOvercommit::kDegrade, "degrade"}, {OnOvercommit::kRefuse, "refuse"}}};
};

// A budget as a person writes it: bytes, or a share of what the machine has to give.
struct MemorySize {
  Bytes bytes;             // when share_permille is 0
  int share_permille = 0;  // [1, 1000]; whole, so that text and value agree exactly

  static constexpr MemorySize Share(int permille) { return {Bytes(), permille}; }
  constexpr Bytes Of(Bytes available) const {
    if (share_permille == 0) return bytes;
    const Bytes rest(available.count() % 1000);  // apart, so that nothing overflows
    return available / 1000 * share_permille + rest * share_permille / 1000;
  }
  friend constexpr bool operator==(const MemorySize&, const MemorySize&) = default;
};

struct MemoryOptions {
  Auto<MemorySize> vram_budget;
  Auto<MemorySize> ram_budget;
  OnOvercommit on_overcommit = OnOvercommit::kDegrade;
  float gpu_threshold = 0.85f;
  float cpu_threshold = 0.80f;
};
template <class V>
void Describe(V& v, MemoryOptions& o) {
  v.Field("vram_budget", o.vram_budget,
          "device memory the run may use, as 4GiB or 85%; auto = what is free");
  v.Field("ram_budget", o.ram_budget,
          "host memory the run may use, as 8GiB or 50%; auto = 85% of what is available");
  v.Field("on_overcommit", o.on_overcommit,
          "degrade or refuse when numbers written in the config do not fit");
  v.Field("gpu_threshold", o.gpu_threshold, Range{0.5f, 0.99f},
          "share of the device budget above which memory is cleaned up");
  v.Field("cpu_threshold", o.cpu_threshold, Range{0.5f, 0.99f},
          "share of the host budget above which memory is cleaned up");
}

}  // namespace az
