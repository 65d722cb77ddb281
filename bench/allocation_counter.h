#pragma once
// Counts calls of operator new in a program that links allocation_counter.cc, which replaces it.

#include <cstdint>

namespace az {

// Since the start of the program, all threads.
std::uint64_t AllocationCount();
std::uint64_t AllocatedBytes();  // asked for, given back or not

}  // namespace az
