#pragma once
// One start of az_arena, from the request to the table of results, or to a signal. The folder keeps
// the journals of all games, so the same command continues after any end and repeats no game.

#include <filesystem>

#include "base/exit_codes.h"
#include "engine/run/progress.h"
#include "engine/tournament/arena_setup.h"

namespace az {

struct ArenaRunOptions {
  DisplayStyle style = DisplayStyle::kLines;
  bool colour = false;
  // Standard output gets only the JSON object; everything else goes to standard error.
  bool json = false;
  std::filesystem::path programs;  // the folder of az_worker and az_device
};

// Plays the tournament, prints the results, writes result.json, result.csv and the games
// (arena_games.h) into the folder, and returns the program's exit code: 128 + n when signal n
// stopped it in good order. REQUIRES: the process has one thread.
int RunArena(const ArenaRequest& request, const ArenaRunOptions& options);

}  // namespace az
