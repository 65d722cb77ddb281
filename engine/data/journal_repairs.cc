#include "engine/data/journal_repairs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/strings.h"

namespace az {
namespace {

constexpr std::string_view kRepairsFile = "repairs";

// "lane_000.journal=1234 lane_001.journal=96".
bool ParsePoint(std::string_view line, JournalPoint& point) {
  for (const std::string_view part : Split(line, ' ')) {
    const std::size_t at = part.find('=');
    if (at == 0 || at == std::string_view::npos) return false;
    std::int64_t bytes = 0;
    if (!ParseInt(part.substr(at + 1), bytes) || bytes < 0) return false;
    if (!point.emplace(part.substr(0, at), bytes).second) return false;
  }
  return true;
}

}  // namespace

std::int64_t BytesAt(const JournalPoint& point, const std::filesystem::path& journal) {
  const auto known = point.find(journal.filename().string());
  return known == point.end() ? 0 : known->second;
}

Result<void> ReadRepaired(std::span<const JournalPoint> repairs, GameLog& log,
                          const std::function<Result<void>(const JournalPoint&)>& read_to) {
  for (const JournalPoint& repair : repairs) {
    AZ_RETURN_IF_ERROR(read_to(repair));
    log.ForgetBeyondGaps();
  }
  return {};
}

Result<std::vector<JournalPoint>> ReadRepairs(const std::filesystem::path& folder) {
  std::vector<JournalPoint> repairs;
  const std::filesystem::path path = folder / kRepairsFile;
  const Result<std::string> text = ReadFile(path);
  if (!text && text.error().code == Errc::kNotFound) return repairs;
  if (!text) return text.error();
  std::vector<std::string_view> lines = Split(*text, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (const std::string_view line : lines) {
    if (!ParsePoint(line, repairs.emplace_back())) {
      return Error{Errc::kCorrupt,
                   StrCat("read ", path.string(), ": line ", repairs.size(), " is '", line,
                          "', no list of journal=bytes (restore the file)")};
    }
  }
  return repairs;
}

Result<void> WriteRepairs(const std::filesystem::path& folder,
                          std::span<const JournalPoint> repairs) {
  std::string text;
  for (const JournalPoint& point : repairs) {
    std::vector<std::string> parts;
    for (const auto& [file, bytes] : point) parts.push_back(StrCat(file, "=", bytes));
    text += StrCat(Join(parts, " "), "\n");
  }
  return WriteFileAtomic(folder / kRepairsFile, text);
}

std::vector<JournalPoint> NoFurtherThan(std::vector<JournalPoint> repairs,
                                        const JournalPoint& now) {
  for (JournalPoint& point : repairs) {
    for (auto& [file, bytes] : point) bytes = std::min(bytes, BytesAt(now, file));
  }
  return repairs;
}

}  // namespace az
