#include "engine/config/option_table.h"

#include <algorithm>

#include "engine/config/option_collector.h"

namespace az {

std::vector<OptionEntry> OptionsOf(RunConfig& config) {
  OptionCollector collector;
  Describe(collector, config);
  return collector.TakeOptions();
}

std::vector<SectionEntry> ConfigSections() {
  RunConfig config;
  OptionCollector collector;
  Describe(collector, config);
  return collector.TakeSections();
}

const OptionEntry* FindOption(const std::vector<OptionEntry>& options, std::string_view key) {
  const auto found = std::ranges::find(options, key, &OptionEntry::key);
  return found == options.end() ? nullptr : &*found;
}

}  // namespace az
