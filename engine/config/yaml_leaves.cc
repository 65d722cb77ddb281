#include "engine/config/yaml_leaves.h"

#include <yaml-cpp/yaml.h>

#include <exception>

#include "base/strings.h"

namespace az {
namespace {

constexpr int kMaxDepth =
    8;  // options nest two deep; the rest is a mistake, and recursion needs a bound

int LineOf(const YAML::Node& node) { return node.Mark().line + 1; }

Result<void> Flatten(const YAML::Node& map, const std::string& prefix, int depth, YamlDocument& out,
                     int& line) {
  for (const auto& entry : map) {
    const YAML::Node& key = entry.first;
    const YAML::Node& value = entry.second;
    line = LineOf(key);
    if (!key.IsScalar()) return Error{Errc::kInvalid, "a key must be a plain word"};
    YamlLeaf leaf;
    leaf.key = StrCat(prefix, key.Scalar());
    leaf.line = line;
    switch (value.Type()) {
      case YAML::NodeType::Scalar:
        leaf.text = value.Scalar();
        break;
      case YAML::NodeType::Map:
        if (value.size() > 0) {
          if (depth == kMaxDepth) return Error{Errc::kInvalid, "maps are nested too deeply"};
          out.sections.push_back(leaf);
          AZ_RETURN_IF_ERROR(Flatten(value, leaf.key + ".", depth + 1, out, line));
          continue;
        }
        leaf.kind = YamlLeaf::Kind::kEmptyMap;
        break;
      case YAML::NodeType::Sequence:
        leaf.kind = YamlLeaf::Kind::kSequence;
        break;
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined:
        leaf.kind = YamlLeaf::Kind::kNull;
        break;
    }
    out.leaves.push_back(std::move(leaf));
  }
  return {};
}

}  // namespace

Result<YamlDocument> ParseYaml(std::string_view text, int& line) {
  line = 1;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    YamlDocument out;
    if (documents.empty() || documents[0].IsNull()) return out;
    if (documents.size() > 1) {
      line = LineOf(documents[1]);
      return Error{Errc::kInvalid, "a second YAML document starts here; a config is one document"};
    }
    line = LineOf(documents[0]);
    if (!documents[0].IsMap()) {
      return Error{Errc::kInvalid, "a config is a map of keys, like 'search: {visits: 64}'"};
    }
    AZ_RETURN_IF_ERROR(Flatten(documents[0], "", 0, out, line));
    return out;
  } catch (const YAML::Exception& error) {
    line = error.mark.is_null() ? line : error.mark.line + 1;
    return Error{Errc::kInvalid, StrCat("not valid YAML: ", error.msg)};
  } catch (const std::exception& error) {
    return Error{Errc::kInvalid, StrCat("not valid YAML: ", error.what())};
  }
}

}  // namespace az
