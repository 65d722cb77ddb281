#include "engine/config/validate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace az {
namespace {

// What each rule of validate.cc says of values is in config_reader_test.
TEST(Validate, ARunsNameIsThatOfOneFolder) {
  RunConfig config;
  for (const char* name : {".", "..", "../up", "a/b", "/", "", "a\nb", "\x7F"}) {
    config.run.name = name;
    const std::vector<ConfigFault> faults = Validate(config);
    ASSERT_EQ(faults.size(), 1U) << name;
    EXPECT_EQ(faults[0].keys, std::vector<std::string>{"run.name"});
    EXPECT_TRUE(faults[0].text.starts_with("run.name = " + config.run.name + " is no name for"));
    EXPECT_NE(faults[0].text.find("run.dir takes a path"), std::string::npos);
  }
  for (const char* name : {"a b", "...", ".hidden", "5x5-2", "é"}) {
    config.run.name = name;
    EXPECT_TRUE(Validate(config).empty()) << name;
  }
  config.run.dir = "../up/../x";
  EXPECT_TRUE(Validate(config).empty());
}

}  // namespace
}  // namespace az
