#pragma once
// What the programs that people start do alike, around their own work.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace az {

// All of a main function once `app` has its options: hardens the process, parses, runs. Returns the
// exit code: what `run` returns, 0 after --help, ExitCode::kUsage for a wrong command line. `name`
// outlives the process.
int RunProgram(const char* name, CLI::App& app, int argc, char** argv,
               const std::function<int()>& run);

// Prints "<name>: <message>" to standard error; the exit code of that error.
int Complain(const char* name, const Error& error);

// Prints a program's result, all of it or an error, as Complain does. The exit code.
int Print(const char* name, std::string_view text);

// The folder of the running program, where its siblings are. kUnavailable: without /proc, or from a
// working directory that is gone, as a run would fail on it later.
Result<std::filesystem::path> FindPrograms();

}  // namespace az
