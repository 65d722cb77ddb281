#pragma once
// A YAML document as a flat list of keys and texts with their lines. Keeps yaml-cpp out of every
// other file.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace az {

struct YamlLeaf {
  std::string key;   // "search.visits"
  std::string text;  // a scalar's text; empty for other kinds
  int line = 0;      // counted from 1
  enum class Kind : unsigned char { kScalar, kNull, kSequence, kEmptyMap } kind = Kind::kScalar;
};

struct YamlDocument {
  std::vector<YamlLeaf> leaves;    // in the order of the file; a key may appear twice
  std::vector<YamlLeaf> sections;  // every map inside the document, with the line of its key
};

// Parses a document. Fails with kInvalid, and sets `line` to the place, for UTF-16 or bytes that
// are no text, text that is not YAML or not a map, several documents, maps nested too deeply, and
// keys that are no text.
Result<YamlDocument> ParseYaml(std::string_view text, int& line);

}  // namespace az
