#pragma once
// Counts calls of operator new in a program that links allocation_counter.cc, which replaces it.

#include <cstdint>

namespace az {

// The allocations of all threads since the start of the program, freed or not.
std::uint64_t AllocationCount();
std::uint64_t AllocatedBytes();

}  // namespace az
