#include "engine/train/learner_checkpoint.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>

#include "base/crc32c.h"
#include "base/files.h"
#include "engine/net/checkpoint.h"
#include "engine/net/network.h"
#include "tests/engine/data/records.h"
#include "tests/engine/train/training_fixtures.h"

namespace az {
namespace {

const CheckpointIdentity kIdentity{.shape = kSmallShape, .game = "tic_tac_toe", .game_hash = 7};

// After some steps, so that no array is all zero.
LearnerCheckpoint TrainedCheckpoint(const NetShape& shape = kSmallShape) {
  LearnerOptions options;
  options.train.opponent_weight = options.train.short_term_weight = 0.2f;
  auto learner = Learner::Create(shape, options, LearnerState::Fresh(shape, 5));
  torch::manual_seed(2);
  const StepRows batch = AsStepRows(RandomBatch(32));
  for (int step = 0; step < 4; ++step) EXPECT_TRUE((*learner)->Step(batch, 1e-3));
  EXPECT_TRUE((*learner)->EstimateStatistics(batch));
  LearnerCheckpoint checkpoint;
  checkpoint.iteration = 3;
  checkpoint.ratio = {.inserted = 1000, .sampled = 128};
  checkpoint.state = (*learner)->state().Clone();
  checkpoint.state.skipped_steps = 2;
  checkpoint.state.rate = {.factor = 0.1 + 0.2,  // not a short decimal
                           .returns = 3,
                           .good_trainings = 2,
                           .known = 0.375};
  return checkpoint;
}

void ExpectSame(const LearnerCheckpoint& a, const LearnerCheckpoint& b) {
  EXPECT_EQ(a.iteration, b.iteration);
  EXPECT_EQ(a.ratio, b.ratio);
  EXPECT_EQ(a.state.steps, b.state.steps);
  EXPECT_EQ(a.state.samples, b.state.samples);
  EXPECT_EQ(a.state.skipped_steps, b.state.skipped_steps);
  EXPECT_EQ(a.state.rate, b.state.rate);
  EXPECT_TRUE(a.state.weights.equal(b.state.weights));
  EXPECT_TRUE(a.state.statistics.equal(b.state.statistics));
  EXPECT_TRUE(a.state.average.equal(b.state.average));
  EXPECT_TRUE(a.state.average_statistics.equal(b.state.average_statistics));
  EXPECT_TRUE(a.state.first_moment.equal(b.state.first_moment));
  EXPECT_TRUE(a.state.second_moment.equal(b.state.second_moment));
}

// Flips a bit of the byte at `fraction` of the file.
void Damage(const std::filesystem::path& file, double fraction) {
  std::string content = ReadFile(file).value();
  content[static_cast<std::size_t>(fraction * static_cast<double>(content.size() - 1))] ^= 0x10;
  ASSERT_TRUE(WriteFileAtomic(file, content));
}

TEST(LearnerCheckpoint, ComesBackBitForBit) {
  const TemporaryFolder folder;
  const LearnerCheckpoint saved = TrainedCheckpoint();
  ASSERT_TRUE(SaveCheckpoint(folder / "iter", kIdentity, saved));
  const Result<LearnerCheckpoint> loaded = LoadCheckpoint(folder / "iter", kIdentity);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ExpectSame(saved, *loaded);
}

// The header of a safetensors file, without our readers.
nlohmann::json HeaderOf(const std::filesystem::path& file) {
  const std::string content = ReadFile(file).value();
  std::size_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(content[i]);
  return nlohmann::json::parse(content.substr(8, length));
}

// What other programs read, word for word: docs/formats/checkpoint.md.
TEST(LearnerCheckpoint, WeightsAreNamedAsTheirPageHasThem) {
  const TemporaryFolder folder;
  ASSERT_TRUE(SaveCheckpoint(folder / "iter", kIdentity, TrainedCheckpoint()));
  const nlohmann::json header = HeaderOf(folder / "iter" / "weights.safetensors");
  nlohmann::json metadata = header.at("__metadata__");
  EXPECT_EQ(metadata.erase("crc32c"), 1u);
  EXPECT_EQ(metadata, nlohmann::json::parse(R"({
      "format": "1", "game": "tic_tac_toe", "game_hash": "7", "iteration": "3", "version": "0",
      "net.planes": "2", "net.rows": "3", "net.cols": "3", "net.actions": "9", "net.filters": "8",
      "net.res_blocks": "2", "net.heads": "2", "net.attention_blocks": "1", "net.policy_filters": "4",
      "net.value_filters": "4", "net.value_hidden": "16"})"));
  const auto expect = [&](const char* name, const char* sizes) {
    ASSERT_TRUE(header.contains(name)) << name;
    EXPECT_EQ(header.at(name).at("dtype"), "F32") << name;
    EXPECT_EQ(header.at(name).at("shape"), nlohmann::json::parse(sizes)) << name;
  };
  for (const std::string conv : {"block0.conv1", "block0.conv2", "block1.conv1", "block1.conv2"}) {
    expect((conv + ".conv.weight").c_str(), "[8, 8, 3, 3]");
    for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
      expect((conv + ".norm." + part).c_str(), "[8]");
    }
  }
  expect("stem.conv.weight", "[8, 2, 3, 3]");
  expect("stem.norm.running_var", "[8]");
  expect("attention0.norm.weight", "[8]");
  expect("attention0.norm.bias", "[8]");
  expect("attention0.qkv.weight", "[24, 8]");
  expect("attention0.qkv.bias", "[24]");
  expect("attention0.out.weight", "[8, 8]");
  expect("attention0.out.bias", "[8]");
  expect("attention0.bias", "[2, 9, 9]");
  expect("policy_conv.conv.weight", "[4, 8, 1, 1]");
  expect("policy_conv.norm.running_mean", "[4]");
  expect("policy_linear.weight", "[9, 36]");
  expect("policy_linear.bias", "[9]");
  expect("value_conv.conv.weight", "[4, 8, 1, 1]");
  expect("value_conv.norm.running_var", "[4]");
  expect("value_linear1.weight", "[16, 36]");
  expect("value_linear1.bias", "[16]");
  expect("value_linear2.weight", "[3, 16]");
  expect("value_linear2.bias", "[3]");
  // Norms and filters of stem, blocks and heads; the others; metadata.
  EXPECT_EQ(header.size(), 5u * 7 + 7 + 6 + 1);
}

TEST(LearnerCheckpoint, LearnerFilesAreWhatTheirPageHas) {
  const TemporaryFolder folder;
  CheckpointIdentity identity = kIdentity;
  identity.shape = WithHeads(kSmallShape);
  ASSERT_TRUE(SaveCheckpoint(folder / "iter", identity, TrainedCheckpoint(identity.shape)));
  const std::string counters =
      R"({"good_trainings":2,"iteration":3,"known_fraction":0.375,"rate_factor":0.30000000000000004,)"
      R"("returns":3,"sample_ratio":{"inserted_positions":1000,"sampled_positions":128},)"
      R"("samples":128,"skipped_steps":2,"steps":4})";
  const nlohmann::json expected = {{"format", 1},
                                   {"crc32c", Crc32c(std::as_bytes(std::span(counters)))},
                                   {"counters", nlohmann::json::parse(counters)}};
  EXPECT_EQ(nlohmann::json::parse(ReadFile(folder / "iter" / "learner.json").value()), expected);

  const nlohmann::json header = HeaderOf(folder / "iter" / "learner.safetensors");
  std::set<std::string> groups;
  for (const auto& [name, tensor] : header.items()) groups.insert(name.substr(0, name.find('/')));
  EXPECT_EQ(groups, (std::set<std::string>{"__metadata__", "average", "first_moment",
                                           "second_moment", "statistics", "weights"}));
  for (const char* name : {"weights/stem.conv.weight", "first_moment/stem.conv.weight",
                           "second_moment/stem.conv.weight", "statistics/stem.norm.running_var",
                           "weights/opponent_linear.weight", "average/opponent_linear.weight",
                           "average/short_term_linear.bias"}) {
    EXPECT_TRUE(header.contains(name)) << name;
  }
  EXPECT_FALSE(header.contains("average/stem.conv.weight")) << "it is what plays: the weights file";
}

// Heads that only training has come back with all else, and those that play never see them.
TEST(LearnerCheckpoint, HeadsOfTrainingAreTheLearnersAlone) {
  const TemporaryFolder folder;
  const NetShape shape = WithHeads(kSmallShape);
  CheckpointIdentity identity = kIdentity;
  identity.shape = shape;
  const LearnerCheckpoint saved = TrainedCheckpoint(shape);
  ASSERT_TRUE(SaveCheckpoint(folder / "iter", identity, saved));
  const Result<LearnerCheckpoint> loaded = LoadCheckpoint(folder / "iter", identity);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ExpectSame(saved, *loaded);

  // As those of a run without: same shape, same tensors, and a process without heads loads them.
  const Result<Weights> weights =
      LoadWeightsFor(folder / "iter" / kWeightsFile, kSmallShape, "tic_tac_toe");
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_EQ(weights->info.shape, kSmallShape);
  EXPECT_EQ(weights->tensors.size(), WeightsOf(*Network(kSmallShape), {}).tensors.size());
  EXPECT_TRUE(LoadWeightsFor(folder / "iter" / kWeightsFile, shape, "tic_tac_toe"));

  ASSERT_TRUE(SaveCheckpoint(folder / "plain", kIdentity, TrainedCheckpoint()));
  const Result<LearnerCheckpoint> without = LoadCheckpoint(folder / "plain", identity);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, Errc::kIncompatible);
  EXPECT_NE(without.error().message.find("train.opponent_weight"), std::string::npos);
}

