#include "engine/train/torch_errors.h"

#include <c10/util/Exception.h>

#include <exception>
#include <new>
#include <string>

#include "base/strings.h"

namespace az {
namespace {

// LibTorch's messages are pages: a first line that says it, then a stack trace.
std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

bool SaysOutOfMemory(std::string_view text) {
  return text.find("can't allocate memory") != std::string_view::npos ||
         text.find("out of memory") != std::string_view::npos ||
         text.find("ALLOC_FAILED") != std::string_view::npos;
}

}  // namespace

Error ErrorFromTorch(std::string_view what) {
  try {
    throw;
  } catch (const c10::OutOfMemoryError& error) {
    return {Errc::kNoMemory, StrCat(what, ": ", FirstLine(error.what_without_backtrace()))};
  } catch (const std::bad_alloc&) {
    return {Errc::kNoMemory, StrCat(what, ": out of memory")};
  } catch (const c10::Error& error) {
    const std::string text = FirstLine(error.what_without_backtrace());
    return {SaysOutOfMemory(text) ? Errc::kNoMemory : Errc::kUnavailable, StrCat(what, ": ", text)};
  } catch (const std::exception& error) {
    return {Errc::kUnavailable, StrCat(what, ": ", FirstLine(error.what()))};
  } catch (...) {
    return {Errc::kUnavailable, StrCat(what, ": an exception of unknown type")};
  }
}

}  // namespace az
