#pragma once
// TempFolder: a folder for temporary files that removes itself.

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace az {

// Lies where the system keeps temporary files; removed with its contents when destroyed.
// Thread-compatible.
class TempFolder {
 public:
  // Makes a folder whose name begins with `prefix`. Fails with kUnavailable, kNoSpace or kIo.
  static Result<TempFolder> Make(std::string_view prefix);
  TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace az
