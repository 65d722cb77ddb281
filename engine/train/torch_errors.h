#pragma once
// The door through which LibTorch's exceptions become errors. Every call from engine/train into
// LibTorch that can fail at run time goes through it.

#include <string_view>
#include <utility>

#include "base/result.h"

namespace az {

// The exception being handled, as an error: kNoMemory for memory of host or device, else
// kUnavailable; `what` says what was tried. REQUIRES: called in a catch block.
Error ErrorFromTorch(std::string_view what);

// Runs `work` and turns what it throws into an error.
template <class Work>
Result<void> CatchTorch(std::string_view what, Work&& work) {
  try {
    std::forward<Work>(work)();
    return {};
  } catch (...) {
    return ErrorFromTorch(what);
  }
}

}  // namespace az
