#include "engine/config/config_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/files.h"
#include "base/strings.h"
#include "engine/config/option_table.h"
#include "engine/config/validate.h"
#include "engine/config/yaml_leaves.h"

namespace az {
namespace {

namespace fs = std::filesystem;

// Applies texts to a config and collects their faults. Confined to one call of ReadConfigText.
class Assembler {
 public:
  Assembler(LoadedConfig& loaded, std::vector<std::string>& faults)
      : loaded_(loaded), faults_(faults), options_(OptionsOf(loaded.config)) {
    for (SectionEntry& section : sections_) section_names_.insert(section.key);
  }

  void ApplyYaml(const YamlDocument& document) {
    std::map<std::string, int, std::less<>> first_line;
    for (const YamlLeaf& section : document.sections) {
      CheckRepeated(section, first_line);
      const OptionEntry* option = FindOption(options_, section.key);
      if (option != nullptr) {
        Fault(Place(section.line),
              StrCat(section.key, " takes one value, not a map (", option->help, ")"));
        rejected_.insert(section.key + ".");
      }
    }
    first_line.clear();
    for (const YamlLeaf& leaf : document.leaves) {
      const bool inside_rejected = std::ranges::any_of(
          rejected_, [&](const std::string& prefix) { return leaf.key.starts_with(prefix); });
      if (inside_rejected || CheckRepeated(leaf, first_line)) continue;
      ApplyLeaf(leaf);
    }
  }

  void ApplySet(const std::string& set) {
    const std::string place = StrCat("--set ", set);
    const auto equals = set.find('=');
    if (equals == std::string::npos) {
      Fault(place, "write --set key=value, for example --set search.visits=64");
      return;
    }
    const std::string key(Trim(std::string_view(set).substr(0, equals)));
    Apply(place, key, Trim(std::string_view(set).substr(equals + 1)));
  }

  void CheckRules() {
    for (const ConfigFault& fault : Validate(loaded_.config)) {
      std::vector<std::string> places;
      for (const std::string& key : fault.keys) {
        const auto origin = loaded_.origins.find(key);
        if (origin != loaded_.origins.end()) places.push_back(origin->second);
      }
      if (places.empty()) places.push_back(loaded_.path.string());
      const std::string other = places.size() > 1 ? StrCat(" (", places[1], ")") : "";
      Fault(places[0], StrCat(fault.text, other));
    }
  }

 private:
  std::string Place(int line) const { return StrCat(loaded_.path.string(), ":", line); }
  // Adds a fault as a single line, even if the file's text has line breaks.
  void Fault(std::string_view place, std::string_view text) {
    std::string line = StrCat(place, ": ", text);
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    faults_.push_back(std::move(line));
  }

  // Returns true, and adds a fault, when the key appeared before.
  bool CheckRepeated(const YamlLeaf& leaf, std::map<std::string, int, std::less<>>& first_line) {
    const auto [at, fresh] = first_line.emplace(leaf.key, leaf.line);
    if (!fresh) {
      Fault(Place(leaf.line),
            StrCat("key '", leaf.key, "' appears twice (first at line ", at->second, ")"));
    }
    return !fresh;
  }

  void ApplyLeaf(const YamlLeaf& leaf) {
    const std::string place = Place(leaf.line);
    if (leaf.kind == YamlLeaf::Kind::kScalar) {
      Apply(place, leaf.key, leaf.text);
      return;
    }
    if (section_names_.contains(leaf.key)) {
      if (leaf.kind == YamlLeaf::Kind::kSequence) FaultSection(place, leaf.key);
      return;  // an empty section: every value at its default
    }
    const OptionEntry* option = FindOption(options_, leaf.key);
    if (option == nullptr) {
      FaultUnknown(place, leaf.key);
    } else if (leaf.kind == YamlLeaf::Kind::kNull) {
      Fault(place, StrCat(leaf.key, " has no value (", option->help, ")"));
    } else {
      Fault(place, StrCat(leaf.key, " takes one value, not a list or map (", option->help, ")"));
    }
  }

  void Apply(const std::string& place, const std::string& key, std::string_view text) {
    if (section_names_.contains(key)) {
      FaultSection(place, key);
      return;
    }
    const OptionEntry* option = FindOption(options_, key);
    if (option == nullptr) {
      FaultUnknown(place, key);
      return;
    }
    if (Result<void> set = option->set(text); !set) {
      Fault(place, StrCat(key, " = ", text, " ", set.error().message, " (", option->help, ")"));
      return;
    }
    loaded_.origins[key] = place;
  }

  void FaultSection(std::string_view place, const std::string& key) {
    Fault(place,
          StrCat(key, " is a section, not a value (write ", key, ".<key>, or its keys below it)"));
  }

