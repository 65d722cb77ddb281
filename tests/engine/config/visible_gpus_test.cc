#include "engine/config/visible_gpus.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace az {
namespace {

const std::vector<std::string> kUuids = {"GPU-0f1e", "GPU-0a77", "GPU-c3d4"};

std::vector<int> Seen(std::optional<std::string_view> variable) {
  std::vector<int> indices;
  for (const VisibleGpu& gpu : VisibleGpus(variable, kUuids)) {
    EXPECT_EQ(gpu.mig_uuid, "");
    indices.push_back(gpu.index);
  }
  return indices;
}

TEST(VisibleGpus, AllWhereTheVariableIsNotSetAndNoneWhereItIsEmpty) {
  EXPECT_EQ(Seen({}), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(Seen(""), std::vector<int>{});
  EXPECT_EQ(Seen("NoDevFiles"), std::vector<int>{});
}

TEST(VisibleGpus, NumbersAndUuidsInTheOrderWritten) {
  EXPECT_EQ(Seen("2"), std::vector<int>{2});
  EXPECT_EQ(Seen("2,0"), (std::vector<int>{2, 0}));
  EXPECT_EQ(Seen(" 1 , 2"), (std::vector<int>{1, 2}));
  EXPECT_EQ(Seen("GPU-c3d4,GPU-0f1e"), (std::vector<int>{2, 0}));
  EXPECT_EQ(Seen("GPU-c,1"), (std::vector<int>{2, 1}));
}

TEST(VisibleGpus, EndWithTheFirstEntryThatNamesNone) {
  EXPECT_EQ(Seen("0,3,1"), std::vector<int>{0});
  EXPECT_EQ(Seen("1,-1,0"), std::vector<int>{1});
  EXPECT_EQ(Seen("1,,0"), std::vector<int>{1});
  EXPECT_EQ(Seen("GPU-0"), std::vector<int>{});  // the beginning of two
  EXPECT_EQ(Seen("GPU-ffff,0"), std::vector<int>{});
}

TEST(VisibleGpus, OneThatComesTwiceHidesAll) {
  EXPECT_EQ(Seen("1,0,1"), std::vector<int>{});
  EXPECT_EQ(Seen("0,GPU-0f1e"), std::vector<int>{});
}

TEST(VisibleGpus, OfMigInstancesTheFirstAlone) {
  EXPECT_EQ(VisibleGpus("MIG-77aa,MIG-88bb", kUuids), (std::vector<VisibleGpu>{{0, "MIG-77aa"}}));
  EXPECT_EQ(Seen("1,MIG-77aa,2"), std::vector<int>{1});
}

// Of an old driver without UUIDs numbers still count.
TEST(VisibleGpus, UnknownUuidsAreNobodys) {
  const std::vector<std::string> unknown(2);
  EXPECT_EQ(VisibleGpus("1", unknown).size(), 1u);
  EXPECT_EQ(VisibleGpus("GPU-", unknown).size(), 0u);
}

}  // namespace
}  // namespace az
