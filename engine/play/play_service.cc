#include "engine/play/play_service.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/strings.h"

namespace az {
namespace {

constexpr int kLane = 0;
constexpr std::string_view kFolderPrefix = "az_play";
constexpr auto kYoung = std::chrono::minutes(1);  // a younger folder may not be locked yet

namespace fs = std::filesystem;

// Whether a folder of this user was made by a process that has since died.
bool IsLeftBehind(const fs::path& folder) {
  if (!folder.filename().string().starts_with(StrCat(kFolderPrefix, "."))) return false;
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return false;
  if (info.st_uid != ::geteuid()) return false;
  std::error_code code;
  const fs::file_time_type changed = fs::last_write_time(folder, code);
  if (code || fs::file_time_type::clock::now() - changed < kYoung) return false;
  const fs::path lock = folder / "run" / "lock";
  return fs::exists(lock, code) && FileLock::Acquire(lock).has_value();
}

// Removes the folders of processes that were killed before they could clean up.
void RemoveLeftBehind() {
  std::error_code ignored;
  const fs::path parent = fs::temp_directory_path(ignored);
  std::vector<fs::path> left;
  for (fs::directory_iterator at(parent, ignored), end; at != end; at.increment(ignored)) {
    if (IsLeftBehind(at->path())) left.push_back(at->path());
  }
  for (const fs::path& folder : left) fs::remove_all(folder, ignored);
}

// The config with everything small that a run needs beside playing, so that the plan is the
// player's.
RunConfig WithoutTraining(RunConfig config) {
  config.num_workers = 1;
  config.arena.num_workers = 1;
  config.memory.model_sharing = ModelSharing::kShared;
  config.train.batch = 1;
  config.train.accumulate_grad_batches = 1;
  config.train.min_positions = 1;
  config.train.window_start = 1;
  config.train.window_max = 1;
  return config;
}

}  // namespace

Result<std::unique_ptr<PlayService>> PlayService::Start(const ServiceSetup& setup) {
  RemoveLeftBehind();
  AZ_ASSIGN_OR_RETURN(
      std::unique_ptr<TemporaryRun> run,
      TemporaryRun::Plan(kFolderPrefix, WithoutTraining(setup.config), setup.programs));
  std::unique_ptr<PlayService> service(new PlayService(std::move(run)));
  if (const Result<void> begun = service->Begin(setup); !begun) {
    return WithContext("start the inference server", begun.error());
  }
  return service;
}

Result<void> PlayService::Begin(const ServiceSetup& setup) {
  AZ_RETURN_IF_ERROR(
      run_->Start({.programs = setup.programs, .on_signal = setup.on_signal, .own_lanes = true}));
  ProcessFleet& fleet = run_->fleet();
  AZ_RETURN_IF_ERROR(fleet.Load(0, setup.weights, kVersion));
  evaluator_.emplace(fleet.SegmentOf(kLane), kLane, 1);
  served_.emplace(
      *evaluator_, [&fleet] { return fleet.Look(); }, run_->clock());
  return {};
}

}  // namespace az
