#pragma once
// Gradient checkpointing as a person asks for it: residual blocks are recomputed in the backward
// pass instead of kept. Exact, about a third more compute.

#include <algorithm>
#include <cmath>

namespace az {

struct Checkpointing {
  int blocks = 0;  // per segment; 0: off, kChosen: on, with the number that suits the network best

  static constexpr int kChosen = -1;
  static constexpr Checkpointing Off() { return {0}; }
  static constexpr Checkpointing On() { return {kChosen}; }

  friend constexpr bool operator==(const Checkpointing&, const Checkpointing&) = default;
};

// The blocks per segment that keep the least memory. One input per segment and the inside of one
// segment stay alive, so it is about half the square root of the number of blocks.
inline int BestSegment(int res_blocks) {
  return std::max(1, static_cast<int>(std::lround(std::sqrt(std::max(0, res_blocks)) / 2)));
}

// The blocks per segment that `asked` means: 0 is off; never more blocks than there are.
inline int SegmentOf(Checkpointing asked, int res_blocks) {
  if (res_blocks == 0) return 0;
  return asked.blocks == Checkpointing::kChosen ? BestSegment(res_blocks)
                                                : std::min(asked.blocks, res_blocks);
}

}  // namespace az
