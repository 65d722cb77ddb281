#include "engine/config/yaml_leaves.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <sstream>

#include "base/strings.h"

namespace az {
namespace {

constexpr int kMaxDepth =
    8;  // options nest two deep; more is a mistake, and recursion needs a bound

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

// Notes where the content of a document begins, and nothing else.
class DocumentStart : public YAML::EventHandler {
 public:
  int line() const { return line_; }
  void OnDocumentStart(const YAML::Mark&) override { line_ = 0; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { Hear(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { Hear(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    Hear(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Hear(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Hear(mark);
  }
  void OnMapEnd() override {}

 private:
  void Hear(const YAML::Mark& mark) {
    if (line_ == 0) line_ = mark.line + 1;
  }
  int line_ = 0;
};

// The line of the second document, if there is one. YAML::LoadAll would tell too, but up to version
// 0.8 it never ends at a token that starts nothing, such as a comma: it then returns empty
// documents until memory is full (yaml-cpp issue 1040).
std::optional<int> SecondDocument(std::string_view text) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  DocumentStart start;
  if (parser.HandleNextDocument(start) && parser.HandleNextDocument(start)) return start.line();
  return std::nullopt;
}

// The first byte that the parser would take for another encoding or for the end of the file, after
// which it silently ignores the rest.
std::optional<std::size_t> NoText(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return 0;
  const auto at = std::ranges::find_if(
      text, [](unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r'; });
  if (at == text.end()) return std::nullopt;
  return static_cast<std::size_t>(at - text.begin());
}

Error NoTextFault(unsigned char byte) {
  constexpr std::string_view kHex = "0123456789abcdef";
  return {Errc::kInvalid, StrCat("not UTF-8 text: byte 0x", kHex[byte >> 4], kHex[byte & 15],
                                 " (a config is UTF-8 text; save it as that)")};
}

}  // namespace

Result<YamlDocument> ParseYaml(std::string_view text, int& line) {
  line = 1;
  if (const std::optional<std::size_t> at = NoText(text)) {
    line += static_cast<int>(std::ranges::count(text.substr(0, *at), '\n'));
    return NoTextFault(static_cast<unsigned char>(text[*at]));
  }
  try {
    if (const std::optional<int> second = SecondDocument(text)) {
      line = *second;
      return Error{Errc::kInvalid, "a second YAML document starts here; a config is one document"};
    }
    const YAML::Node document = YAML::Load(std::string(text));
    YamlDocument out;
    if (document.IsNull()) return out;
    line = LineOf(document);
    if (!document.IsMap()) {
      return Error{Errc::kInvalid, "a config is a map of keys, like 'search: {visits: 64}'"};
    }
    AZ_RETURN_IF_ERROR(Flatten(document, "", 0, out, line));
    return out;
  } catch (const YAML::Exception& error) {
    line = error.mark.is_null() ? line : error.mark.line + 1;
    return Error{Errc::kInvalid, StrCat("not valid YAML: ", error.msg)};
  } catch (const std::exception& error) {
    return Error{Errc::kInvalid, StrCat("not valid YAML: ", error.what())};
  }
}

}  // namespace az
