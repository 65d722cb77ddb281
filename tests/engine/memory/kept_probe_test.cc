#include "engine/memory/kept_probe.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/files.h"
#include "engine/memory/linked_libraries.h"
#include "scheduler/planner.h"

namespace az {
namespace {

namespace fs = std::filesystem;

class KeptProbeFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "kept_probe_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_EQ(setenv("XDG_CACHE_HOME", name.c_str(), 1), 0);
    std::ofstream(folder_ / "az_device") << "a program";
    input_.device.ram = GiB(4);
    input_.game = {.words = 2, .branching = 25, .max_plies = 25};
    input_.wishes.window_positions = 1000;
    calibration_.training.push_back({Precision::kFp32, 0, {MiB(3), KiB(300)}, {10, 20}});
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  RunConfig config_;
  PlanInput input_;
  Calibration calibration_;
};

TEST_F(KeptProbeFile, IsUsedByTheNextPlanOfTheSameDevice) {
  EXPECT_FALSE(UseKeptProbe(config_, folder_, input_).is_used);
  ASSERT_TRUE(KeepProbe(input_, folder_, calibration_));
  ASSERT_TRUE(UseKeptProbe(config_, folder_, input_).is_used);
  EXPECT_EQ(input_.calibration, calibration_);
  ASSERT_TRUE(UseKeptProbe(config_, folder_, input_).is_used);  // found again from the new plan
}

// Two cards of one name are two devices.
TEST_F(KeptProbeFile, IsOfOneCardNotOfAllOfItsKind) {
  input_.device.kind = DeviceKind::kCuda;
  input_.device.name = "a card";
  input_.device.uuid = "GPU-1";
  input_.device.vram = input_.device.vram_total = GiB(8);
  ASSERT_TRUE(KeepProbe(input_, folder_, calibration_));
  EXPECT_TRUE(UseKeptProbe(config_, folder_, input_).is_used);
  input_.device.uuid = "GPU-2";
  EXPECT_FALSE(UseKeptProbe(config_, folder_, input_).is_used);
}

// A program that needs libx.so of the folder lib beside it, and nothing else of a program.
void WriteProgramWithALibrary(const fs::path& path) {
  constexpr std::string_view kText("\0libx.so\0$ORIGIN/lib", 21);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof(header);
  header.e_shnum = 2;
  std::array<Elf64_Shdr, 2> sections{};
  std::array<Elf64_Dyn, 2> entries{};
  sections[0].sh_type = SHT_DYNAMIC;
  sections[0].sh_link = 1;
  sections[0].sh_offset = sizeof(header) + sizeof(sections);
  sections[0].sh_size = sizeof(entries);
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = sections[0].sh_offset + sizeof(entries);
  sections[1].sh_size = kText.size();
  entries[0].d_tag = DT_NEEDED;
  entries[0].d_un.d_val = 1;
  entries[1].d_tag = DT_RUNPATH;
  entries[1].d_un.d_val = 9;
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof(header));
  file.write(reinterpret_cast<const char*>(sections.data()), sizeof(sections));
  file.write(reinterpret_cast<const char*>(entries.data()), sizeof(entries));
  file << kText;
}

TEST_F(KeptProbeFile, IsAMissWhenALibraryOfTheProgramChanged) {
  WriteProgramWithALibrary(folder_ / "az_device");
  fs::create_directories(folder_ / "lib");
  std::ofstream(folder_ / "lib/libx.so") << "a library";
  EXPECT_TRUE(LinkedLibraryStamps(folder_ / "az_device").starts_with("libx.so 9 bytes of "));
  ASSERT_TRUE(KeepProbe(input_, folder_, calibration_));
  EXPECT_TRUE(UseKeptProbe(config_, folder_, input_).is_used);
  std::ofstream(folder_ / "lib/libx.so") << "another library";
  EXPECT_FALSE(UseKeptProbe(config_, folder_, input_).is_used);
  EXPECT_EQ(LinkedLibraryStamps("/proc/cpuinfo"), "");
}

TEST_F(KeptProbeFile, IsAMissForAnotherProgramNetworkOrProcessor) {
  ASSERT_TRUE(KeepProbe(input_, folder_, calibration_));
  PlanInput other = input_;
  other.net.filters *= 2;
  EXPECT_FALSE(UseKeptProbe(config_, folder_, other).is_used);
  const ProbeKey here = ProbeKeyFor(input_, folder_, folder_).value();
  fs::create_directories(folder_ / "proc");
  std::ofstream(folder_ / "proc/cpuinfo") << "processor\t: 0\nmodel name\t: Another One\n";
  const ProbeKey there = ProbeKeyFor(input_, folder_, folder_).value();
  EXPECT_EQ(there.device.device, "Another One");
  EXPECT_FALSE(here.device == there.device);
  std::ofstream(folder_ / "az_device") << "another program";
  EXPECT_FALSE(UseKeptProbe(config_, folder_, input_).is_used);
}

// What people find after an update, or after a full disk.
TEST_F(KeptProbeFile, SaysWhyAFileIsLeftAlone) {
  ASSERT_TRUE(KeepProbe(input_, folder_, calibration_));
  const fs::path file = ProbeCacheFile(ProbeCacheFolder(), ProbeKeyFor(input_, folder_).value());
  const std::string text = ReadFile(file).value();
  std::string old = text;
  old.replace(old.find("cache 2"), 7, "cache 1");
  ASSERT_TRUE(WriteFileAtomic(file, old));
  const KeptProbe other = UseKeptProbe(config_, folder_, input_);
  EXPECT_FALSE(other.is_used);
  EXPECT_NE(other.refused.find("of another version"), std::string::npos) << other.refused;
  ASSERT_TRUE(WriteFileAtomic(file, text.substr(0, text.size() / 2)));
  const KeptProbe cut = UseKeptProbe(config_, folder_, input_);
  EXPECT_FALSE(cut.is_used);
  EXPECT_NE(cut.refused.find("damaged"), std::string::npos) << cut.refused;
  EXPECT_NE(cut.refused.find(file.string()), std::string::npos) << cut.refused;
  EXPECT_TRUE(input_.calibration == Calibration());
}

TEST_F(KeptProbeFile, IsNotUsedWhereItMustNotBe) {
  ASSERT_TRUE(KeepProbe(input_, folder_, calibration_));
  EXPECT_FALSE(UseKeptProbe(config_, {}, input_).is_used);
  PlanInput simulated = input_;
  simulated.device.simulated = true;
  EXPECT_FALSE(UseKeptProbe(config_, folder_, simulated).is_used);
  config_.memory.probe = ProbeMode::kNever;
  EXPECT_FALSE(UseKeptProbe(config_, folder_, input_).is_used);
}

}  // namespace
}  // namespace az
