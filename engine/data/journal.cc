#include "engine/data/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <span>
#include <thread>
#include <utility>

#include "base/strings.h"

namespace az {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;
constexpr auto kLockPoll = std::chrono::milliseconds(2);
constexpr auto kHeaderEnd = static_cast<std::int64_t>(kJournalHeaderBytes);

Result<std::int64_t> FileBytes(int fd, const std::filesystem::path& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return SystemError(StrCat("stat ", path.string()), errno);
  return static_cast<std::int64_t>(info.st_size);
}

// Fills `buffer` from `offset`; fewer bytes only at the end of the file.
Result<std::size_t> ReadAt(int fd, std::int64_t offset, std::span<std::byte> buffer,
                           const std::filesystem::path& path) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t count = ::pread(fd, buffer.data() + filled, buffer.size() - filled,
                                  offset + static_cast<std::int64_t>(filled));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(StrCat("read ", path.string()), errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

// Reads records in [progress.valid_bytes, end_bytes) into `sink` and moves `progress` on.
Result<void> Scan(int fd, const std::filesystem::path& path, std::int64_t end_bytes,
                  const JournalReader::Sink& sink, JournalProgress& progress) {
  static_assert(kReadBytes >= kMaxJournalPayload + kJournalFrameBytes, "a record fits the buffer");
  // Of this call alone: a process may have hundreds of readers.
  const auto most_bytes =
      static_cast<std::size_t>(std::max<std::int64_t>(0, end_bytes - progress.valid_bytes));
  std::vector<std::byte> buffer(std::min(kReadBytes, most_bytes));
  while (progress.valid_bytes < end_bytes) {
    const std::int64_t left_bytes = end_bytes - progress.valid_bytes;
    const std::size_t wanted = std::min(kReadBytes, static_cast<std::size_t>(left_bytes));
    AZ_ASSIGN_OR_RETURN(const std::size_t got,
                        ReadAt(fd, progress.valid_bytes, std::span(buffer).first(wanted), path));
    std::size_t used = 0;
    ParsedRecord parsed;
    while (used < got) {
      parsed = ParseJournalRecord(std::span(buffer).subspan(used, got - used));
      if (parsed.status != ParseStatus::kRecord) break;
      used += parsed.bytes;
      ++progress.records;
      sink(std::move(parsed.record));
    }
    progress.valid_bytes += static_cast<std::int64_t>(used);
    if (used == got && got == wanted) continue;
    // A record cut by the buffer's end is read again from its start; one cut by the file's end is
    // torn.
    if (parsed.status == ParseStatus::kTorn && got == kReadBytes && used > 0) continue;
    progress.end =
        parsed.status == ParseStatus::kCorrupt ? JournalEnd::kCorrupt : JournalEnd::kTorn;
    progress.fault = StrCat(path.string(), " at byte ", progress.valid_bytes, ": ",
                            used == got ? "it became shorter" : parsed.fault);
    return {};
  }
  return {};
}

Result<void> Lock(int fd, const std::filesystem::path& path, Deadline lock_by) {
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return SystemError(StrCat("lock ", path.string()), errno);
    }
    if (lock_by.Passed()) {
      return Error{Errc::kBusy,
                   StrCat("open journal ", path.string(),
                          ": another process writes it (wait for its end, or end it)")};
    }
    std::this_thread::sleep_for(kLockPoll);
  }
  return {};
}

// From now on the file holds records of this build's version, which an older build must refuse and
// not take for damage. The header is a fraction of a page, so that no kill leaves a part of it.
Result<void> RaiseVersion(const std::filesystem::path& path, std::span<const std::byte> header,
                          const JournalIdentity& identity) {
  const auto ours = EncodeJournalHeader(identity);
  if (std::ranges::equal(header, ours)) return {};
  // A descriptor that appends would write at the end.
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const std::string context = StrCat("raise the version of journal ", path.string());
  if (!fd.valid()) return SystemError(context, errno);
  const ssize_t written = ::pwrite(fd.get(), ours.data(), ours.size(), 0);
  if (written == static_cast<ssize_t>(ours.size())) return {};
  return SystemError(context, written < 0 ? errno : ENOSPC);
}

Result<void> SyncFile(int fd, const std::filesystem::path& path) {
  if (::fdatasync(fd) != 0) return SystemError(StrCat("sync ", path.string()), errno);
  return {};
}

Result<void> SyncFolderOf(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) {
    return SystemError(StrCat("sync folder ", folder.string()), errno);
  }
  return {};
}

}  // namespace

Result<JournalWriter> JournalWriter::Open(const std::filesystem::path& path,
                                          const JournalIdentity& identity, std::int64_t valid_bytes,
                                          Deadline lock_by) {
  const std::string context = StrCat("open journal ", path.string());
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd.valid()) return SystemError(context, errno);
  AZ_RETURN_IF_ERROR(Lock(fd.get(), path, lock_by));
  JournalWriter writer(std::move(fd), path);
  AZ_ASSIGN_OR_RETURN(const std::int64_t file_bytes, FileBytes(writer.fd_.get(), path));
  if (file_bytes < valid_bytes) {
    return Error{Errc::kCorrupt, StrCat(context, ": it has ", file_bytes, " bytes, but ",
                                        valid_bytes, " were read before (restore the file)")};
  }
  std::vector<std::byte> header(kJournalHeaderBytes);
  AZ_ASSIGN_OR_RETURN(const std::size_t got, ReadAt(writer.fd_.get(), 0, header, path));
  if (got == kJournalHeaderBytes) {
    Result<void> checked = CheckJournalHeader(header, identity);
    if (!checked) return WithContext(context, std::move(checked).error());
    Result<void> recovered = writer.Recover(std::max(valid_bytes, kHeaderEnd), file_bytes);
    if (!recovered) return WithContext(context, std::move(recovered).error());
    AZ_RETURN_IF_ERROR(RaiseVersion(path, header, identity));
    return writer;
  }
  // Only the start of a header of ours may be written over.
  const auto ours = EncodeJournalHeader(identity);
  if (!std::equal(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(got),
                  ours.begin())) {
    return Error{Errc::kCorrupt, StrCat(context, ": its ", got,
                                        " bytes are not the start of this lane's journal "
                                        "(move the file away)")};
  }
  Result<void> written = writer.WriteHeader(identity);
  if (!written) return WithContext(context, std::move(written).error());
  return writer;
}

