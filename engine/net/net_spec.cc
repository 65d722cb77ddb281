#include "engine/net/net_spec.h"

#include <array>
#include <utility>

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

Precision CpuPrecision(const Auto<Precision>& asked) {
  if (asked.has_value()) return *asked;
  return CpuHasFastBf16() ? Precision::kBf16 : Precision::kFp32;
}

}  // namespace az
