#include "engine/process/proc_memory.h"

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/strings.h"

namespace az {
namespace {

// The value of a line "Name:   123 kB".
Result<Bytes> FindKilobytes(std::string_view text, std::string_view name) {
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    std::string_view value = Trim(line.substr(name.size() + 1));
    std::int64_t kilobytes = 0;
    if (value.ends_with(" kB") && ParseInt(Trim(value.substr(0, value.size() - 3)), kilobytes)) {
      return KiB(kilobytes);
    }
  }
  return Error{Errc::kCorrupt, StrCat("line ", name, " in kB is missing")};
}

// A process that ends while its files are read looks like one that is not there.
template <class T, class F>
Result<T> ReadAndParse(pid_t pid, std::string_view file, F parse) {
  const std::string path = StrCat("/proc/", pid, "/", file);
  const Result<std::string> text = ReadFile(path);
  if (!text) return Error{Errc::kNotFound, text.error().message};
  Result<T> value = parse(*text);
  if (!value) {
    return Error{Errc::kNotFound,
                 StrCat("read ", path, ": ", value.error().message, " (the process has ended)")};
  }
  return value;
}

}  // namespace

Result<ProcMemory> ParseProcStatus(std::string_view text) {
  ProcMemory memory;
  AZ_ASSIGN_OR_RETURN(memory.anonymous, FindKilobytes(text, "RssAnon"));
  AZ_ASSIGN_OR_RETURN(memory.file, FindKilobytes(text, "RssFile"));
  AZ_ASSIGN_OR_RETURN(memory.shared, FindKilobytes(text, "RssShmem"));
  return memory;
}

Result<Bytes> ParseSmapsRollup(std::string_view text) { return FindKilobytes(text, "Pss"); }

Result<Duration> ParseProcStat(std::string_view text, long ticks_per_s) {
  // The second field is the program's name in parentheses and may hold anything, parentheses
  // included.
  const std::size_t name_end = text.rfind(')');
  if (name_end != std::string_view::npos) {
    const auto fields = Split(Trim(text.substr(name_end + 1)), ' ');  // [0] is field 3, the state
    std::int64_t user = 0;
    std::int64_t system = 0;
    if (fields.size() > 12 && ParseInt(fields[11], user) && ParseInt(fields[12], system)) {
      return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(
          static_cast<double>(user + system) / static_cast<double>(ticks_per_s)));
    }
  }
  return Error{Errc::kCorrupt, "fields utime and stime are missing"};
}

Result<ProcMemory> ReadProcMemory(pid_t pid) {
  return ReadAndParse<ProcMemory>(pid, "status", ParseProcStatus);
}

Result<Bytes> ReadProportionalMemory(pid_t pid) {
  return ReadAndParse<Bytes>(pid, "smaps_rollup", ParseSmapsRollup);
}

Duration ThreadCpuTime() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Result<Duration> ReadCpuTime(pid_t pid) {
  const long ticks_per_s = ::sysconf(_SC_CLK_TCK);
  return ReadAndParse<Duration>(pid, "stat", [ticks_per_s](std::string_view text) {
    return ParseProcStat(text, ticks_per_s);
  });
}

TreeMemory SumMemory(std::span<const pid_t> pids) {
  TreeMemory sum;
  for (const pid_t pid : pids) {
    const Result<ProcMemory> memory = ReadProcMemory(pid);
    const Result<Bytes> proportional = ReadProportionalMemory(pid);
    if (!memory || !proportional) continue;
    sum.anonymous += memory->anonymous;
    sum.proportional += *proportional;
    ++sum.processes;
  }
  return sum;
}

}  // namespace az
