#include "engine/net/safetensors.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "tests/engine/net/net_testing.h"

namespace az {
namespace {

std::vector<NamedTensor> Samples() {
  return {{"a.weight", at::randn({3, 5})},
          {"strided", at::randn({4, 6}).t()},
          {"bf16", at::randn({7}).to(at::kBFloat16)},
          {"step", at::full({}, 12345678901, at::kLong)},
          {"none", at::zeros({0, 4})},
          {"bytes", at::arange(5, at::kByte)}};
}

std::string MustRead(const std::filesystem::path& path) { return *ReadFile(path); }

TEST(Safetensors, GivesBackTensorsAndMetadata) {
  const testing::TemporaryFolder folder;
  const std::vector<NamedTensor> written = Samples();
  const std::map<std::string, std::string> metadata = {{"game", "hex5"}, {"quote", "a\"b\\c"}};
  ASSERT_TRUE(WriteSafetensors(folder / "f", written, metadata));
  const Result<TensorFile> read = ReadSafetensors(folder / "f");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->metadata, metadata);
  ASSERT_EQ(read->tensors.size(), written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(read->tensors[i].name, written[i].name);
    EXPECT_EQ(read->tensors[i].tensor.scalar_type(), written[i].tensor.scalar_type());
    EXPECT_TRUE(read->tensors[i].tensor.equal(written[i].tensor)) << written[i].name;
    EXPECT_TRUE(read->tensors[i].tensor.is_contiguous());
  }
}

TEST(Safetensors, WritesDataAsTheFormatSays) {
  const testing::TemporaryFolder folder;
  const std::vector<NamedTensor> one = {{"x", at::full({2}, 1.0f)}};
  ASSERT_TRUE(WriteSafetensors(folder / "f", one, {}));
  const std::string file = MustRead(folder / "f");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  EXPECT_EQ((8 + length) % 8, 0u);
  EXPECT_EQ(file.size(), 8 + length + 8);
  EXPECT_NE(file.find(R"("x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})"),
            std::string::npos);
  EXPECT_EQ(file.substr(8 + length), std::string("\0\0\x80\x3f\0\0\x80\x3f", 8));
}

TEST(Safetensors, NoticesEveryDamagedByte) {
  const testing::TemporaryFolder folder;
  const std::vector<NamedTensor> one = {{"x", at::full({2}, 1.0f)}};
  ASSERT_TRUE(WriteSafetensors(folder / "f", one, {{"iteration", "7"}}));
  const std::string file = MustRead(folder / "f");
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x04);
    ASSERT_TRUE(WriteFileAtomic(folder / "g", damaged));
    EXPECT_FALSE(ReadSafetensors(folder / "g")) << "byte " << at;
  }
}

TEST(Safetensors, NoticesEveryTruncation) {
  const testing::TemporaryFolder folder;
  const std::vector<NamedTensor> one = {{"x", at::full({2}, 1.0f)}};
  ASSERT_TRUE(WriteSafetensors(folder / "f", one, {}));
  const std::string file = MustRead(folder / "f");
  for (std::size_t size = 0; size < file.size(); ++size) {
    ASSERT_TRUE(WriteFileAtomic(folder / "g", file.substr(0, size)));
    const Result<TensorFile> read = ReadSafetensors(folder / "g");
    ASSERT_FALSE(read) << size << " bytes";
    EXPECT_EQ(read.error().code, Errc::kCorrupt) << read.error().message;
  }
}

TEST(Safetensors, RefusesWhatItCannotHold) {
  const testing::TemporaryFolder folder;
  const std::vector<NamedTensor> half = {{"x", at::zeros({2}, at::kHalf)}};
  const std::vector<NamedTensor> twice = {{"x", at::zeros({2})}, {"x", at::zeros({2})}};
  for (const auto& tensors : {half, twice}) {
    const Result<void> written = WriteSafetensors(folder / "f", tensors, {});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, Errc::kInvalid);
  }
  EXPECT_EQ(ReadSafetensors(folder / "missing").error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace az
