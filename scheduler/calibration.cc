#include "scheduler/calibration.h"

#include <algorithm>

#include "base/check.h"

namespace az {

Bytes FittedPeak::At(int rows) const {
  const Bytes line = fixed + row * rows;
  if (seen.empty()) return line;
  const auto next = std::ranges::lower_bound(seen, rows, {}, &SeenPeak::rows);
  if (next == seen.begin()) return next->peak;  // the smallest size, or below it
  if (next == seen.end()) return std::max(line, seen.back().peak);
  if (next->rows == rows) return next->peak;
  return std::clamp(line, (next - 1)->peak, next->peak);
}

bool FittedPeak::WasSeen(int rows) const {
  return std::ranges::binary_search(seen, rows, {}, &SeenPeak::rows);
}

void FittedPeak::See(int rows, Bytes peak) {
  AZ_CHECK(rows > 0) << "a batch of " << rows << " rows was not run";
  auto at = std::ranges::lower_bound(seen, rows, {}, &SeenPeak::rows);
  if (at == seen.end() || at->rows != rows) at = seen.insert(at, {rows, peak});
  at->peak = std::max(at->peak, peak);
  if (at != seen.begin()) at->peak = std::max(at->peak, (at - 1)->peak);
  for (auto larger = at + 1; larger != seen.end(); ++larger) {
    larger->peak = std::max(larger->peak, at->peak);
  }
}

}  // namespace az
