#pragma once
// The border to LibTorch's exceptions: they become errors here and go no further.

#include <exception>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace az {

// The error for an exception thrown by LibTorch or the allocator: kNoMemory when memory was short,
// else kUnavailable. `what` says what was tried.
Error TorchError(std::string_view what, std::exception_ptr exception);

// Calls f, which returns a Result, and turns exceptions into errors.
template <class F>
auto GuardTorch(std::string_view what, F&& f) -> decltype(f()) {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    return TorchError(what, std::current_exception());
  }
}

}  // namespace az
