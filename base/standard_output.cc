#include "base/standard_output.h"

#include <cerrno>
#include <cstdio>

#include "base/files.h"

namespace az {

Result<void> FlushOutput() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  // An earlier print failed without being checked; errno may have changed since.
  return SystemError("write to standard output", errno == 0 ? EIO : errno);
}

Result<void> PrintOut(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    return SystemError("write to standard output", errno == 0 ? EIO : errno);
  }
  return FlushOutput();
}

}  // namespace az
