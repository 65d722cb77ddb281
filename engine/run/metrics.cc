#include "engine/run/metrics.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace az {

void MetricsLine::Key(std::string_view key) {
  if (!body_.empty()) body_ += ",";
  body_ += StrCat("\"", key, "\":");
}

MetricsLine& MetricsLine::Add(std::string_view key, double value) {
  Key(key);
  body_ +=
      nlohmann::json(value).dump();  // NaN and infinity become null, which JSON has no number for
  return *this;
}

MetricsLine& MetricsLine::Add(std::string_view key, std::int64_t value) {
  Key(key);
  body_ += StrCat(value);
  return *this;
}

MetricsLine& MetricsLine::Add(std::string_view key, std::string_view value) {
  Key(key);
  body_ += nlohmann::json(std::string(value)).dump();
  return *this;
}

Result<void> MetricsLine::Merge(std::string_view json_object) {
  const auto json = nlohmann::ordered_json::parse(json_object, nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    return Error{Errc::kCorrupt, StrCat("metrics: not a JSON object: ", json_object.substr(0, 80))};
  }
  for (const auto& [key, value] : json.items()) {
    Key(key);
    body_ += value.dump();
  }
  return {};
}

Result<MetricsFile> MetricsFile::Open(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd.valid()) return SystemError(StrCat("open ", path.string()), errno);
  const off_t size = ::lseek(fd.get(), 0, SEEK_END);
  char last = '\n';
  if (size > 0 && ::pread(fd.get(), &last, 1, size - 1) == 1 && last != '\n') {
    const std::byte newline{'\n'};
    AZ_RETURN_IF_ERROR(WriteAll(fd.get(), std::span(&newline, 1), path.string()));
  }
  return MetricsFile(std::move(fd), path.string());
}

Result<void> MetricsFile::Append(const MetricsLine& line) {
  const std::string text = line.text() + "\n";
  return WriteAll(fd_.get(), std::as_bytes(std::span(text)), path_);
}

}  // namespace az
