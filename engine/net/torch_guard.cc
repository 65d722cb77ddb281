#include "engine/net/torch_guard.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>

#include "base/strings.h"

namespace az {
namespace {

// LibTorch's CPU allocator throws a plain c10::Error; its text is the only sign.
bool SaysNoMemory(std::string_view text) {
  return text.find("not enough memory") != std::string_view::npos ||
         text.find("out of memory") != std::string_view::npos;
}

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

}  // namespace

Error TorchError(std::string_view what, std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const c10::OutOfMemoryError& error) {
    return Error{Errc::kNoMemory, StrCat(what, ": ", FirstLine(error.what_without_backtrace()))};
  } catch (const c10::Error& error) {
    const std::string_view text = FirstLine(error.what_without_backtrace());
    return Error{SaysNoMemory(text) ? Errc::kNoMemory : Errc::kUnavailable,
                 StrCat(what, ": ", text)};
  } catch (const std::bad_alloc&) {
    return Error{Errc::kNoMemory, StrCat(what, ": out of host memory")};
  } catch (const std::exception& error) {
    return Error{Errc::kUnavailable, StrCat(what, ": ", FirstLine(error.what()))};
  }
}

}  // namespace az
