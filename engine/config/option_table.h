#pragma once
// The options of a RunConfig as a flat list of texts. The YAML reader, --set, the printer, the
// documents, the hash and the difference of two configs work on it. It is built from the Describe
// functions, so that an option is described only once.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/config/run_config.h"

namespace az {

// One option of one RunConfig. Refers to that config, which must outlive it.
struct OptionEntry {
  std::string key;    // "search.visits"
  std::string type;   // "integer", "number", "true or false", "text", "size", "degrade or refuse"
  std::string range;  // "[1, 1000000]", or "" without bounds
  std::string help;
  bool may_be_auto = false;
  // Reads a value from text. Fails with kInvalid and leaves the option unchanged; the message has
  // only the fault ("is not an integer"), the caller adds key and place.
  std::function<Result<void>(std::string_view text)> set;
  // The value as a text that `set` reads back as the same value.
  std::function<std::string()> get;
};

// Every option, in the order of their description. Thread-compatible, like the config.
std::vector<OptionEntry> OptionsOf(RunConfig& config);

// A section: its key ("search") and what it is about.
struct SectionEntry {
  std::string key;
  std::string help;
};
std::vector<SectionEntry> ConfigSections();

// The entry of a key, or null.
const OptionEntry* FindOption(const std::vector<OptionEntry>& options, std::string_view key);

}  // namespace az
