#pragma once
// RunDir: the folder of one run and everything that is decided when it is opened: new, resumed, in
// use, of another config, of another version. Layout in docs/formats/run_directory.md.

#include <filesystem>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "engine/config/run_config.h"
#include "engine/run/run_state.h"

namespace az {

// The ways out that errors name, in the words of the program's command line; az_train's here.
struct RunDirAdvice {
  std::string_view other_folder = "choose another run.dir or run.name";
  std::string_view start_over = "start over with --fresh";
};

// Holds the folder's lock until destroyed. Thread-compatible.
class RunDir {
 public:
  // What a run is told to do with a folder that exists.
  enum class Mode : std::uint8_t { kResume, kFresh };

  // The folder that `config` names; Open may take another one for kFresh.
  static std::filesystem::path WantedPath(const RunConfig& config);
  // Opens or creates the folder that `config` names (run.dir, or runs/<run.name>). kFresh takes the
  // next free name ("runs/5x5-2") when it exists. A new run has its config.yaml and state.json from
  // here on, a resumed one gets a new config.yaml when keys changed that may change. Fails: kBusy
  // (a live process holds it), kInvalid (no folder, or one of other things), kIncompatible (another
  // config, with the differing keys; another format), kCorrupt (state.json or config.yaml missing
  // or damaged), kUnavailable (no right to write), kNoSpace, kIo.
  static Result<RunDir> Open(const RunConfig& config, Mode mode, const RunDirAdvice& advice = {});

  const std::filesystem::path& path() const { return path_; }
  bool is_new() const { return is_new_; }  // this start made it
  RunState& state() { return state_; }
  const RunState& state() const { return state_; }
  Result<void> SaveState() const;

  std::filesystem::path journal() const { return path_ / "journal"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path checkpoint(const std::string& name) const { return checkpoints() / name; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path yardstick() const { return path_ / "yardstick.jsonl"; }
  std::filesystem::path plan() const { return path_ / "plan.json"; }
  std::filesystem::path log() const { return path_ / "log.txt"; }

 private:
  RunDir(std::filesystem::path path, FileLock lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  Result<void> Create(const RunConfig& config);
  Result<void> Resume(const RunConfig& config, const RunDirAdvice& advice);

  std::filesystem::path path_;
  FileLock lock_;
  bool is_new_ = false;
  RunState state_;
};

// "iter_000012".
std::string CheckpointName(std::uint32_t iteration);

// Removes checkpoints that the options do not keep: all but the newest `keep`, every `every`-th,
// the first, and the names in `always`. Also temporary folders of interrupted writes. Errors are
// returned, the run may go on.
Result<void> PruneCheckpoints(const RunDir& dir, const LoopOptions& options);

}  // namespace az
