#include "base/temp_folder.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/files.h"

namespace az {
namespace {

TEST(TempFolder, GoesWithItsContents) {
  std::optional<TempFolder> folder = *TempFolder::Make("az_test");
  const std::filesystem::path path = folder->path();
  EXPECT_EQ(path.filename().string().find("az_test."), 0u);
  ASSERT_TRUE(MakeDirectories(path / "a" / "b"));
  ASSERT_TRUE(WriteFileAtomic(path / "a" / "file", "text"));
  TempFolder moved = *std::move(folder);
  folder.reset();
  EXPECT_TRUE(std::filesystem::exists(path)) << "its new owner keeps it";
  { const TempFolder last = std::move(moved); }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TempFolder, TwoOfOneNameAreTwo) {
  const Result<TempFolder> one = TempFolder::Make("az_test");
  const Result<TempFolder> two = TempFolder::Make("az_test");
  ASSERT_TRUE(one && two);
  EXPECT_NE(one->path(), two->path());
}

}  // namespace
}  // namespace az
