#pragma once
// Standard output for programs whose result is what they print: a full disk or a vanished reader
// makes the program fail instead of shortening its result.

#include <string_view>

#include "base/result.h"

namespace az {

// Writes out what was printed with <cstdio> until now. Fails as SystemError says (kNoSpace, kIo)
// when any of it was lost, now or earlier.
Result<void> FlushOutput();
// Prints `text` and flushes. Fails as FlushOutput.
Result<void> PrintOut(std::string_view text);

}  // namespace az
