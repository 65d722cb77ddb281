#pragma once
// Standard output for programs whose result is what they print: a full disk or a reader that is
// gone is an error of the program, not a shorter result.

#include <string_view>

#include "base/result.h"

namespace az {

// Writes out what was printed with <cstdio> until now. Fails when any of it was lost, now or
// earlier: kNoSpace, kIo, as SystemError.
Result<void> FlushOutput();
// Prints `text` and flushes. Fails as FlushOutput.
Result<void> PrintOut(std::string_view text);

}  // namespace az
