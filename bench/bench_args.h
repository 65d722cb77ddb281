#pragma once
// BenchArgs: the arguments of a sub-command of az_bench: flags and `--name value` pairs, all
// optional.

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strings.h"

namespace az {

// Each Take removes what it finds, so that Finish can refuse unknown arguments. Thread-compatible.
class BenchArgs {
 public:
  explicit BenchArgs(std::span<char* const> args) : rest_(args.begin(), args.end()) {}

  bool TakeFlag(std::string_view name);
  std::optional<std::string> TakeText(std::string_view name);
  // Fails with kInvalid when the value is missing or no integer above 0.
  Result<int> TakeCount(std::string_view name, int otherwise);
  // Fails with kInvalid, naming them, when arguments are left.
  Result<void> Finish() const;

 private:
  std::vector<std::string> rest_;
};

}  // namespace az
