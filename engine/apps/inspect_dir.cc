#include "engine/apps/inspect_dir.h"

#include <string>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/strings.h"

namespace az {

Result<void> CheckFolder(const std::filesystem::path& dir) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(dir, code);
  if (std::filesystem::is_directory(status)) return {};
  constexpr std::string_view kAdvice = "(give the directory of a run, like runs/5x5)";
  if (!std::filesystem::exists(status)) {
    return Error{Errc::kNotFound, StrCat("there is no such folder ", kAdvice)};
  }
  return Error{Errc::kInvalid, StrCat("that is a file, not a folder ", kAdvice)};
}

Result<RunState> ReadRunState(const std::filesystem::path& dir) {
  const std::filesystem::path file = dir / "state.json";
  const Result<std::string> text = ReadFile(file);
  if (!text && text.error().code == Errc::kNotFound) {
    return Error{Errc::kNotFound,
                 "that is no run: it has no state.json (give the directory of a run, like "
                 "runs/5x5)"};
  }
  if (!text) return text.error();
  Result<RunState> state = RunStateFromJson(*text);
  if (state) return state;
  if (state.error().code != Errc::kCorrupt) return WithContext(file.string(), state.error());
  return Error{Errc::kCorrupt, StrCat(file.string(), " is damaged: ", state.error().message,
                                      " (restore it from a copy)")};
}

}  // namespace az
