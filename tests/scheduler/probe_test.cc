#include "scheduler/probe.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/files.h"
#include "base/rng.h"
#include "base/strings.h"
#include "scheduler/probe_cache.h"

namespace az {
namespace {

TEST(Probe, SizesTakeHalfOfTheRoomAtMost) {
  const FittedPeak predicted = {MiB(10), MiB(1)};
  EXPECT_EQ(ChooseProbeSizes(predicted, MiB(300), 4096), (ProbeSizes{32, 128}));  // 138 of 150
  EXPECT_EQ(ChooseProbeSizes(predicted, MiB(276), 4096), (ProbeSizes{32, 128}));  // just so
  EXPECT_EQ(ChooseProbeSizes(predicted, MiB(275), 4096), (ProbeSizes{16, 64}));
  EXPECT_EQ(ChooseProbeSizes(predicted, GiB(100), 256), (ProbeSizes{64, 256}));
  EXPECT_EQ(ChooseProbeSizes(predicted, MiB(27), 4096), std::nullopt);
  EXPECT_EQ(HalvedSizes({32, 128}), (ProbeSizes{16, 64}));
  EXPECT_EQ(HalvedSizes({1, 4}), std::nullopt);
}

TEST(Probe, AFitIsOnOrAboveEveryPoint) {
  Rng rng(5);
  for (int round = 0; round < 1000; ++round) {
    const auto some = [&rng](int most) {
      return MiB(static_cast<std::int64_t>(rng.Below(static_cast<std::uint64_t>(most))));
    };
    const std::array<ProbePoint, 3> points = {
        {{16, some(100), 100}, {64, some(200), 300}, {256, some(900), 900}}};
    const Bytes formula = KiB(static_cast<std::int64_t>(rng.Below(4000)));
    const FittedPeak fit = FitPeak(points, formula);
    EXPECT_GE(fit.row, formula);
    for (const ProbePoint& point : points) {
      EXPECT_GE(fit.At(point.rows), point.peak) << "round " << round;
    }
  }
}

// A peak is the maximum of straight lines; the formula's slope keeps large sizes safe where the
// points still lie on a flatter one.
TEST(Probe, ASteeperLineBeyondThePointsIsNotUnderEstimated) {
  const auto peak = [](int rows) { return std::max(MiB(100), MiB(1) * rows); };
  const std::array<ProbePoint, 2> points = {{{16, peak(16), 1}, {64, peak(64), 1}}};
  const FittedPeak fit = FitPeak(points, MiB(1));
  for (const int rows : {1, 64, 128, 768, 4096}) EXPECT_GE(fit.At(rows), peak(rows)) << rows;
}

// At a size that was run the bill has what it took; between sizes it never falls.
TEST(Probe, ASizeThatWasRunTakesWhatItTook) {
  FittedPeak fit = {MiB(10), MiB(1)};
  EXPECT_EQ(fit.At(50), MiB(60));
  EXPECT_FALSE(fit.WasSeen(50));
  fit.See(100, MiB(90));  // the line says 110
  fit.See(20, MiB(40));   // the line says 30
  EXPECT_TRUE(fit.WasSeen(20) && fit.WasSeen(100));
  EXPECT_FALSE(fit.WasSeen(50));
  EXPECT_EQ(fit.At(20), MiB(40));
  EXPECT_EQ(fit.At(100), MiB(90));
  EXPECT_EQ(fit.At(1), MiB(40)) << "level below the smallest";
  EXPECT_EQ(fit.At(25), MiB(40)) << "no less than a smaller size took";
  EXPECT_EQ(fit.At(60), MiB(70));
  EXPECT_EQ(fit.At(95), MiB(90)) << "no more than a larger size took";
  EXPECT_EQ(fit.At(200), MiB(210));
  fit.See(50, MiB(95));  // noise: more than 100 rows took
  EXPECT_EQ(fit.At(100), MiB(95));
  fit.See(50, MiB(80));
  EXPECT_EQ(fit.At(50), MiB(95)) << "the larger of two runs counts";
}

TEST(Probe, WhatItSaysOfABatchNeverFallsWithTheRows) {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    FittedPeak fit = {MiB(static_cast<std::int64_t>(rng.Below(50))),
                      KiB(static_cast<std::int64_t>(rng.Below(3000)))};
    for (int i = 0; i < 4; ++i) {
      fit.See(1 + static_cast<int>(rng.Below(300)), MiB(static_cast<std::int64_t>(rng.Below(400))));
    }
    for (int rows = 1; rows < 400; ++rows) ASSERT_LE(fit.At(rows), fit.At(rows + 1)) << rows;
  }
}

TEST(Probe, SaysWhichSizesWereRun) {
  Calibration calibration;
  EXPECT_TRUE(SeenSizes(calibration).empty());
  calibration.training.push_back(
      {Precision::kBf16, 2, {{}, {}, {{32, MiB(1)}, {128, MiB(2)}}}, {}, 2});
  EXPECT_EQ(SeenSizes(calibration),
            std::vector<std::string>{"measured: training in bf16, checkpoints every 2 block(s), "
                                     "with 32, 128 rows, 2 at a time; other sizes are fitted"});
}

TEST(Probe, TimesAreALineWithNothingBelowZero) {
  const std::array<ProbePoint, 2> points = {{{16, {}, 260}, {64, {}, 740}}};
  EXPECT_EQ(FitTime(points), (FittedTime{100, 10}));
  const std::array<ProbePoint, 2> noisy = {{{16, {}, 500}, {64, {}, 400}}};
  EXPECT_EQ(FitTime(noisy), (FittedTime{0, 6.25}));
}

TEST(Probe, TheResidualIsWhatAConfirmingRunTookMore) {
  const FittedPeak fit = {MiB(10), MiB(1)};
  EXPECT_EQ(ConfirmResidual(fit, {100, MiB(115), 1}), MiB(5));
  EXPECT_EQ(ConfirmResidual(fit, {100, MiB(90), 1}), Bytes());
}

TEST(Probe, ANewFitReplacesTheOneOfTheSameKind) {
  Calibration calibration;
  Remember(calibration, ProbedTraining{.checkpoint_blocks = 0, .peak = {MiB(1), MiB(1)}});
  Remember(calibration, ProbedTraining{.checkpoint_blocks = 2, .peak = {MiB(2), MiB(1)}});
  Remember(calibration, ProbedTraining{.checkpoint_blocks = 0, .peak = {MiB(3), MiB(1)}});
  ASSERT_EQ(calibration.training.size(), 2u);
  EXPECT_EQ(calibration.training[1].peak.fixed, MiB(3));
}

// ---- the cache ----

ProbeKey SomeKey() {
  ProbeKey key;
  key.device = {.device = "GPU-1f2e",
                .name = "Card 12 GB",
                .total = GiB(12),
                .driver = "580.1",
                .runtime = "13.0",
                .libraries = "libtorch 2.11.0",
                .allocator = "expandable"};
  key.net.filters = 128;
  key.words = 2;
  key.runners = 2;
  return key;
}

Calibration SomeCalibration() {
  Calibration calibration;
  calibration.context = MiB(321);
  calibration.confirm_residual = MiB(7);
  calibration.inference.push_back(
      {Precision::kBf16, {MiB(3), KiB(9), {{8, MiB(4)}, {32, MiB(4)}}}, {61.5, 0.125}, 2});
  calibration.training.push_back(
      {Precision::kFp32, 0, {MiB(30), KiB(586), {{16, MiB(39)}}}, {100, 40.25}, 1});
  calibration.training.push_back(
      {Precision::kBf16, 2, {MiB(20), KiB(140), {{64, MiB(28)}, {256, MiB(55)}}}, {100, 30}, 4});
  return calibration;
}

TEST(ProbeCache, GivesBackWhatWasWritten) {
  for (const Calibration& calibration : {SomeCalibration(), Calibration()}) {
    const std::string text = EncodeProbeCache(SomeKey(), calibration);
    const Result<Calibration> read = DecodeProbeCache(text, SomeKey());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, calibration);
  }
}

