#include "bench/bench_args.h"

#include <algorithm>

namespace az {

bool BenchArgs::TakeFlag(std::string_view name) {
  const auto at = std::find(rest_.begin(), rest_.end(), name);
  if (at == rest_.end()) return false;
  rest_.erase(at);
  return true;
}

std::optional<std::string> BenchArgs::TakeText(std::string_view name) {
  const auto at = std::find(rest_.begin(), rest_.end(), name);
  if (at == rest_.end() || at + 1 == rest_.end()) return std::nullopt;
  std::string value = *(at + 1);
  rest_.erase(at, at + 2);
  return value;
}

Result<int> BenchArgs::TakeCount(std::string_view name, int otherwise) {
  const std::optional<std::string> text = TakeText(name);
  if (!text.has_value()) return otherwise;
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size() || value <= 0) {
    return Error{Errc::kInvalid, StrCat(name, " ", *text, " is not a number above 0")};
  }
  return value;
}

Result<void> BenchArgs::Finish() const {
  if (rest_.empty()) return {};
  return Error{Errc::kInvalid, StrCat("unknown argument ", Join(rest_, " "))};
}

}  // namespace az
