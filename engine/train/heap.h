#pragma once
// The C library's heap as a process with a learner needs it. Tensors are not in it: they are in the
// capped heap (engine/net/capped_heap.h).

namespace az {

// Blocks from 1 MiB on (files read, records) are mappings of their own and go back when they are
// freed: in the heaps of ended threads they would stay for good, where malloc_trim does not reach.
// Of what is smaller, 16 MiB at a heap's end stay, so that steps do not fault it in again and
// again. For the whole process; called once, first thing in main.
void TuneHeap();

}  // namespace az
