#pragma once
// Checks the folder that az_inspect was given, and reads the state of the run in it.

#include <filesystem>

#include "base/result.h"
#include "engine/run/run_state.h"

namespace az {

// Fails with kNotFound when there is nothing, and with kInvalid when it is no folder.
Result<void> CheckFolder(const std::filesystem::path& dir);

// Reads dir/state.json. Fails with kNotFound when the folder is no run's, and as RunStateFromJson
// does, naming the file and what to do.
Result<RunState> ReadRunState(const std::filesystem::path& dir);

}  // namespace az
