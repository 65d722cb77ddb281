#include "scheduler/step_ladder.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"
#include "scheduler/checkpointing.h"

namespace az {
namespace {

constexpr int kGoodRows = 64;  // below it batch norm gets noisy
constexpr int kLeastRows = 8;

}  // namespace

StepRung StepLadder::OutOfMemory(int rows) {
  AZ_CHECK(rows >= 1);
  if (steps_since_clean_up_ >= kWorthACleanUp) {
    steps_since_clean_up_ = 0;
    return StepRung::kCleanUp;
  }
  // A rung leaves cached blocks of the old sizes behind, so a clean-up is worth trying if the new
  // sizes are refused, too.
  if (rows > kGoodRows) {
    sizes_.micro_batch = std::max(kGoodRows, (rows + 1) / 2);
    return StepRung::kSmallerBatch;
  }
  if (sizes_.checkpoint_stages == 0 && stages_ > 1) {
    sizes_.checkpoint_stages = BestSegment(stages_);
    return StepRung::kCheckpointing;
  }
  if (rows > kLeastRows) {
    sizes_.micro_batch = std::max(kLeastRows, (rows + 1) / 2);
    return StepRung::kTinyBatch;
  }
  return StepRung::kExhausted;
}

std::string DescribeRung(StepRung rung, const StepSizes& sizes) {
  switch (rung) {
    case StepRung::kCleanUp:
      return "cleaned up";
    case StepRung::kSmallerBatch:
      return StrCat("micro-batch ", sizes.micro_batch, " rows");
    case StepRung::kCheckpointing:
      return StrCat("gradient checkpointing in segments of ", sizes.checkpoint_stages);
    case StepRung::kTinyBatch:
      return StrCat("micro-batch ", sizes.micro_batch, " rows: batch norm gets noisy");
    case StepRung::kExhausted:
      break;
  }
  return "nothing left to give up";
}

}  // namespace az
