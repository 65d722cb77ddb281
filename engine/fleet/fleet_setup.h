#pragma once
// What a ProcessFleet is made of.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "engine/config/run_config.h"
#include "engine/run/run_state.h"
#include "games/game_ops.h"
#include "scheduler/plan.h"

namespace az {

struct FleetSetup {
  const RunConfig& config;  // these references outlive the fleet
  Plan plan;
  const GameOps& game;
  const Clock& clock;
  const Log& log;
  std::filesystem::path run_dir;
  std::string run_id;                 // 32 hex digits
  std::uint32_t iteration = 0;        // of the run: self-play of earlier ones is not asked for
  std::vector<LaneBytes> trained_on;  // what the journals must still hold
  std::filesystem::path programs;     // folder of az_worker and az_device
  bool with_device = true;            // false: no player of any phase has a network
  bool other_networks = false;        // players have networks of other sizes than the config's
  int log_fd = -1;                    // the children's standard output and error; borrowed
  std::function<void()> on_tick;  // a few times a second while something is awaited; may be empty
  std::function<void(int)> on_signal;            // SIGINT, SIGTERM or SIGHUP came; may be empty
  std::function<void(const std::string&)> warn;  // what a person must know of; may be empty
  // The caller works on the lanes itself: no worker is started, and nothing is played by phases.
  bool own_lanes = false;
};

}  // namespace az
