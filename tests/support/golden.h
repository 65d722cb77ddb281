#pragma once
// Golden files: text frozen under tests/golden. Run a test with AZ_UPDATE_GOLDEN=1 to write the
// file anew, then read the difference before committing it. Tests run in the repository root.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace az::testing {

// `name` is relative to tests/golden: "games/hex5.txt".
inline void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = "tests/golden/" + name;
  if (std::getenv("AZ_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.is_open()) << path << " is missing (write it with AZ_UPDATE_GOLDEN=1)";
  std::ostringstream frozen;
  frozen << file.rdbuf();
  EXPECT_EQ(text, frozen.str()) << "differs from " << path;
}

}  // namespace az::testing
