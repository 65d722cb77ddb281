#include "scheduler/probe.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/strings.h"

namespace az {
namespace {

constexpr int kLeastLarge = 4;  // a quarter of it is still a row

struct Ends {
  ProbePoint small;
  ProbePoint large;
};
Ends EndsOf(std::span<const ProbePoint> points) {
  AZ_CHECK(!points.empty()) << "no point was probed";
  const auto [small, large] = std::ranges::minmax_element(points, {}, &ProbePoint::rows);
  AZ_CHECK(small->rows < large->rows) << "one size of " << small->rows << " rows gives no slope";
  return {*small, *large};
}

}  // namespace

std::optional<ProbeSizes> ChooseProbeSizes(const FittedPeak& predicted, Bytes room, int most) {
  int large = 0;
  for (int rows = kLeastLarge; rows <= most && predicted.At(rows) <= room / 2; rows *= 2) {
    large = rows;
  }
  if (large == 0) return std::nullopt;
  return ProbeSizes{large / 4, large};
}

std::optional<ProbeSizes> HalvedSizes(const ProbeSizes& sizes) {
  if (sizes.large / 2 < kLeastLarge) return std::nullopt;
  return ProbeSizes{sizes.large / 8, sizes.large / 2};
}

FittedPeak FitPeak(std::span<const ProbePoint> points, Bytes formula_row) {
  const auto [small, large] = EndsOf(points);
  const std::int64_t apart = large.rows - small.rows;
  const Bytes rise = std::max(Bytes(), large.peak - small.peak);
  FittedPeak fit;
  fit.row = std::max(formula_row, Bytes((rise.count() + apart - 1) / apart));
  for (const ProbePoint& point : points) {
    fit.fixed = std::max(fit.fixed, point.peak - fit.row * point.rows);
    fit.See(point.rows, point.peak);
  }
  return fit;
}

FittedTime FitTime(std::span<const ProbePoint> points) {
  const auto [small, large] = EndsOf(points);
  FittedTime time;
  time.row_us = std::max(0.0, (large.micros - small.micros) / (large.rows - small.rows));
  time.fixed_us = std::max(0.0, small.micros - time.row_us * small.rows);
  // Noise can make the larger batch the faster one. Then all of its time counts as the rows'.
  if (time.row_us == 0.0) time = {0.0, std::max(0.0, large.micros / large.rows)};
  return time;
}

Bytes ConfirmResidual(const FittedPeak& fit, const ProbePoint& confirmed) {
  return std::max(Bytes(), confirmed.peak - fit.At(confirmed.rows));
}

namespace {

std::string SeenText(std::string_view what, const FittedPeak& peak, int at_once) {
  std::vector<std::string> sizes;
  for (const SeenPeak& seen : peak.seen) sizes.push_back(StrCat(seen.rows));
  return StrCat("measured: ", what, " with ", Join(sizes, ", "), " rows, ", at_once,
                " at a time; other sizes are fitted");
}

}  // namespace

std::vector<std::string> SeenSizes(const Calibration& calibration) {
  std::vector<std::string> lines;
  for (const ProbedTraining& probed : calibration.training) {
    const std::string segments =
        probed.checkpoint_blocks == 0
            ? ""
            : StrCat(", checkpoints every ", probed.checkpoint_blocks, " block(s),");
    lines.push_back(SeenText(StrCat("training in ", EnumName(probed.precision), segments),
                             probed.peak, probed.at_once));
  }
  for (const ProbedInference& probed : calibration.inference) {
    lines.push_back(
        SeenText(StrCat("inference in ", EnumName(probed.precision)), probed.peak, probed.at_once));
  }
  return lines;
}

void Remember(Calibration& calibration, const ProbedInference& probed) {
  std::erase_if(calibration.inference, [&probed](const ProbedInference& old) {
    return old.precision == probed.precision;
  });
  calibration.inference.push_back(probed);
}

void Remember(Calibration& calibration, const ProbedTraining& probed) {
  std::erase_if(calibration.training, [&probed](const ProbedTraining& old) {
    return old.precision == probed.precision && old.checkpoint_blocks == probed.checkpoint_blocks;
  });
  calibration.training.push_back(probed);
}

}  // namespace az
