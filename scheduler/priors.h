#pragma once
// Bytes of processes that no formula gives: measured once (docs/memory.md), or assumed until a
// probe measures them. Used by the bills.

#include "base/bytes.h"

namespace az {

inline constexpr Bytes kSupervisorBase = MiB(16);   // program, open games, journal tails
inline constexpr Bytes kWorkerBase = MiB(6);        // program, decode buffers
inline constexpr Bytes kCpuDeviceBase = MiB(58);    // private pages of a process with LibTorch
inline constexpr Bytes kCudaDeviceBase = MiB(177);  // the same with the CUDA libraries
inline constexpr Bytes kCudaContext = Bytes(483'183'821);    // 0.45 GiB, assumed
inline constexpr Bytes kLargeCudaContext = MiB(768);         // the largest that is seen in practice
inline constexpr Bytes kCublasWorkspace = Bytes(8'519'680);  // per thread and stream

}  // namespace az