TEST(LearnerCheckpoint, TrainingGoesOnBitForBit) {
  const TemporaryFolder folder;
  const LearnerCheckpoint saved = TrainedCheckpoint();
  ASSERT_TRUE(SaveCheckpoint(folder / "iter", kIdentity, saved));
  torch::manual_seed(3);
  const StepRows batch = AsStepRows(RandomBatch(32));
  torch::Tensor weights[2];
  for (const bool is_resumed : {false, true}) {
    LearnerState state =
        is_resumed ? LoadCheckpoint(folder / "iter", kIdentity)->state : saved.state.Clone();
    auto learner = Learner::Create(kSmallShape, {}, std::move(state));
    for (int step = 0; step < 3; ++step) ASSERT_TRUE((*learner)->Step(batch, 1e-3));
    weights[is_resumed] = (*learner)->state().average.clone();
  }
  EXPECT_TRUE(weights[0].equal(weights[1]));
}

TEST(LearnerCheckpoint, PlayingWeightsAreTheAverage) {
  const TemporaryFolder folder;
  const LearnerCheckpoint saved = TrainedCheckpoint();
  ASSERT_TRUE(SaveCheckpoint(folder / "iter", kIdentity, saved));
  const Result<Weights> weights =
      LoadWeightsFor(folder / "iter" / kWeightsFile, kSmallShape, "tic_tac_toe");
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_EQ(weights->info.iteration, 3U);
  const FlatLayout layout = FlatLayout::Of(*Network(kSmallShape));
  for (const FlatEntry& entry : layout.weights) {
    EXPECT_TRUE(weights->Get(entry.name).equal(ViewOf(saved.state.average, entry))) << entry.name;
  }
}

