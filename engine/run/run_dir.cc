#include "engine/run/run_dir.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <system_error>
#include <vector>

#include "base/strings.h"
#include "engine/config/config_identity.h"
#include "engine/config/config_printer.h"
#include "engine/config/config_reader.h"
#include "engine/config/validate.h"
#include "engine/ipc/run_id.h"

namespace az {
namespace {

namespace fs = std::filesystem;

fs::path FreeName(const fs::path& wanted) {
  std::error_code code;
  for (int number = 2; fs::exists(wanted, code); ++number) {
    const fs::path candidate = StrCat(wanted.string(), "-", number);
    if (!fs::exists(candidate, code)) return candidate;
  }
  return wanted;
}

// Makes sure that `path` is a folder that a run may have: missing, empty, or a run's.
Result<void> ClaimFolder(const fs::path& path, const RunDirAdvice& advice) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (fs::exists(status) && !fs::is_directory(status)) {
    return Error{Errc::kInvalid,
                 StrCat("run directory ", path.string(), " is a file (", advice.other_folder, ")")};
  }
  if (Result<void> made = MakeDirectories(path); !made) {
    Error error = std::move(made).error();
    if (error.code == Errc::kNotFound || error.code == Errc::kIo) error.code = Errc::kUnavailable;
    error.message = StrCat("run directory: ", error.message, " (", advice.other_folder, ")");
    return error;
  }
  if (fs::exists(path / "lock", code) || fs::exists(path / "state.json", code)) return {};
  const fs::directory_iterator first(path, code);
  if (!code && first != fs::directory_iterator()) {
    return Error{Errc::kInvalid,
                 StrCat("run directory ", path.string(), " is no run and not empty (it has ",
                        first->path().filename().string(), "): ", advice.other_folder)};
  }
  return {};
}

bool HoldsFiles(const fs::path& folder) {
  std::error_code code;
  const fs::directory_iterator first(folder, code);
  return !code && first != fs::directory_iterator();
}

Error Damaged(const fs::path& path, std::string_view what, const RunDirAdvice& advice) {
  return Error{Errc::kCorrupt, StrCat("resume: ", path.string(), " ", what,
                                      " (restore it from a copy, or ", advice.start_over, ")")};
}

Result<RunConfig> ReadSavedConfig(const fs::path& path, const RunDirAdvice& advice) {
  Result<std::string> text = ReadFile(path);
  if (!text) return Damaged(path, StrCat("cannot be read: ", text.error().message), advice);
  Result<LoadedConfig> loaded = ReadConfigText(*text, path, {});
  if (!loaded) {
    return Error{
        Errc::kIncompatible,
        StrCat(
            "the run's saved config cannot be read by this build (use the build that wrote it, or ",
            advice.start_over, "):\n", loaded.error().message)};
  }
  return loaded->config;
}

}  // namespace

std::string CheckpointName(std::uint32_t iteration) {
  std::string digits = StrCat(iteration);
  digits.insert(0, digits.size() < 6 ? 6 - digits.size() : 0, '0');
  return "iter_" + digits;
}

fs::path RunDir::WantedPath(const RunConfig& config) {
  if (config.run.dir != "auto") return config.run.dir;
  return fs::path("runs") / config.run.name;
}

Result<RunDir> RunDir::Open(const RunConfig& config, Mode mode, const RunDirAdvice& advice) {
  fs::path path = WantedPath(config);
  if (mode == Mode::kFresh) path = FreeName(path);
  std::error_code code;
  const bool begins = !fs::exists(path / "state.json", code);
  if (const auto fault = FaultOfNewName(config.run); begins && fault) {
    return Error{Errc::kInvalid, fault->text};
  }
  AZ_RETURN_IF_ERROR(ClaimFolder(path, advice));
  Result<FileLock> lock = FileLock::Acquire(path / "lock");
  if (!lock) {
    Error error = std::move(lock).error();
    if (error.code == Errc::kBusy) {
      error.message = StrCat("run directory ", path.string(), " is in use: ", error.message,
                             " (wait for it, stop it, or ", advice.other_folder, ")");
    }
    return error;
  }
  RunDir dir(std::move(path), std::move(lock).value());
  dir.is_new_ = !fs::exists(dir.path_ / "state.json", code);
  // It is written before the first game and the first network.
  if (dir.is_new_ && (HoldsFiles(dir.journal()) || HoldsFiles(dir.checkpoints()))) {
    return Damaged(dir.path_ / "state.json", "is missing, but games or checkpoints are there",
                   advice);
  }
  AZ_RETURN_IF_ERROR(dir.is_new_ ? dir.Create(config) : dir.Resume(config, advice));
  return dir;
}