  void FaultUnknown(std::string_view place, const std::string& key) {
    const std::string guess = Suggestion(key);
    Fault(place, StrCat("unknown key '", key, "'",
                        guess.empty() ? "; --print-config shows all keys"
                                      : StrCat("; did you mean '", guess, "'?")));
  }

  // The option or section that was probably meant: the closest spelling in a known section, else
  // the same last word anywhere, else the closest spelling anywhere.
  std::string Suggestion(const std::string& key) const {
    const auto dot = key.rfind('.');
    const std::string section = dot == std::string::npos ? "" : key.substr(0, dot);
    const std::string last = dot == std::string::npos ? key : key.substr(dot + 1);
    std::vector<std::string> siblings;
    std::vector<std::string> same_last;
    std::vector<std::string> all(section_names_.begin(), section_names_.end());
    for (const OptionEntry& option : options_) {
      all.push_back(option.key);
      if (option.key.starts_with(section + ".")) siblings.push_back(option.key.substr(dot + 1));
      if (option.key.ends_with("." + last) || option.key == last) same_last.push_back(option.key);
    }
    if (section_names_.contains(section)) {
      const std::string sibling = Nearest(last, siblings);
      if (!sibling.empty()) return StrCat(section, ".", sibling);
    }
    if (!same_last.empty()) {
      const std::string nearest = Nearest(key, same_last);
      return nearest.empty() ? same_last.front() : nearest;
    }
    return Nearest(key, all);
  }

  LoadedConfig& loaded_;
  std::vector<std::string>& faults_;
  std::vector<OptionEntry> options_;
  std::vector<SectionEntry> sections_ = ConfigSections();
  std::set<std::string> section_names_;
  std::set<std::string>
      rejected_;  // "search.visits.": an option written as a map, whose contents are ignored
};

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<std::string> ConfigsIn(const std::vector<fs::path>& folders) {
  std::set<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".yaml") names.insert(entry.path().filename().string());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace

Error WithOrigin(Error error, const ConfigOrigins& origins) {
  const std::string_view message = error.message;
  const auto origin = origins.find(message.substr(0, message.find(" = ")));
  if (origin == origins.end()) return error;
  return WithContext(origin->second, std::move(error));
}

Result<LoadedConfig> ReadConfigText(std::string_view yaml, const fs::path& path,
                                    const std::vector<std::string>& sets) {
  LoadedConfig loaded;
  loaded.path = path;
  int line = 0;
  const Result<YamlDocument> document = ParseYaml(yaml, line);
  if (!document) {
    return Error{Errc::kInvalid, StrCat(path.string(), ":", line, ": ", document.error().message)};
  }
  std::vector<std::string> faults;
  Assembler assembler(loaded, faults);
  assembler.ApplyYaml(*document);
  for (const std::string& set : sets) assembler.ApplySet(set);
  if (faults.empty()) assembler.CheckRules();  // rules over values that were not read would mislead
  if (!faults.empty()) return Error{Errc::kInvalid, Join(faults, "\n")};
  return loaded;
}

Result<fs::path> FindConfigFile(std::string_view name, const std::vector<fs::path>& folders) {
  const fs::path direct(name);
  if (IsFile(direct)) return direct;
  if (!direct.has_parent_path()) {
    for (const fs::path& folder : folders) {
      for (const std::string& file : {std::string(name), StrCat(name, ".yaml")}) {
        if (IsFile(folder / file)) return folder / file;
      }
    }
  }
  const std::vector<std::string> names = ConfigsIn(folders);
  return Error{Errc::kNotFound,
               StrCat("no config '", name, "' ",
                      names.empty() ? "(and none in a configs/ folder; give the path of a file)"
                                    : StrCat("(configs/ has: ", Join(names, ", "), ")"))};
}

std::vector<fs::path> DefaultConfigFolders() {
  std::vector<fs::path> folders = {"configs"};
  std::error_code ignored;
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  while (folder.has_relative_path()) {
    folders.push_back(folder / "configs");
    folder = folder.parent_path();
  }
  return folders;
}

Result<LoadedConfig> LoadConfig(const ConfigRequest& request) {
  AZ_ASSIGN_OR_RETURN(const fs::path path, FindConfigFile(request.file, request.folders));
  Result<std::string> text = ReadFile(path);
  if (!text) return WithContext("read the config", std::move(text).error());
  return ReadConfigText(*text, path, request.sets);
}

Result<LoadedConfig> LoadConfig(std::string_view file, std::vector<std::string> sets) {
  return LoadConfig({std::string(file), std::move(sets), DefaultConfigFolders()});
}

}  // namespace az
