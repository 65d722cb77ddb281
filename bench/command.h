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

// The sub-commands that need LibTorch; empty in a build without it.
std::span<const BenchCommand> TorchCommands();

}  // namespace az
