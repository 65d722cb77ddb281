#include "engine/players/player_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "base/strings.h"
#include "engine/players/weights_info.h"
#include "games/registry.h"
#include "tests/support/weights_text.h"

namespace az {
namespace {

namespace fs = std::filesystem;

class PlayerSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / StrCat("players_", ::getpid());
    fs::remove_all(root_);
    run_ = root_ / "hexrun";
    for (const std::uint32_t iteration : {0u, 1u, 2u, 12u}) {
      WriteWeights(run_ / "checkpoints" / StrCat("iter_0000", iteration < 10 ? "0" : "", iteration),
                   iteration);
    }
    Write(run_ / "state.json", "{\"best\": \"iter_000002\"}");
  }
  void TearDown() override { fs::remove_all(root_); }

  static void Write(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    ASSERT_TRUE(WriteFileAtomic(path, text));
  }
  static WeightsInfo Info(std::uint32_t iteration, std::string game = "hex5") {
    const GameInfo& info = (*FindGame(game))->info();
    return {.shape = {.filters = 16},
            .game = game,
            .game_hash = info.Hash(),
            .iteration = iteration,
            .version = 7};
  }
  static void WriteWeights(const fs::path& folder, std::uint32_t iteration) {
    Write(folder / kWeightsFile, WeightsText(MetadataOf(Info(iteration))));
  }
  static Result<PlayerSource> Find(const std::string& text) {
    return FindPlayer(*ParsePlayer(text));
  }
  static Error Fault(const std::string& text) {
    const Result<PlayerSource> source = Find(text);
    EXPECT_FALSE(source) << text;
    return source ? Error{} : source.error();
  }

  fs::path root_;
  fs::path run_;
};

TEST_F(PlayerSourceTest, FindsEveryFormOfACheckpoint) {
  const std::string run = run_.string();
  fs::copy_file(run_ / "checkpoints/iter_000001" / kWeightsFile, root_ / "mine.safetensors");
  const std::pair<std::string, std::uint32_t> cases[] = {
      {run, 2u},
      {run + "/", 2u},
      {run + "/best", 2u},
      {run + "/latest", 12u},
      {run + "@iter=1", 1u},
      {run + "/@iter=12?sims=3", 12u},
      {run + "/checkpoints/iter_000000", 0u},
      {run + "/checkpoints/iter_000000/", 0u},
      {run + "/checkpoints/iter_000012/weights.safetensors", 12u},
      {(root_ / "mine.safetensors").string(), 1u}};
  for (const auto& [text, iteration] : cases) {
    const Result<PlayerSource> source = Find(text);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(source->info.iteration, iteration) << text;
    EXPECT_EQ(source->info.shape.filters, 16);
    EXPECT_EQ(source->game->info().entry, "hex5");
    const bool is_in_run = text.starts_with(run);
    EXPECT_EQ(source->run.empty(), !is_in_run) << text;
    EXPECT_EQ(fs::is_directory(source->load_path()), is_in_run) << text;
  }
}

