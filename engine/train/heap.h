#pragma once
// The C library's heap as tensors need it.

namespace az {

// Keeps freed memory in the process instead of returning it to the kernel: a training step frees
// and takes the same blocks again and again, and without this a fifth of its time goes into page
// faults (docs/performance.md). Memory goes back when malloc_trim is called, at phase boundaries.
// For the whole process; called once, first thing in main.
void KeepFreedMemory();

}  // namespace az