TEST(LearnerCheckpoint, ReplacesOneOfTheSameName) {
  const TemporaryFolder folder;
  LearnerCheckpoint checkpoint = TrainedCheckpoint();
  ASSERT_TRUE(SaveCheckpoint(folder / "iter", kIdentity, checkpoint));
  checkpoint.state.steps = 99;
  ASSERT_TRUE(SaveCheckpoint(folder / "iter", kIdentity, checkpoint));
  EXPECT_EQ(LoadCheckpoint(folder / "iter", kIdentity)->state.steps, 99);
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder / "")) {
    ++files;
  }
  EXPECT_EQ(files, 1);  // no temporary folder stays
}

TEST(LearnerCheckpoint, RefusesDamagedFiles) {
  const TemporaryFolder folder;
  for (const std::string_view name : {kWeightsFile, kLearnerTensorsFile, kLearnerCountersFile}) {
    for (const double fraction : {0.01, 0.3, 0.5, 0.99}) {
      ASSERT_TRUE(SaveCheckpoint(folder / "iter", kIdentity, TrainedCheckpoint()));
      Damage(folder / "iter" / name, fraction);
      const Result<LearnerCheckpoint> loaded = LoadCheckpoint(folder / "iter", kIdentity);
      // White space in the counters may change without a change of their meaning.
      if (loaded) {
        EXPECT_EQ(name, kLearnerCountersFile);
        continue;
      }
      EXPECT_TRUE(loaded.error().code == Errc::kCorrupt ||
                  loaded.error().code == Errc::kIncompatible)
          << loaded.error().message;
      EXPECT_NE(loaded.error().message.find(name), std::string::npos) << loaded.error().message;
    }
  }
}