// Makes a folder the working directory for as long as it lives.
class WorkingIn {
 public:
  explicit WorkingIn(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~WorkingIn() { fs::current_path(before_); }
  WorkingIn(const WorkingIn&) = delete;
  WorkingIn& operator=(const WorkingIn&) = delete;

 private:
  fs::path before_;
};

TEST_F(PlayerSourceTest, TheSamePlayerHoweverItIsWritten) {
  struct Case {
    fs::path folder;  // the working directory
    std::string text;
    std::string whole;  // the same player, by its whole path
  };
  const std::string run = run_.string();
  const fs::path first = run_ / "checkpoints/iter_000001";
  const Case cases[] = {{run_, ".", run},
                        {run_, "./", run},
                        {run_, "best", run},
                        {run_, "./best", run},
                        {run_, "best/", run},
                        {run_, "latest", run + "/latest"},
                        {run_, "./latest/", run + "/latest"},
                        {run_, ".@iter=1", first.string()},
                        {run_, "checkpoints/iter_000001", first.string()},
                        {run_ / "checkpoints", "iter_000001", first.string()},
                        {run_ / "checkpoints", "iter_000001/weights.safetensors", first.string()},
                        {run_ / "checkpoints", "..", run},
                        {first, ".", first.string()},
                        {first, "./", first.string()},
                        {first, "../iter_000001", first.string()},
                        {first, "weights.safetensors", first.string()},
                        {first, "./weights.safetensors", first.string()},
                        {root_, "hexrun", run},
                        {root_, "./hexrun//", run},
                        {root_, "hexrun/../hexrun/best", run}};
  for (const auto& [folder, text, whole] : cases) {
    const Result<PlayerSource> expected = Find(whole);
    ASSERT_TRUE(expected) << expected.error().message;
    const WorkingIn there(folder);
    const Result<PlayerSource> source = Find(text);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(source->weights, expected->weights) << text << " in " << folder;
    EXPECT_EQ(source->run, run_) << text << " in " << folder;
    EXPECT_EQ(source->load_path(), expected->load_path()) << text << " in " << folder;
  }
}

TEST_F(PlayerSourceTest, FindsAFileInTheCurrentFolder) {
  fs::copy_file(run_ / "checkpoints/iter_000001" / kWeightsFile, root_ / "good.safetensors");
  fs::create_directories(root_ / "alone");
  fs::copy_file(root_ / "good.safetensors", root_ / "alone" / kWeightsFile);
  Write(root_ / "cut.safetensors", WeightsText(MetadataOf(Info(1))).substr(0, 40));
  Write(root_ / "empty.safetensors", "");
  const WorkingIn there(root_);
  for (const std::string folder : {"", "./"}) {
    const Result<PlayerSource> source = Find(folder + "good.safetensors");
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(source->load_path(), root_ / "good.safetensors");
    EXPECT_TRUE(source->run.empty());
    EXPECT_EQ(Fault(folder + "cut.safetensors").code, Errc::kCorrupt);
    EXPECT_EQ(Fault(folder + "empty.safetensors").code, Errc::kCorrupt);
    EXPECT_EQ(Fault(folder + "none.safetensors").code, Errc::kNotFound);
  }
  const WorkingIn alone(root_ / "alone");
  for (const std::string text : {".", "weights.safetensors", "./weights.safetensors"}) {
    const Result<PlayerSource> source = Find(text);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(source->load_path(), root_ / "alone");
    EXPECT_TRUE(source->run.empty());
  }
}

TEST_F(PlayerSourceTest, AFolderThatIsGoneIsAnError) {
  fs::create_directories(root_ / "gone");
  const WorkingIn there(root_ / "gone");
  fs::remove(root_ / "gone");
  EXPECT_NE(Fault("good.safetensors").message.find("good.safetensors"), std::string::npos);
}

TEST_F(PlayerSourceTest, SaysWhatThereIsInstead) {
  const std::string run = run_.string();
  Error error = Fault(run + "@iter=7");
  EXPECT_EQ(error.code, Errc::kNotFound);
  EXPECT_NE(error.message.find("0 to 2, 12"), std::string::npos) << error.message;
  error = Fault((root_ / "hexrum").string());
  EXPECT_EQ(error.code, Errc::kNotFound);
  EXPECT_NE(error.message.find("has hexrun"), std::string::npos) << error.message;
  EXPECT_EQ(Fault(root_.string() + "@iter=1").code, Errc::kNotFound);
  EXPECT_EQ(Fault("/no/such/folder").code, Errc::kNotFound);
  Write(root_ / "young/state.json", "{\"best\": \"\"}");
  EXPECT_EQ(Fault((root_ / "young").string()).code, Errc::kNotFound);
  EXPECT_EQ(Fault((root_ / "young/latest").string()).code, Errc::kNotFound);
  Write(root_ / "broken/state.json", "{");
  EXPECT_EQ(Fault((root_ / "broken").string()).code, Errc::kCorrupt);
}

TEST_F(PlayerSourceTest, RefusesWhatIsNoWeightsOfThisEngine) {
  const std::string good = WeightsText(MetadataOf(Info(1)));
  const auto code_of = [&](const std::string& bytes) {
    Write(root_ / "f.safetensors", bytes);
    return Fault((root_ / "f.safetensors").string()).code;
  };
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, good.size() / 2, good.size() - 1}) {
    EXPECT_EQ(code_of(good.substr(0, size)), Errc::kCorrupt) << size;
  }
  for (std::size_t at = 8; at < good.size(); at += 13) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_NE(code_of(damaged), Errc::kInvalid) << at;
  }
  EXPECT_EQ(code_of(std::string(200, 'x')), Errc::kCorrupt);
  auto metadata = MetadataOf(Info(1));
  metadata["format"] = "9";
  EXPECT_EQ(code_of(WeightsText(metadata)), Errc::kIncompatible);
  metadata = MetadataOf(Info(1));
  metadata["game"] = "chess";
  EXPECT_EQ(code_of(WeightsText(metadata)), Errc::kIncompatible);
  metadata = MetadataOf(Info(1));
  metadata["game_hash"] = "1";
  EXPECT_EQ(code_of(WeightsText(metadata)), Errc::kIncompatible);
  metadata = MetadataOf(Info(1));
  metadata.erase("net.filters");
  EXPECT_EQ(code_of(WeightsText(metadata)), Errc::kIncompatible);
}

TEST_F(PlayerSourceTest, PlaysItsOwnGameOnly) {
  const PlayerSpec spec = *ParsePlayer(run_.string());
  const PlayerSource source = *FindPlayer(spec);
  EXPECT_TRUE(CheckPlayerFor(spec, source, (*FindGame("hex", 5))->info()));
  const Result<void> refused = CheckPlayerFor(spec, source, (*FindGame("go", 9))->info());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kIncompatible);
  EXPECT_NE(refused.error().message.find("hex5"), std::string::npos);
  EXPECT_NE(refused.error().message.find("go9"), std::string::npos);
}

TEST(WeightsInfo, MetadataRoundTrips) {
  WeightsInfo info{.shape = {.planes = 3, .heads = 4, .attention_blocks = 1},
                   .game = "go9",
                   .game_hash = ~std::uint64_t{0},
                   .iteration = 9,
                   .version = 11};
  const auto again = WeightsInfoFrom(MetadataOf(info));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->shape, info.shape);
  EXPECT_EQ(again->game, info.game);
  EXPECT_EQ(again->game_hash, info.game_hash);
  EXPECT_EQ(again->iteration, info.iteration);
  EXPECT_EQ(again->version, info.version);
}

}  // namespace
}  // namespace az
