#pragma once
// Memory and CPU time of processes, from /proc: what the run really uses, for display, metrics and
// the memory tests. The cgroup's limit is engine/ipc/memory_limits.h.

#include <sys/types.h>

#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"

namespace az {

struct ProcMemory {
  Bytes anonymous;  // heap and stacks: freed when the process ends
  Bytes file;       // mapped programs and files: the kernel can drop them
  Bytes shared;     // shared memory, the segment among it: counted in every process that touched it
};

// Microseconds to read. Fails: kNotFound (no such process, or ended and not yet reaped).
Result<ProcMemory> ReadProcMemory(pid_t pid);

// Proportional set size: pages shared by k processes count 1/k, so that the sum over a tree is what
// the tree uses. Walks the page tables: milliseconds for a large process. Fails: kNotFound.
Result<Bytes> ReadProportionalMemory(pid_t pid);

// User and system time of all its threads so far. Fails: kNotFound.
Result<Duration> ReadCpuTime(pid_t pid);

// User and system time of the calling thread so far.
Duration ThreadCpuTime();

struct TreeMemory {
  Bytes proportional;  // sum over the processes
  Bytes anonymous;
  int processes = 0;  // that were there
};
// Over these processes; those that have ended meanwhile are left out.
TreeMemory SumMemory(std::span<const pid_t> pids);

// The texts behind it. Fail: kCorrupt, naming the line that is missing.
Result<ProcMemory> ParseProcStatus(std::string_view text);                // /proc/PID/status
Result<Bytes> ParseSmapsRollup(std::string_view text);                    // /proc/PID/smaps_rollup
Result<Duration> ParseProcStat(std::string_view text, long ticks_per_s);  // /proc/PID/stat

}  // namespace az
