#pragma once
// metrics.jsonl: one JSON object a line, appended; units in the keys. A torn last line is left
// behind by a kill and is completed with a newline at the next start, so every other line stays
// valid.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace az {

// Keys in the order given. Values: numbers, text, or the members of a JSON object.
class MetricsLine {
 public:
  MetricsLine& Add(std::string_view key, double value);
  MetricsLine& Add(std::string_view key, std::int64_t value);
  MetricsLine& Add(std::string_view key, std::string_view value);
  // The members of a JSON object (text "{…}") become members of this line. kCorrupt when it is not
  // one.
  Result<void> Merge(std::string_view json_object);
  std::string text() const { return "{" + body_ + "}"; }

 private:
  void Key(std::string_view key);
  std::string body_;
};

class MetricsFile {
 public:
  static Result<MetricsFile> Open(const std::filesystem::path& path);
  // kNoSpace, kIo.
  Result<void> Append(const MetricsLine& line);

 private:
  MetricsFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  UniqueFd fd_;
  std::string path_;
};

}  // namespace az
