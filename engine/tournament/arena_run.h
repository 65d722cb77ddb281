#pragma once
// One start of az_arena: from what it was asked to the table, or to a signal. Its folder keeps the
// journals of all games, so the same command goes on after any end, and plays none of them again.

#include <filesystem>

#include "base/exit_codes.h"
#include "engine/run/progress.h"
#include "engine/tournament/arena_setup.h"

namespace az {

struct ArenaRunOptions {
  DisplayStyle style = DisplayStyle::kLines;
  bool colour = false;
  bool json = false;               // standard output gets the JSON object alone, the rest goes to
                                   // standard error
  std::filesystem::path programs;  // folder of az_worker and az_device
};

// Prints, writes result.json, result.csv and the games (arena_games.h) into the folder, and returns
// the program's exit code: 128 + n after a signal n that stopped it in good order. REQUIRES: the
// process has one thread.
int RunArena(const ArenaRequest& request, const ArenaRunOptions& options);

}  // namespace az
