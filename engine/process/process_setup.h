#pragma once
// What a program does to its own process before anything else, so that no surrounding can end it
// without a word.

#include "base/result.h"

namespace az {

// Standard descriptors that are closed become /dev/null (a file opened later would take their place
// and be written to); SIGPIPE and SIGXFSZ are ignored (the write fails instead, with an error that
// somebody can tell). Once, before other threads and files. Fails: kUnavailable, without /dev/null.
Result<void> HardenProcess();

// From now on `new` without memory prints one line to standard error and ends the process with
// ExitCode::kEnvironment: there is no state to save that is not on disk already. `program` must
// outlive the process.
void ExitWhenOutOfMemory(const char* program);

}  // namespace az
