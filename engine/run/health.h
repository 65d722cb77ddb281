#pragma once
// Health of a run: whether it learns as it should, judged from the iterations of its metrics.jsonl
// alone (docs/learning.md says what each number means). Pure functions over text and values; shown
// by az_inspect run and, where warnings stand, by the final summary.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace az {

// The numbers of one iteration's line. A key that was not measured is missing.
struct HealthRow {
  std::uint32_t iteration = 0;
  std::map<std::string, double, std::less<>> numbers;

  std::optional<double> operator[](std::string_view key) const;
};

// The iterations of metrics.jsonl by rising number; one that was written twice counts with its
// first line. Lines that are torn, of another kind or without a number of an iteration are passed
// over.
std::vector<HealthRow> ReadHealth(std::string_view metrics_jsonl);

struct HealthWarning {
  std::string_view name;  // "overfit": for tools
  std::string text;       // with the numbers, and what to do
};

// The warnings that stand after the last of `rows`. Empty for no rows.
std::vector<HealthWarning> JudgeHealth(std::span<const HealthRow> rows);

// The last iteration in words, a line a group, and the warnings; each line ends with a newline.
// Empty for no rows.
std::string HealthText(std::span<const HealthRow> rows);

// What a training's metrics (a JSON object) say of returns to its last good checkpoint, for a
// person: "training went back …". Empty when it never did.
std::string ReturnsText(std::string_view train_metrics);

}  // namespace az
