#include "engine/run/run_dir.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "tests/engine/data/records.h"

namespace az {
namespace {

namespace fs = std::filesystem;

class RunDirTest : public ::testing::Test {
 protected:
  RunDirTest() {
    config_.game.name = "tic_tac_toe";
    config_.run.dir = path_.string();
  }
  Result<RunDir> Open(RunDir::Mode mode = RunDir::Mode::kResume) const {
    return RunDir::Open(config_, mode);
  }
  Errc Refusal() const {
    const Result<RunDir> dir = Open();
    EXPECT_FALSE(dir);
    return dir ? Errc::kStopped : dir.error().code;
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_ / "run";
  RunConfig config_;
};

TEST_F(RunDirTest, KeepsItsIdentityFromTheFirstMoment) {
  std::string id;
  {
    const Result<RunDir> dir = Open();
    ASSERT_TRUE(dir) << dir.error().message;
    EXPECT_TRUE(dir->is_new());
    id = dir->state().run_id;
  }
  const Result<RunDir> again = Open();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->is_new());
  EXPECT_EQ(again->state().run_id, id);
}

TEST_F(RunDirTest, ANewRunsNameIsThatOfOneFolderAndAnOldOnesMayBeAPath) {
  fs::current_path(folder_ / "");
  config_.run.dir = "auto";
  config_.run.name = "hex/first";
  EXPECT_EQ(Refusal(), Errc::kInvalid);
  EXPECT_FALSE(fs::exists("runs"));
  config_.run.dir = "runs/hex/first";  // as older programs began it
  ASSERT_TRUE(Open());
  config_.run.dir = "auto";
  const Result<RunDir> again = Open();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->is_new());
}

TEST_F(RunDirTest, RefusesAFile) {
  ASSERT_TRUE(WriteFileAtomic(path_, "mine"));
  EXPECT_EQ(Refusal(), Errc::kInvalid);
}

TEST_F(RunDirTest, RefusesAFolderOfOtherThings) {
  fs::create_directories(path_);
  ASSERT_TRUE(Open()) << "an empty one is as good as none";
  fs::remove_all(path_);
  fs::create_directories(path_);
  ASSERT_TRUE(WriteFileAtomic(path_ / "config.yaml", "mine"));
  EXPECT_EQ(Refusal(), Errc::kInvalid);
  EXPECT_EQ(*ReadFile(path_ / "config.yaml"), "mine");
  EXPECT_FALSE(fs::exists(path_ / "lock"));
}

TEST_F(RunDirTest, RefusesToBeginAnewOverGames) {
  ASSERT_TRUE(Open());
  ASSERT_TRUE(WriteFileAtomic(path_ / "journal" / "lane_000.journal", "games"));
  fs::remove(path_ / "state.json");
  EXPECT_EQ(Refusal(), Errc::kCorrupt);
}

TEST_F(RunDirTest, NamesWhatIsDamaged) {
  ASSERT_TRUE(Open());
  const std::string state = *ReadFile(path_ / "state.json");
  ASSERT_TRUE(WriteFileAtomic(path_ / "state.json", state.substr(0, 40)));
  const Result<RunDir> dir = Open();
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().code, Errc::kCorrupt);
  EXPECT_NE(dir.error().message.find("state.json is damaged"), std::string::npos)
      << dir.error().message;
  EXPECT_NE(dir.error().message.find("--fresh"), std::string::npos);
  ASSERT_TRUE(WriteFileAtomic(path_ / "state.json", state));
  fs::remove(path_ / "config.yaml");
  EXPECT_EQ(Refusal(), Errc::kCorrupt);
}

TEST_F(RunDirTest, IsHeldByOne) {
  const Result<RunDir> first = Open();
  ASSERT_TRUE(first);
  EXPECT_EQ(Refusal(), Errc::kBusy);
  const Result<RunDir> fresh = Open(RunDir::Mode::kFresh);
  ASSERT_TRUE(fresh) << fresh.error().message;
  EXPECT_EQ(fresh->path(), path_.string() + "-2");
}

}  // namespace
}  // namespace az
