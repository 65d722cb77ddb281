#include "engine/config/config_identity.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "engine/config/option_table.h"

namespace az {
namespace {

// The keys that a resumed run may change: how long it runs, what it keeps, and on which machine and
// in which pieces it is computed. An entry that ends in '.' is a whole section.
constexpr std::array<std::string_view, 26> kMayChange = {
    "num_workers",
    "self_play.slots",
    "self_play.full_visits_from",
    "train.accumulate_grad_batches",
    "train.max_steps",
    "train.prefetch",
    "train.precision",
    "train.gradient_checkpointing",
    "net.precision",
    "search.cache",
    "arena.num_workers",
    "arena.models",
    "arena.mode",
    "arena.final_games",
    "arena.final_mcts_visits",
    "arena.panel",
    "arena.panel_every",
    "arena.panel_games",
    "memory.",
    "engine.",
    "loop.iterations",
    "loop.keep_checkpoints",
    "loop.checkpoint_every",
    "loop.yardstick.",
    "run.name",
    "run.dir",
};

}  // namespace

bool MayChangeOnResume(std::string_view key) {
  return std::ranges::any_of(kMayChange, [key](std::string_view entry) {
    return entry.ends_with('.') ? key.starts_with(entry) : key == entry;
  });
}

std::vector<ConfigDifference> DifferencesOf(const RunConfig& before, const RunConfig& after) {
  RunConfig left = before;
  RunConfig right = after;
  const std::vector<OptionEntry> left_options = OptionsOf(left);
  const std::vector<OptionEntry> right_options = OptionsOf(right);
  std::vector<ConfigDifference> differences;
  for (std::size_t i = 0; i < left_options.size(); ++i) {
    std::string was = left_options[i].get();
    std::string is = right_options[i].get();
    if (was == is) continue;
    const std::string& key = left_options[i].key;
    differences.push_back({key, std::move(was), std::move(is), MayChangeOnResume(key)});
  }
  return differences;
}

Result<void> CheckResume(const RunConfig& saved, const RunConfig& wanted, std::string_view run_dir,
                         std::string_view way_out) {
  std::vector<std::string> lines;
  for (const ConfigDifference& difference : DifferencesOf(saved, wanted)) {
    if (difference.may_change) continue;
    lines.push_back(StrCat("  ", difference.key, ": ", difference.before, " there, ",
                           difference.after, " now"));
  }
  if (lines.empty()) return {};
  return Error{Errc::kIncompatible,
               StrCat("resume ", run_dir, ": that run has another config (set these back, or ",
                      way_out, "):\n", Join(lines, "\n"))};
}

}  // namespace az
