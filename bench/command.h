#pragma once
// A sub-command of az_bench.

#include <span>
#include <string_view>

#include "base/result.h"
#include "bench/bench_args.h"

namespace az {

struct BenchCommand {
  std::string_view name;
  const char* help;
  Result<void> (*run)(BenchArgs&);
};

// Those that need LibTorch; none in a build without it.
std::span<const BenchCommand> TorchCommands();

}  // namespace az
