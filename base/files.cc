#include "base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/strings.h"

namespace az {

void UniqueFd::Reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Error SystemError(std::string_view what, int number) {
  Errc code = Errc::kIo;
  std::string hint;
  switch (number) {
    case ENOSPC:
    case EDQUOT:
      code = Errc::kNoSpace;
      hint = " (free some disk space and start again)";
      break;
    case EFBIG:
      code = Errc::kNoSpace;
      hint = " (raise the file-size limit, ulimit -f)";
      break;
    case ENOMEM:
      code = Errc::kNoMemory;
      break;
    case EMFILE:
    case ENFILE:
      code = Errc::kUnavailable;
      hint = " (raise the limit of open files, ulimit -n)";
      break;
    case EAGAIN:
      code = Errc::kUnavailable;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = Errc::kUnavailable;
      hint = " (check the owner and the rights, or choose another place)";
      break;
    case ENOENT:
      code = Errc::kNotFound;
      break;
    default:
      break;
  }
  return Error{code, StrCat(what, ": ", std::generic_category().message(number), hint)};
}

Result<std::string> ReadFile(const std::filesystem::path& path) {
  const std::string what = StrCat("read ", path.string());
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return SystemError(what, errno);
  std::string contents;
  struct stat info {};
  if (::fstat(fd.get(), &info) == 0 && info.st_size > 0) {
    contents.reserve(static_cast<std::size_t>(info.st_size));
  }
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(what, errno);
    if (count == 0) return contents;
    contents.append(buffer, static_cast<std::size_t>(count));
  }
}

Result<void> WriteAll(int fd, std::span<const std::byte> bytes, std::string_view path_for_errors) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(StrCat("write ", path_for_errors), errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> WriteFileAtomic(const std::filesystem::path& path, std::string_view contents) {
  const std::span<const std::byte> part =
      std::as_bytes(std::span(contents.data(), contents.size()));
  return WriteFileAtomic(path, std::span(&part, 1));
}

Result<void> WriteFileAtomic(const std::filesystem::path& path,
                             std::span<const std::span<const std::byte>> parts) {
  const std::string temporary = StrCat(path.string(), ".tmp.", ::getpid());
  const auto write = [&]() -> Result<void> {
    UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd.valid()) return SystemError(StrCat("create ", temporary), errno);
    for (const auto& part : parts) AZ_RETURN_IF_ERROR(WriteAll(fd.get(), part, temporary));
    if (::fsync(fd.get()) != 0) return SystemError(StrCat("fsync ", temporary), errno);
    return {};
  };
  Result<void> written = write();
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written = SystemError(StrCat("rename to ", path.string()), errno);
  }
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  UniqueFd directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.valid()) ::fsync(directory.get());  // makes the rename itself durable
  return {};
}

Result<void> MakeDirectories(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) return SystemError(StrCat("create folder ", path.string()), code.value());
  return {};
}

Result<FileLock> FileLock::Acquire(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) return SystemError(StrCat("open ", path.string()), errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return SystemError(StrCat("lock ", path.string()), errno);
    char holder[32] = {};
    const ssize_t count = ::pread(fd.get(), holder, sizeof holder - 1, 0);
    const std::string_view pid = count > 0 ? Trim(holder) : "unknown";
    return Error{Errc::kBusy, StrCat("lock ", path.string(), ": held by process ", pid)};
  }
  const std::string pid = StrCat(::getpid(), "\n");
  if (::ftruncate(fd.get(), 0) != 0) return SystemError(StrCat("truncate ", path.string()), errno);
  AZ_RETURN_IF_ERROR(WriteAll(fd.get(), std::as_bytes(std::span(pid)), path.string()));
  return FileLock(std::move(fd));
}

}  // namespace az
