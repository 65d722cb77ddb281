#include "engine/net/inference_net.h"

#include <utility>

#include "base/strings.h"
#include "engine/net/direct_net.h"
#include "engine/net/folded_net.h"
#include "engine/net/net_spec.h"
#include "engine/net/onednn_net.h"
#include "engine/net/torch_guard.h"
#include "scheduler/cpu_unit.h"

namespace az {

std::byte* InferenceScratch::Get(std::size_t bytes) {
  const std::size_t lines = (bytes + sizeof(Line) - 1) / sizeof(Line);
  if (lines > lines_.size()) lines_.resize(lines);
  return lines_.front().bytes;
}

Result<std::unique_ptr<const InferenceNet>> InferenceNet::Create(const Weights& weights,
                                                                 const InferenceOptions& options) {
  AZ_RETURN_IF_ERROR(GuardTorch("check weights", [&] { return ValidateWeights(weights); }));
  const NetShape& shape = weights.info.shape;
  const bool can = options.precision == Precision::kBf16 && DirectNetRuns(shape);
  const bool wants_tiles = options.kernels == NetKernels::kTiles;
  if ((options.kernels == NetKernels::kDirect && !can) ||
      (wants_tiles && !(can && CpuHasTiles()))) {
    return Error{Errc::kUnavailable,
                 StrCat(wants_tiles ? "tile kernels need bf16, a processor with AMX-BF16"
                                    : "direct kernels need bf16, a processor with AVX512-BF16",
                        " and filters of 32, 64, 96, 128, 192 or 256; asked for ",
                        EnumName(options.precision), ", ", DescribeNetShape(shape))};
  }
  const bool direct = can && options.kernels != NetKernels::kOnednn;
  const CpuUnit unit =
      options.kernels != NetKernels::kDirect && CpuHasTiles() ? CpuUnit::kTiles : CpuUnit::kVectors;
  return GuardTorch("prepare weights for inference",
                    [&]() -> Result<std::unique_ptr<const InferenceNet>> {
                      const FoldedNet folded = Fold(weights);
                      if (direct) return MakeDirectNet(folded, unit);
                      return MakeOnednnNet(folded, options.precision);
                    });
}

}  // namespace az
