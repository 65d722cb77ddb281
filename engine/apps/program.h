#pragma once
// The common frame of the programs that people start.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/exit_codes.h"
#include "base/result.h"

namespace az {

// Does everything that a main function does after `app` has its options: hardens the process,
// parses, runs. Returns the exit code: that of `run`, 0 after --help, ExitCode::kUsage for a wrong
// command line. `name` outlives the process.
int RunProgram(const char* name, CLI::App& app, int argc, char** argv,
               const std::function<int()>& run);

// Prints a program's result and returns the exit code; if not all of it could be printed it
// complains.
int Print(const char* name, std::string_view text);

// The folder of the running program, where its siblings are. Fails with kUnavailable without /proc,
// and in a working directory that no longer exists, where a run would fail later.
Result<std::filesystem::path> FindPrograms();

}  // namespace az
