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

// Where each value comes from: "configs/5x5.yaml:14" or "--set search.visits=800". Keys at their
// default are absent.
using ConfigOrigins = std::map<std::string, std::string, std::less<>>;

struct LoadedConfig {
  RunConfig config;
  std::filesystem::path path;  // the file that was read
  ConfigOrigins origins;
};

// Puts the place of a value in front of an error that begins with its key: "memory.vram_budget =
// 24GiB is more than …" becomes "configs/5x5.yaml:14: memory.vram_budget = …". Other errors, and
// those about keys that are written nowhere, stay as they are.
Error WithOrigin(Error error, const ConfigOrigins& origins);

struct ConfigRequest {
  std::string file;  // a path, or a name looked up in `folders` with and without ".yaml"
  std::vector<std::string>
      sets;  // "search.visits=800", applied in order; "key=auto" gives a value back to the planner
  std::vector<std::filesystem::path> folders;  // see DefaultConfigFolders
};

// Reads the config, checks each value, and then the rules between values (validate.h). Fails with
// kInvalid, one line per fault and all of them:
//   configs/5x5.yaml:14: search.visits = 0 is out of range [1, 1000000] (simulations per move in a
//   full search)
// Fails with kNotFound when there is no such file; the message lists the configs there are.
Result<LoadedConfig> LoadConfig(const ConfigRequest& request);
Result<LoadedConfig> LoadConfig(std::string_view file, std::vector<std::string> sets = {});

// The same for a text; `path` is only used in messages, and no file is read.
Result<LoadedConfig> ReadConfigText(std::string_view yaml, const std::filesystem::path& path,
                                    const std::vector<std::string>& sets);

// The file that `name` stands for: itself when it is the path of a file, otherwise the first match
// in `folders`. Fails with kNotFound, listing the configs there are.
Result<std::filesystem::path> FindConfigFile(std::string_view name,
                                             const std::vector<std::filesystem::path>& folders);

// The folders in which configs are looked up: `configs` in the working directory, then in each
// folder above the running program.
std::vector<std::filesystem::path> DefaultConfigFolders();

}  // namespace az
