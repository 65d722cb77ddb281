#include "engine/process/last_words.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/strings.h"

namespace az {
namespace {

constexpr std::int64_t kMostBytes = 64 << 10;
constexpr std::size_t kMostText = 300;

// Log's lines: "2026-01-31T12:00:00.000Z level who text".
bool IsLogLine(std::string_view line) {
  return line.size() > 24 && line[4] == '-' && line[10] == 'T' && line[23] == 'Z' &&
         line[24] == ' ';
}

}  // namespace

std::int64_t FileSize(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 ? static_cast<std::int64_t>(info.st_size) : 0;
}

std::string LastWords(int log_fd, std::int64_t from, std::string_view who) {
  const std::int64_t size = FileSize(log_fd);
  from = std::max(from, size - kMostBytes);
  if (from >= size) return "";
  // The log is open for writing only.
  const UniqueFd fd(::open(StrCat("/proc/self/fd/", log_fd).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(static_cast<std::size_t>(size - from), '\0');
  const ssize_t got = fd.valid() ? ::pread(fd.get(), text.data(), text.size(), from) : 0;
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  const std::string own_error = StrCat(" error ", who, " ");
  std::string words;
  for (const std::string_view line : Split(text, '\n')) {
    const auto error = line.find(own_error);
    if (!IsLogLine(line)) {
      if (!Trim(line).empty()) words = Trim(line);
    } else if (error == 24) {
      words = line.substr(error + own_error.size());
    }
  }
  return words.substr(0, kMostText);
}

}  // namespace az
