#include "engine/train/heap.h"

#include <malloc.h>

namespace az {
namespace {

constexpr int kLarge = 1 << 20;   // bytes: such blocks go back when they are freed
constexpr int kKept = 16 << 20;   // bytes at the heap's end that stay
constexpr int kGrowth = 1 << 20;  // bytes the heap grows by

}  // namespace

void TuneHeap() {
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, kGrowth);
}

}  // namespace az
