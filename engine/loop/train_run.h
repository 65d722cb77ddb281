#pragma once
// One start of az_train: from a config that was read to the end of the run or to a signal. The
// program around it only parses.

#include <filesystem>
#include <string>

#include "base/exit_codes.h"
#include "engine/config/config_reader.h"
#include "engine/run/progress.h"
#include "engine/run/run_dir.h"

namespace az {

struct TrainRunOptions {
  RunDir::Mode mode = RunDir::Mode::kResume;
  DisplayStyle style = DisplayStyle::kLines;
  bool colour = false;
  std::filesystem::path programs;  // folder of az_worker and az_device
  ConfigOrigins origins;           // of the config's values, for errors
};

// Prints to standard output what a person sees, and errors to standard error. Returns the program's
// exit code: 128 + n after a signal n that stopped the run in good order. REQUIRES: the process has
// one thread.
int RunTraining(const RunConfig& config, const TrainRunOptions& options);

}  // namespace az
