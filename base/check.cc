#include "base/check.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace az::check_internal {

Failure::Failure(const char* file, int line, std::string_view expression) {
  stream_ << file << ":" << line << ": check failed: " << expression;
}

Failure::~Failure() {
  stream_ << "\n";
  const std::string text = stream_.str();
  // One write, so that processes that share a log do not mix their lines. Nothing can be done if it
  // fails.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  std::abort();
}

}  // namespace az::check_internal
