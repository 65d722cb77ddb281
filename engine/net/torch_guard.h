#pragma once
// The border to LibTorch's exceptions: they become errors here and go no further.

#include <exception>
#include <functional>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "scheduler/oom_classifier.h"

namespace az {

// What the device has free; asked only about exceptions whose text leaves open whether memory was
// short. Empty: unknown.
using AskRoom = std::function<MemoryRoom()>;

// The error for an exception thrown by LibTorch or the allocator: kNoMemory when memory was short
// (scheduler/oom_classifier.h), else kUnavailable. `what` says what was tried.
Error TorchError(std::string_view what, std::exception_ptr exception, const AskRoom& room = {});

// Calls f, which returns a Result, and turns exceptions into errors. What f made is gone when this
// returns: nothing that must be done after a refusal is done inside of a handler.
template <class F>
auto GuardTorch(std::string_view what, F&& f, const AskRoom& room = {}) -> decltype(f()) {
  std::exception_ptr thrown;
  try {
    return std::forward<F>(f)();
  } catch (...) {
    thrown = std::current_exception();
  }
  return TorchError(what, std::move(thrown), room);
}

}  // namespace az
