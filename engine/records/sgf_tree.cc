#include "engine/records/sgf_tree.h"

#include <cctype>
#include <cstdint>
#include <cstdio>

#include "base/strings.h"

namespace az {
namespace {

constexpr std::size_t kMaxNameBytes = 64;

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// Confined to one call.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  Result<std::vector<SgfTree>> Trees() {
    if (text_.size() > kMaxSgfBytes) {
      return Error{Errc::kInvalid, StrCat("sgf: ", text_.size(), " bytes, the limit is ",
                                          kMaxSgfBytes, " (split the file)")};
    }
    std::vector<SgfTree> trees;
    for (SkipSpace(); !AtEnd(); SkipSpace()) {
      AZ_ASSIGN_OR_RETURN(SgfTree tree, Tree());
      trees.push_back(std::move(tree));
    }
    if (trees.empty()) return Fault("no game here: '(' expected");
    return trees;
  }

 private:
  // Reads from '(' to the ')' that closes it. The main line ends at the first ')'.
  Result<SgfTree> Tree() {
    SgfTree tree{.nodes = {}, .branches_left_out = 0, .line = line_};
    if (text_[at_] != '(') return Fault("'(' expected");
    std::size_t depth = 0;
    bool main_line = true;
    bool after_open = false;  // a node must follow
    do {
      const char c = text_[at_];
      if (after_open && c != ';') return Fault("';' expected");
      if (c == '(') {
        if (++depth > kMaxSgfDepth) return Fault("branches within branches beyond the limit");
        if (!main_line) ++tree.branches_left_out;
        after_open = true;
        Step();
      } else if (c == ')') {
        --depth;
        main_line = false;
        Step();
      } else if (c == ';') {
        after_open = false;
        Step();
        AZ_ASSIGN_OR_RETURN(SgfNode node, Node(main_line));
        if (main_line) tree.nodes.push_back(std::move(node));
        if (tree.nodes.size() > kMaxSgfNodes) return Fault("more nodes than the limit");
      } else {
        return Fault("'(', ')' or ';' expected");
      }
      if (depth == 0) return tree;
      SkipSpace();
    } while (!AtEnd());
    return Fault(StrCat("the game of line ", tree.line, " has no end: ')' expected"));
  }

  Result<SgfNode> Node(bool keep) {
    SgfNode node;
    for (SkipSpace(); !AtEnd() && IsLetter(text_[at_]); SkipSpace()) {
      AZ_ASSIGN_OR_RETURN(SgfProperty property, Property(keep));
      if (keep) node.properties.push_back(std::move(property));
    }
    return node;
  }

  Result<SgfProperty> Property(bool keep) {
    SgfProperty property{.name = {}, .values = {}, .line = line_};
    const std::size_t begin = at_;
    for (; !AtEnd() && IsLetter(text_[at_]); Step()) {
      if (text_[at_] <= 'Z') property.name += text_[at_];
    }
    if (property.name.empty() || at_ - begin > kMaxNameBytes) {
      return Fault("the name of a property is capital letters, 64 at most");
    }
    SkipSpace();
    if (AtEnd() || text_[at_] != '[') return Fault("'[' expected: a property needs a value");
    for (; !AtEnd() && text_[at_] == '['; SkipSpace()) {
      AZ_ASSIGN_OR_RETURN(std::string value, Value(keep));
      if (keep) property.values.push_back(std::move(value));
    }
    return property;
  }

  // Reads from '[' to ']'. A backslash makes the next character literal; a backslash before a line
  // end is dropped together with it.
  Result<std::string> Value(bool keep) {
    const std::size_t line = line_;
    std::string value;
    for (Step(); !AtEnd() && text_[at_] != ']'; Step()) {
      char c = text_[at_];
      if (c == '\\') {
        Step();
        if (AtEnd()) break;
        c = text_[at_];
        if (c == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') Step();
        if (c == '\n' || c == '\r') continue;
      } else if (c == '\r') {
        if (at_ + 1 < text_.size() && text_[at_ + 1] == '\n') continue;
        c = '\n';
      }
      if (keep) value += c;
    }
    if (AtEnd())
      return Fault(StrCat("the value begun in line ", line, " has no end: ']' expected"));
    Step();
    return value;
  }

  bool AtEnd() const { return at_ >= text_.size(); }
  void Step() {
    if (text_[at_] == '\n') ++line_;
    ++at_;
  }
  void SkipSpace() {
    while (!AtEnd() && IsSpace(text_[at_])) Step();
  }
  Error Fault(std::string_view what) const {
    std::string found = "the end";
    if (!AtEnd()) {
      char shown[16];
      const auto byte = static_cast<unsigned char>(text_[at_]);
      std::snprintf(shown, sizeof shown, std::isprint(byte) ? "'%c'" : "byte 0x%02x", byte);
      found = shown;
    }
    return Error{Errc::kInvalid,
                 StrCat("sgf line ", line_, ", byte ", at_, ": ", what, ", found ", found)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

const SgfProperty* SgfNode::Find(std::string_view name) const {
  for (const SgfProperty& property : properties) {
    if (property.name == name) return &property;
  }
  return nullptr;
}

Result<std::vector<SgfTree>> ParseSgfTrees(std::string_view text) { return Parser(text).Trees(); }

std::string EscapeSgf(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == ']' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace az