Result<void> JournalWriter::WriteHeader(const JournalIdentity& identity) {
  if (::ftruncate(fd_.get(), 0) != 0) {
    return SystemError(StrCat("truncate ", path_.string()), errno);
  }
  AZ_RETURN_IF_ERROR(WriteAll(fd_.get(), EncodeJournalHeader(identity), path_.string()));
  size_bytes_ = kHeaderEnd;
  return SyncFolderOf(path_);
}

Result<void> JournalWriter::Recover(std::int64_t valid_bytes, std::int64_t file_bytes) {
  JournalProgress progress;
  progress.valid_bytes = valid_bytes;
  AZ_RETURN_IF_ERROR(Scan(
      fd_.get(), path_, file_bytes, [](JournalRecord&&) {}, progress));
  size_bytes_ = progress.valid_bytes;
  if (progress.end == JournalEnd::kClean) return {};
  recovery_.cut_bytes = file_bytes - size_bytes_;
  recovery_.fault = progress.fault;
  if (progress.end == JournalEnd::kCorrupt) {
    // Damage can hide whole records behind it, so that a person may want these bytes back.
    std::vector<std::byte> cut(static_cast<std::size_t>(recovery_.cut_bytes));
    AZ_ASSIGN_OR_RETURN(const std::size_t got, ReadAt(fd_.get(), size_bytes_, cut, path_));
    recovery_.saved_as = StrCat(path_.string(), ".cut_at_", size_bytes_);
    const std::span<const std::byte> part = std::span(cut).first(got);
    AZ_RETURN_IF_ERROR(WriteFileAtomic(recovery_.saved_as, std::span(&part, 1)));
  }
  if (::ftruncate(fd_.get(), size_bytes_) != 0) {
    return SystemError(StrCat("truncate ", path_.string()), errno);
  }
  return {};
}

Result<void> JournalWriter::Append(const JournalRecord& record) {
  if (broken_) {
    return Error{Errc::kIo, StrCat("append to ", path_.string(),
                                   ": an earlier append left half a record (open it again)")};
  }
  buffer_.clear();
  AppendJournalRecord(record, buffer_);
  Result<void> written = WriteAll(fd_.get(), buffer_, path_.string());
  if (!written) {
    broken_ = ::ftruncate(fd_.get(), size_bytes_) != 0;
    return written;
  }
  size_bytes_ += static_cast<std::int64_t>(buffer_.size());
  return {};
}

Result<void> JournalWriter::Sync() { return SyncFile(fd_.get(), path_); }

JournalReader::JournalReader(std::filesystem::path path, JournalIdentity identity)
    : path_(std::move(path)), identity_(std::move(identity)) {}

// True: records can be read from valid_bytes_ on. False: the header is not there yet.
Result<bool> JournalReader::ReadHeader(std::int64_t file_bytes, JournalProgress& progress) {
  if (valid_bytes_ > 0) return true;
  if (file_bytes < kHeaderEnd) {
    if (file_bytes > 0) {
      progress.end = JournalEnd::kTorn;
      progress.fault = StrCat(path_.string(), ": it ends inside its header");
    }
    return false;
  }
  std::vector<std::byte> header(kJournalHeaderBytes);
  AZ_ASSIGN_OR_RETURN(const std::size_t got, ReadAt(fd_.get(), 0, header, path_));
  if (got < kJournalHeaderBytes) return false;
  Result<void> checked = CheckJournalHeader(header, identity_);
  if (!checked) {
    return WithContext(StrCat("read journal ", path_.string()), std::move(checked).error());
  }
  valid_bytes_ = kHeaderEnd;
  return true;
}

Result<JournalProgress> JournalReader::ReadNew(const Sink& sink, std::int64_t limit_bytes) {
  JournalProgress progress;
  if (!fd_.valid()) {
    fd_.Reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd_.valid() && errno == ENOENT) return progress;
    if (!fd_.valid()) return SystemError(StrCat("open journal ", path_.string()), errno);
  }
  AZ_ASSIGN_OR_RETURN(const std::int64_t file_bytes, FileBytes(fd_.get(), path_));
  if (file_bytes < valid_bytes_) {
    return Error{Errc::kCorrupt,
                 StrCat("read journal ", path_.string(), ": it has ", file_bytes, " bytes, but ",
                        valid_bytes_, " were read before (restore the file)")};
  }
  AZ_ASSIGN_OR_RETURN(const bool readable, ReadHeader(file_bytes, progress));
  progress.valid_bytes = valid_bytes_;
  if (!readable) return progress;
  const Result<void> scanned =
      Scan(fd_.get(), path_, std::min(file_bytes, limit_bytes), sink, progress);
  valid_bytes_ =
      progress.valid_bytes;  // what the sink has seen stays seen, even if the disk then failed
  AZ_RETURN_IF_ERROR(scanned);
  return progress;
}

Result<void> JournalReader::Sync() const {
  if (!fd_.valid()) return {};  // there is no file yet
  return SyncFile(fd_.get(), path_);
}

}  // namespace az
