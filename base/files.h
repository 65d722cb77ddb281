#pragma once
// Files: whole reads, atomic writes, append-only handles, locks. Errors name the path and quote the
// system's message; a full disk or a file-size limit is kNoSpace.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

// Owns a file descriptor; closes it once. Thread-compatible.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.Release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    Reset(other.Release());
    return *this;
  }
  ~UniqueFd() { Reset(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void Reset(int fd = -1);

 private:
  int fd_ = -1;
};

// The error for errno `number` while `what` ("write runs/x/log"): ENOSPC, EDQUOT, EFBIG are
// kNoSpace; ENOMEM kNoMemory; EMFILE, ENFILE, EAGAIN, EACCES, EPERM, EROFS kUnavailable; ENOENT
// kNotFound; the rest kIo.
Error SystemError(std::string_view what, int number);

Result<std::string> ReadFile(const std::filesystem::path& path);

// Writes `path.tmp.<pid>`, fsyncs it, renames it over `path` and fsyncs the folder: after a crash
// or a full disk `path` is the old file or the new one, never a part. The temporary file is removed
// on failure.
Result<void> WriteFileAtomic(const std::filesystem::path& path, std::string_view contents);
Result<void> WriteFileAtomic(const std::filesystem::path& path,
                             std::span<const std::span<const std::byte>> parts);

// Like mkdir -p.
Result<void> MakeDirectories(const std::filesystem::path& path);

// Writes all of `bytes` with as few write() calls as the system needs (one, as a rule). EINTR is
// retried.
Result<void> WriteAll(int fd, std::span<const std::byte> bytes, std::string_view path_for_errors);

// Exclusive advisory lock (flock) on a file, held until destroyed; the kernel drops it when the
// process dies. Thread-compatible.
class FileLock {
 public:
  // Creates the file if it is missing and writes this process's id into it. Fails with kBusy, and
  // names the holder's pid, when somebody else holds it.
  static Result<FileLock> Acquire(const std::filesystem::path& path);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace az
