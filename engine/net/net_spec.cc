#include "engine/net/net_spec.h"

#include <array>
#include <utility>
#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "base/strings.h"

namespace az {
namespace {

struct Size {
  const char* name;
  int value;
  int least;
};

std::array<Size, 12> Sizes(const NetShape& shape) {
  return {{{"planes", shape.planes, 1},
           {"rows", shape.rows, 1},
           {"cols", shape.cols, 1},
           {"actions", shape.actions, 1},
           {"filters", shape.filters, 1},
           {"res_blocks", shape.res_blocks, 0},
           {"global_pool_every", shape.global_pool_every, 0},
           {"heads", shape.heads, 0},
           {"attention_blocks", shape.attention_blocks, 0},
           {"policy_filters", shape.policy_filters, 1},
           {"value_filters", shape.value_filters, 1},
           {"value_hidden", shape.value_hidden, 1}}};
}

#if defined(__x86_64__) && defined(__linux__)
// Linux saves tiles only for processes that asked (arch/x86/xstate.rst of its documentation, 5.16).
bool MayUseTiles() {
  constexpr unsigned kAmxBf16 = 1u << 22;  // of EDX, leaf 7
  constexpr unsigned kAmxTile = 1u << 24;
  constexpr long kAskForState = 0x1023;  // ARCH_REQ_XCOMP_PERM, which older headers lack
  constexpr long kTileData = 18;         // XFEATURE_XTILEDATA
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if ((d & kAmxBf16) == 0 || (d & kAmxTile) == 0) return false;
  return syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}
#endif

}  // namespace

Result<void> ValidateNetShape(const NetShape& shape) {
  for (const Size& size : Sizes(shape)) {
    if (size.value < size.least) {
      return Error{Errc::kInvalid, StrCat("network shape: ", size.name, " = ", size.value,
                                          " must be at least ", size.least)};
    }
  }
  if ((shape.heads == 0) != (shape.attention_blocks == 0)) {
    return Error{Errc::kInvalid,
                 StrCat("network shape: ", shape.heads, " heads and ", shape.attention_blocks,
                        " attention blocks: both or neither must be 0")};
  }
  if (shape.heads > 0 && shape.filters % shape.heads != 0) {
    return Error{Errc::kInvalid, StrCat("network shape: filters = ", shape.filters,
                                        " must be a multiple of heads = ", shape.heads)};
  }
  if (shape.global_pool_every > 0 && shape.filters % 4 != 0) {
    return Error{Errc::kInvalid, StrCat("network shape: filters = ", shape.filters,
                                        " must be a multiple of 4, as global_pool_every = ",
                                        shape.global_pool_every, " pools a quarter of them")};
  }
  if (shape.global_pool_every > shape.res_blocks) {
    return Error{Errc::kInvalid,
                 StrCat("network shape: global_pool_every = ", shape.global_pool_every,
                        " is more than res_blocks = ", shape.res_blocks, ": no block would pool")};
  }
  return {};
}

std::string DescribeNetShape(const NetShape& shape) {
  std::string text;
  for (const Size& size : Sizes(shape)) {
    text += StrCat(text.empty() ? "" : ", ", size.name, " ", size.value);
  }
  return text;
}

bool CpuHasFastBf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
#else
  return false;
#endif
}

bool OnednnHasBf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0;
#else
  return false;
#endif
}

bool CpuHasTiles() {
#if defined(__x86_64__) && defined(__linux__)
  static const bool has = CpuHasFastBf16() && MayUseTiles();
  return has;
#else
  return false;
#endif
}

Precision CpuPrecision(const Auto<Precision>& asked) {
  if (asked.has_value()) return *asked;
  return CpuHasFastBf16() ? Precision::kBf16 : Precision::kFp32;
}

}  // namespace az
