#pragma once
// Reads a run's config: a YAML file, then --set arguments over it. Reports every fault at once,
// each with its place.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/config/run_config.h"

namespace az {

// Where each value comes from: "configs/5x5.yaml:14" or "--set search.visits=800"; keys at their
// default are absent.
using ConfigOrigins = std::map<std::string, std::string, std::less<>>;

struct LoadedConfig {
  RunConfig config;
  std::filesystem::path path;  // the file that was read
  ConfigOrigins origins;
};

// Names the place of the value that an error is about: "memory.vram_budget = 24GiB is more than …"
// begins with "configs/5x5.yaml:14: " afterwards. Errors that begin with no key written anywhere
// stay as they are.
Error WithOrigin(Error error, const ConfigOrigins& origins);

struct ConfigRequest {
  std::string file;  // a path, or a name looked up in `folders` with and without ".yaml"
  std::vector<std::string>
      sets;  // "search.visits=800", applied in order; "key=auto" gives a value back to the planner
  std::vector<std::filesystem::path> folders;  // see DefaultConfigFolders
};

// Reads, checks each value and then the rules between values (validate.h). kInvalid: one line per
// fault, all of them:
//   configs/5x5.yaml:14: search.visits = 0 is out of range [1, 1000000] (simulations per move in a
//   full search)
// kNotFound: no such file; the message lists the configs there are.
Result<LoadedConfig> LoadConfig(const ConfigRequest& request);
Result<LoadedConfig> LoadConfig(std::string_view file, std::vector<std::string> sets = {});

// The same from text; `path` serves the messages. No file is touched.
Result<LoadedConfig> ReadConfigText(std::string_view yaml, const std::filesystem::path& path,
                                    const std::vector<std::string>& sets);

// The file a name stands for: itself when it is a path to a file, else the first match in
// `folders`. kNotFound lists the configs there are.
Result<std::filesystem::path> FindConfigFile(std::string_view name,
                                             const std::vector<std::filesystem::path>& folders);

// `configs` in the working directory, then in each folder above the running program.
std::vector<std::filesystem::path> DefaultConfigFolders();

}  // namespace az
