#pragma once
// Decides which configs belong to the same run. A resumed run may change how fast or how long it
// runs, but not what it learns from.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/config/run_config.h"

namespace az {

struct ConfigDifference {
  std::string key;
  std::string before;
  std::string after;
  bool may_change = false;  // on resume
};

// The options whose values differ, in the order of their description.
std::vector<ConfigDifference> DifferencesOf(const RunConfig& before, const RunConfig& after);

// Whether a resumed run may have another value for this option.
bool MayChangeOnResume(std::string_view key);

// Fails with kIncompatible when a key differs that may not; the message lists all such keys with
// both values, `run_dir`, and `way_out`, the advice for a person who wants the new values: "start
// over with --fresh".
Result<void> CheckResume(const RunConfig& saved, const RunConfig& wanted, std::string_view run_dir,
                         std::string_view way_out);

}  // namespace az
