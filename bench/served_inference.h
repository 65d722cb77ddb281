#pragma once
// Measures the inference server under worker processes that only submit: random positions in full
// blocks, all blocks in flight, no search; and beside it the bare loop of the same runners.

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "games/game_ops.h"
#include "scheduler/net_shape.h"
#include "scheduler/precision.h"

namespace az {

struct ServedSettings {
  NetShape net;
  const GameInfo& game;
  std::string device = "cpu";  // "cpu" or "cuda:0"
  int workers = 2;
  int blocks = 6;  // per worker
  int rows = 32;   // per block
  int runners = 2;
  int batch = 128;  // the server's largest batch, and the bare loop's batch
  Auto<Precision> precision;
  Duration window{};
  int windows = 5;
};

// Medians over the windows. Each served window has a bare one right after it, and `ratio` is the
// median of their quotients.
struct ServedFigures {
  std::string device;
  double served_rows_per_s = 0;
  double bare_rows_per_s = 0;
  double ratio = 0;
  double mean_batch_rows = 0;
  double busy_fraction = 0;  // the runners' share of busy time
};

// Forks the workers first, then opens the device in this process. REQUIRES: this process has one
// thread and has not used LibTorch; it should end soon afterwards.
Result<ServedFigures> MeasureServed(const ServedSettings& settings);

}  // namespace az
