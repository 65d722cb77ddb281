#include "mcts/select.h"

#include <algorithm>

namespace az {
namespace {

constexpr int kMaxTable = 4096;  // 32 KiB: what fits the first-level cache beside the children

}  // namespace

float PuctExploration(const SearchOptions& options, std::uint32_t parent_visits) {
  const double n = parent_visits;
  const double base = options.c_puct_base;
  const double c = options.c_puct + options.c_puct_factor * std::log((n + base) / base);
  return static_cast<float>(c * std::sqrt(n));
}

PuctTable::PuctTable(const SearchOptions& options, int visits) : options_(options) {
  const int entries =
      std::min(visits, kMaxTable - 3) + 3;  // reaches 1 + N of a root with N = visits + 1
  entries_.reserve(static_cast<std::size_t>(entries));
  for (int n = 0; n < entries; ++n) {
    entries_.push_back({PuctExploration(options, static_cast<std::uint32_t>(n)),
                        n == 0 ? 0.0f : 1.0f / static_cast<float>(n)});
  }
}

}  // namespace az