Result<void> RunDir::Create(const RunConfig& config) {
  AZ_RETURN_IF_ERROR(MakeDirectories(journal()));
  AZ_RETURN_IF_ERROR(MakeDirectories(checkpoints()));
  AZ_RETURN_IF_ERROR(WriteFileAtomic(path_ / "config.yaml", ToYaml(config)));
  AZ_ASSIGN_OR_RETURN(const RunId run_id, NewRunId());
  state_ = RunState{};
  state_.run_id = ToHex(run_id);
  return SaveState();
}

Result<void> RunDir::Resume(const RunConfig& config, const RunDirAdvice& advice) {
  AZ_ASSIGN_OR_RETURN(const std::string text, ReadFile(path_ / "state.json"));
  Result<RunState> state = RunStateFromJson(text);
  if (!state && state.error().code == Errc::kCorrupt) {
    return Damaged(path_ / "state.json", StrCat("is damaged: ", state.error().message), advice);
  }
  if (!state) return WithContext(StrCat("resume ", path_.string()), std::move(state).error());
  state_ = std::move(state).value();
  AZ_ASSIGN_OR_RETURN(const RunConfig saved, ReadSavedConfig(path_ / "config.yaml", advice));
  AZ_RETURN_IF_ERROR(CheckResume(saved, config, path_.string(), advice.start_over));
  if (!DifferencesOf(saved, config).empty()) {
    AZ_RETURN_IF_ERROR(WriteFileAtomic(path_ / "config.yaml", ToYaml(config)));
  }
  return {};
}

Result<void> RunDir::SaveState() const {
  return WriteFileAtomic(path_ / "state.json", ToJson(state_));
}

Result<void> PruneCheckpoints(const RunDir& dir, const LoopOptions& options) {
  std::error_code code;
  std::vector<std::string> names;
  std::vector<fs::path> doomed;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir.checkpoints(), code)) {
    const std::string name = entry.path().filename().string();
    unsigned iteration = 0;
    char rest = 0;
    if (std::sscanf(name.c_str(), "iter_%u%c", &iteration, &rest) == 1) {
      names.push_back(name);
    } else if (name.starts_with(".iter_") && name.ends_with(".tmp")) {
      doomed.push_back(entry.path());  // an interrupted write's; other names are a person's
    }
  }
  if (code) return SystemError(StrCat("list ", dir.checkpoints().string()), code.value());
  std::sort(names.begin(), names.end());
  const RunState& state = dir.state();
  const std::set<std::string> always = {state.best, state.candidate, state.learner,
                                        CheckpointName(0)};
  const std::size_t old =
      names.size() - std::min(names.size(), static_cast<std::size_t>(options.keep_checkpoints));
  for (std::size_t i = 0; i < old; ++i) {
    unsigned iteration = 0;
    std::sscanf(names[i].c_str(), "iter_%u", &iteration);
    const bool milestone = options.checkpoint_every > 0 &&
                           iteration % static_cast<unsigned>(options.checkpoint_every) == 0;
    if (!milestone && !always.contains(names[i])) doomed.push_back(dir.checkpoint(names[i]));
  }
  for (const fs::path& path : doomed) {
    fs::remove_all(path, code);
    if (code) return SystemError(StrCat("remove ", path.string()), code.value());
  }
  return {};
}

}  // namespace az
