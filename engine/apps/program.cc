#include "engine/apps/program.h"

#include <cstdio>
#include <system_error>

#include "base/exit_codes.h"
#include "base/standard_output.h"
#include "engine/process/process_setup.h"

namespace az {

int RunProgram(const char* name, CLI::App& app, int argc, char** argv,
               const std::function<int()>& run) {
  if (const Result<void> hardened = HardenProcess(); !hardened) {
    return Complain(name, hardened.error());
  }
  ExitWhenOutOfMemory(name);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  return run();
}

int Print(const char* name, std::string_view text) {
  const Result<void> printed = PrintOut(text);
  return printed ? static_cast<int>(ExitCode::kOk) : Complain(name, printed.error());
}

Result<std::filesystem::path> FindPrograms() {
  std::error_code code;
  std::filesystem::path programs =
      std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
  if (code || std::filesystem::current_path(code).empty()) {
    return Error{Errc::kUnavailable,
                 "the working directory or /proc is gone: start it from a folder that exists"};
  }
  return programs;
}

}  // namespace az
