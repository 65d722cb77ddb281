#include "engine/train/heap.h"

#include <malloc.h>

namespace az {
namespace {

constexpr int kNever = 1 << 30;    // bytes: above any block of a step, and any amount worth keeping
constexpr int kGrowth = 16 << 20;  // bytes the heap grows by

}  // namespace

void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, kNever);
  mallopt(M_TRIM_THRESHOLD, kNever);
  mallopt(M_TOP_PAD, kGrowth);
}

}  // namespace az