TEST(ProbeCache, AnyDifferenceOfTheKeyIsAMiss) {
  const std::string text = EncodeProbeCache(SomeKey(), SomeCalibration());
  std::vector<ProbeKey> others(12, SomeKey());
  others[0].device.device = "GPU-2";
  others[1].device.total = GiB(16);
  others[2].device.driver = "581";
  others[3].device.runtime = "12.8";
  others[4].device.libraries = "libtorch 2.12.0";
  others[5].device.allocator = "";
  others[6].net.filters = 64;
  others[7].net.value_hidden = 1;
  others[8].words = 3;
  others[9].runners = 4;
  others[10].cuda_graphs = true;
  others[11].device.name = "Card 16 GB";
  for (const ProbeKey& other : others) {
    const Result<Calibration> read = DecodeProbeCache(text, other);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::kIncompatible) << read.error().message;
    EXPECT_NE(ProbeCacheFile("x", other), ProbeCacheFile("x", SomeKey()));
  }
}

TEST(ProbeCache, EveryTruncationAndEveryDamageIsAMiss) {
  const std::string text = EncodeProbeCache(SomeKey(), SomeCalibration());
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(DecodeProbeCache(text.substr(0, length), SomeKey())) << length;
  }
  Rng rng(6);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = text;
    const auto at = static_cast<std::size_t>(rng.Below(damaged.size()));
    damaged[at] = static_cast<char>(damaged[at] ^ (1u << rng.Below(8)));
    EXPECT_FALSE(DecodeProbeCache(damaged, SomeKey())) << "byte " << at;
  }
  for (const auto& [good, bad] :
       {std::pair("64:", "300:"), std::pair(" 256:", " 256 "), std::pair("cache 2", "cache 1"),
        std::pair("cache 2", "cache 3")}) {
    std::string other = text.substr(0, text.rfind("crc "));
    const auto at = other.find(good);
    ASSERT_NE(at, std::string::npos) << good;
    other.replace(at, std::string_view(good).size(), bad);
    other += StrCat("crc ", Crc32c(std::as_bytes(std::span(other))), "\n");
    EXPECT_FALSE(DecodeProbeCache(other, SomeKey())) << bad;
  }
  std::string junk(4096, '\0');
  for (char& c : junk) c = static_cast<char>(rng.Below(256));
  EXPECT_FALSE(DecodeProbeCache(junk, SomeKey()));
}

TEST(ProbeCache, FilesAreMadeFoundAndNotTrustedWhenCutOff) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "probe_cache_test" / "deep";
  std::filesystem::remove_all(folder.parent_path());
  EXPECT_EQ(LoadProbeCache(folder, SomeKey()).error().code, Errc::kNotFound);
  const Result<void> saved = SaveProbeCache(folder, SomeKey(), SomeCalibration());
  ASSERT_TRUE(saved) << saved.error().message;
  const Result<Calibration> loaded = LoadProbeCache(folder, SomeKey());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(*loaded, SomeCalibration());

  const std::filesystem::path file = ProbeCacheFile(folder, SomeKey());
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const Result<Calibration> cut = LoadProbeCache(folder, SomeKey());
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message.find(file.string()), std::string::npos) << cut.error().message;

  ProbeKey simulated = SomeKey();
  simulated.device.simulated = true;
  EXPECT_EQ(SaveProbeCache(folder, simulated, SomeCalibration()).error().code, Errc::kInvalid);
  std::filesystem::remove_all(folder.parent_path());
}

}  // namespace
}  // namespace az
