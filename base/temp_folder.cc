#include "base/temp_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/files.h"
#include "base/strings.h"

namespace az {

Result<TempFolder> TempFolder::Make(std::string_view prefix) {
  std::error_code code;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(code);
  if (code) {
    return Error{Errc::kUnavailable, StrCat("no folder for temporary files: ", code.message())};
  }
  std::string name = (parent / StrCat(prefix, ".XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) return SystemError(StrCat("make folder ", name), errno);
  return TempFolder(name);
}

TempFolder::~TempFolder() {
  std::error_code ignored;  // leftovers lie in the system's folder for temporary files
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace az