TEST(LearnerCheckpoint, RefusesTruncatedAndMissingFiles) {
  const TemporaryFolder folder;
  for (const std::string_view name : {kWeightsFile, kLearnerTensorsFile, kLearnerCountersFile}) {
    ASSERT_TRUE(SaveCheckpoint(folder / "iter", kIdentity, TrainedCheckpoint()));
    const std::filesystem::path file = folder / "iter" / name;
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    EXPECT_EQ(LoadCheckpoint(folder / "iter", kIdentity).error().code, Errc::kCorrupt) << name;
    std::filesystem::remove(file);
    EXPECT_EQ(LoadCheckpoint(folder / "iter", kIdentity).error().code, Errc::kNotFound) << name;
  }
}

TEST(LearnerCheckpoint, RefusesAnotherNetworkAndAnotherGame) {
  const TemporaryFolder folder;
  ASSERT_TRUE(CreateInitialCheckpoint(folder / "iter", kIdentity, 1));
  CheckpointIdentity other = kIdentity;
  other.shape.filters = 16;
  const Error error = LoadCheckpoint(folder / "iter", other).error();
  EXPECT_EQ(error.code, Errc::kIncompatible);
  EXPECT_NE(error.message.find("filters 8"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("filters 16"), std::string::npos) << error.message;
  other = kIdentity;
  other.game = "hex5";
  EXPECT_EQ(LoadCheckpoint(folder / "iter", other).error().code, Errc::kIncompatible);
  other = kIdentity;
  other.game_hash = 8;
  EXPECT_EQ(LoadCheckpoint(folder / "iter", other).error().code, Errc::kIncompatible);
}

TEST(LearnerCheckpoint, RefusesFilesOfTwoCheckpoints) {
  const TemporaryFolder folder;
  ASSERT_TRUE(CreateInitialCheckpoint(folder / "first", kIdentity, 1));
  ASSERT_TRUE(SaveCheckpoint(folder / "third", kIdentity, TrainedCheckpoint()));
  std::filesystem::copy_file(folder / "first" / kLearnerTensorsFile,
                             folder / "third" / kLearnerTensorsFile,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(LoadCheckpoint(folder / "third", kIdentity).error().code, Errc::kCorrupt);
}

TEST(LearnerCheckpoint, TheFirstNetworkDependsOnTheSeedAlone) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(CreateInitialCheckpoint(folder / name, kIdentity, 11));
  }
  ASSERT_TRUE(CreateInitialCheckpoint(folder / "c", kIdentity, 12));
  const auto average = [&](const char* name) {
    return LoadCheckpoint(folder / name, kIdentity)->state.average;
  };
  EXPECT_TRUE(average("a").equal(average("b")));
  EXPECT_FALSE(average("a").equal(average("c")));
}

}  // namespace
}  // namespace az
