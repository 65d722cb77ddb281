#include "engine/memory/temporary_run.h"

#include <fcntl.h>

#include <cerrno>

#include "base/strings.h"

namespace az {

Result<std::unique_ptr<TemporaryRun>> TemporaryRun::Plan(std::string_view name, RunConfig config,
                                                         const std::filesystem::path& programs) {
  AZ_ASSIGN_OR_RETURN(TempFolder folder, TempFolder::Make(name));
  config.run.dir = (folder.path() / "run").string();
  AZ_ASSIGN_OR_RETURN(PlannedRun planned, PlanRun(config, programs));
  config.engine.device = planned.engine_device;
  return std::unique_ptr<TemporaryRun>(
      new TemporaryRun(name, std::move(folder), std::move(config), std::move(planned)));
}

Result<void> TemporaryRun::Start(const Processes& processes) {
  Result<RunDir> dir = RunDir::Open(config_, RunDir::Mode::kResume);
  if (!dir) return std::move(dir).error();
  dir_.emplace(std::move(dir).value());
  log_fd_.Reset(::open(dir_->log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log_fd_.valid()) return SystemError(StrCat("open ", dir_->log().string()), errno);
  log_.emplace(log_fd_.get(), name_);
  AZ_ASSIGN_OR_RETURN(fleet_, ProcessFleet::Start({.config = config_,
                                                   .plan = planned_.plan,
                                                   .game = *planned_.game,
                                                   .clock = clock_,
                                                   .log = *log_,
                                                   .run_dir = dir_->path(),
                                                   .run_id = dir_->state().run_id,
                                                   .programs = processes.programs,
                                                   .log_fd = log_fd_.get(),
                                                   .on_tick = {},
                                                   .on_signal = processes.on_signal,
                                                   .own_lanes = processes.own_lanes}));
  return {};
}

}  // namespace az
