#pragma once
// The folder that az_inspect was given, and where the run in it stands.

#include <filesystem>

#include "base/result.h"
#include "engine/run/run_state.h"

namespace az {

// kNotFound: nothing there; kInvalid: no folder.
Result<void> CheckFolder(const std::filesystem::path& dir);

// Of dir/state.json. kNotFound: the folder is no run's; kCorrupt, kIncompatible as
// RunStateFromJson, with the file and what to do.
Result<RunState> ReadRunState(const std::filesystem::path& dir);

}  // namespace az
