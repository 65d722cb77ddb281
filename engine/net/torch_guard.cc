#include "engine/net/torch_guard.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>
#include <utility>

#include "base/strings.h"

namespace az {
namespace {

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

// An exception's description; the text is its own, without the backtrace.
struct Described {
  ExceptionKind kind = ExceptionKind::kOther;
  int code = 0;
  std::string text;
};

Described Describe(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const c10::OutOfMemoryError& error) {
    return {ExceptionKind::kOutOfMemory, 0, error.what_without_backtrace()};
  } catch (const c10::AcceleratorError& error) {
    return {ExceptionKind::kAccelerator, error.get_error_code(), error.what_without_backtrace()};
  } catch (const c10::Error& error) {
    return {ExceptionKind::kTorch, 0, error.what_without_backtrace()};
  } catch (const std::bad_alloc&) {
    return {ExceptionKind::kBadAlloc, 0, "out of host memory"};
  } catch (const std::exception& error) {
    return {ExceptionKind::kOther, 0, error.what()};
  } catch (...) {
    return {ExceptionKind::kOther, 0, "thrown: no std::exception"};
  }
}

// Unknown where the device does not even answer that, as a lost one.
MemoryRoom Ask(const AskRoom& room) {
  try {
    return room();
  } catch (...) {
    return {};
  }
}

}  // namespace

Error TorchError(std::string_view what, std::exception_ptr exception, const AskRoom& room) {
  const Described seen = Describe(std::exchange(exception, nullptr));
  const CaughtException caught{.kind = seen.kind, .code = seen.code, .text = seen.text};
  Failure failure = Classify(caught, {});
  if (failure == Failure::kOther && room) failure = Classify(caught, Ask(room));
  const bool is_memory = failure == Failure::kDeviceMemory || failure == Failure::kHostMemory;
  return Error{is_memory ? Errc::kNoMemory : Errc::kUnavailable,
               StrCat(what, failure == Failure::kDeviceLost ? ": the device is lost: " : ": ",
                      FirstLine(seen.text))};
}

}  // namespace az
