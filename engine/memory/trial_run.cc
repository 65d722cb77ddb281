#include "engine/memory/trial_run.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/log.h"
#include "base/strings.h"
#include "base/temp_folder.h"
#include "engine/fleet/process_fleet.h"
#include "engine/run/run_dir.h"

namespace az {
namespace {

constexpr std::uint32_t kEndless = 10'000'000;  // games: more than are played in any window

// Looks at the fleet while it plays. Confined to the call of RunTrial.
class Watch {
 public:
  Watch(const TrialSetup& setup, Fleet& fleet)
      : setup_(setup), fleet_(fleet), start_(setup.clock.Now()) {}

  // True when the window is over.
  bool Tick() {
    const TimePoint now = setup_.clock.Now();
    trial_.memory = std::max(trial_.memory, fleet_.Memory().Ram());
    if (now - start_ < setup_.warm_up) return false;
    const FleetTotals totals = fleet_.Totals();
    if (!first_) {
      first_ = totals;
      began_ = now;
      return false;
    }
    if (now - began_ < setup_.window) return false;
    const double seconds = Seconds(now - began_);
    trial_.moves_per_s = static_cast<double>(totals.moves - first_->moves) / seconds;
    trial_.rows_per_s = static_cast<double>(totals.rows - first_->rows) / seconds;
    return true;
  }
  const Trial& trial() const { return trial_; }

 private:
  const TrialSetup& setup_;
  Fleet& fleet_;
  const TimePoint start_;
  TimePoint began_{};
  std::optional<FleetTotals> first_;
  Trial trial_;
};

}  // namespace

Result<Trial> RunTrial(const TrialSetup& setup, const Plan& plan) {
  AZ_ASSIGN_OR_RETURN(const TempFolder folder, TempFolder::Make("az_trial"));
  RunConfig config = setup.config;
  config.run.dir = (folder.path() / "run").string();
  AZ_ASSIGN_OR_RETURN(const RunDir dir, RunDir::Open(config, RunDir::Mode::kResume));
  const UniqueFd log_fd(::open(dir.log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log_fd.valid()) return SystemError(StrCat("open ", dir.log().string()), errno);
  const Log log(log_fd.get(), "trial");
  AZ_ASSIGN_OR_RETURN(const std::unique_ptr<ProcessFleet> fleet,
                      ProcessFleet::Start({.config = config,
                                           .plan = plan,
                                           .game = setup.game,
                                           .clock = setup.clock,
                                           .log = log,
                                           .run_dir = dir.path(),
                                           .run_id = dir.state().run_id,
                                           .programs = setup.programs,
                                           .log_fd = log_fd.get(),
                                           .on_tick = {}}));
  TrainMessage first;  // from nothing: a fresh network
  first.to = dir.checkpoint(CheckpointName(0)).string();
  AZ_RETURN_IF_ERROR(MakeDirectories(dir.checkpoints()));
  AZ_ASSIGN_OR_RETURN([[maybe_unused]] const TrainedMessage made,
                      fleet->Train(first, [](const TrainProgressMessage&) {}));
  AZ_RETURN_IF_ERROR(fleet->Load(0, first.to, 1));
  Watch watch(setup, *fleet);
  GamePhaseSpec spec;
  spec.games = kEndless;
  spec.workers = plan.num_workers;
  spec.players = {PlayerMessage{}};
  spec.on_finished = [](const FinishedGame&) { return true; };
  spec.enough = [&watch] { return watch.Tick(); };
  AZ_RETURN_IF_ERROR(fleet->Play(spec));
  return watch.trial();
}

}  // namespace az
