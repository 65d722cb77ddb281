#include "engine/config/validate.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace az {
namespace {

TEST(FaultOfNewName, ARunsNameIsThatOfOneFolder) {
  RunOptions run;
  for (const char* name : {".", "..", "../up", "a/b", "/", "", "a\nb", "\x7F"}) {
    run.name = name;
    const std::optional<ConfigFault> fault = FaultOfNewName(run);
    ASSERT_TRUE(fault) << name;
    EXPECT_EQ(fault->keys, std::vector<std::string>{"run.name"});
    EXPECT_TRUE(fault->text.starts_with("run.name = " + run.name + " is no name for"));
    EXPECT_NE(fault->text.find("run.dir takes a path"), std::string::npos);
  }
  for (const char* name : {"a b", "...", ".hidden", "5x5-2", "é"}) {
    run.name = name;
    EXPECT_FALSE(FaultOfNewName(run)) << name;
  }
  run.name = "a/b";
  run.dir = "../up/../x";
  EXPECT_FALSE(FaultOfNewName(run)) << "nothing is named after it";
}

}  // namespace
}  // namespace az
