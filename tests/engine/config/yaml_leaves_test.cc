#include "engine/config/yaml_leaves.h"

#include <gtest/gtest.h>

#include <string>

namespace az {
namespace {

using namespace std::string_literals;

// The parser decodes UTF-16 and takes some bytes for the end, and leaves out what does not fit: a
// file of FF FE 00 was an empty config.
TEST(YamlLeaves, BytesThatAreNoTextAreRefusedWithTheirLine) {
  struct Case {
    std::string bytes;
    int line;
    std::string byte;
  };
  const Case cases[] = {{"\xFF\xFE\0"s, 1, "0xff"},
                        {"\xFE\xFF\0s"s, 1, "0xfe"},
                        {"\0\0\xFE\xFF"s, 1, "0x00"},
                        {"s\0:\0"s, 1, "0x00"},
                        {"search: {visits: 7}\n\x04\nnope: 1\n"s, 2, "0x04"}};
  for (const Case& bad : cases) {
    int line = 0;
    const Result<YamlDocument> document = ParseYaml(bad.bytes, line);
    ASSERT_FALSE(document) << bad.byte;
    EXPECT_EQ(document.error().code, Errc::kInvalid);
    EXPECT_EQ(document.error().message,
              "not UTF-8 text: byte " + bad.byte + " (a config is UTF-8 text; save it as that)");
    EXPECT_EQ(line, bad.line) << bad.byte;
  }
}

// What a person's editor leaves in a file, and a path that is no UTF-8.
TEST(YamlLeaves, AMarkInFrontTabsLineEndsAndOtherBytesAreText) {
  int line = 0;
  const Result<YamlDocument> document =
      ParseYaml("\xEF\xBB\xBF# \t caf\xE9\r\nrun: {dir: \"\xFF/é\"}\r\n", line);
  ASSERT_TRUE(document) << document.error().message;
  ASSERT_EQ(document->leaves.size(), 1U);
  EXPECT_EQ(document->leaves[0].key, "run.dir");
  EXPECT_EQ(document->leaves[0].text, "\xFF/é");
  EXPECT_EQ(document->leaves[0].line, 2);
}

}  // namespace
}  // namespace az
