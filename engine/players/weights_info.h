#pragma once
// WeightsInfo: the metadata of a weights file, which name the game and the network, read without
// LibTorch; and the safetensors container with its checksum. engine/net reads the tensors.
// docs/formats/checkpoint.md draws the file.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/net_shape.h"

namespace az {

inline constexpr int kWeightsFormat = 1;  // what this build writes and reads
inline constexpr std::string_view kWeightsFile = "weights.safetensors";  // in a checkpoint folder

struct WeightsInfo {
  NetShape shape;
  std::string game;             // registry entry: "hex5"
  std::uint64_t game_hash = 0;  // GameInfo::Hash
  std::uint32_t iteration = 0;
  std::uint64_t version = 0;  // the weights version at the time of writing; 0 = never published
};

// Writes and reads the metadata of a weights file. Reading fails with kIncompatible for another
// format version or a file that is not this engine's, and with kCorrupt for an absurd size.
std::map<std::string, std::string> MetadataOf(const WeightsInfo& info);
Result<WeightsInfo> WeightsInfoFrom(const std::map<std::string, std::string>& metadata);

// Reads and checks the whole file, but interprets no tensor. Errors name the file. Fails with
// kNotFound, with kIo, with kCorrupt when it is truncated or damaged, and with kIncompatible as
// above.
Result<WeightsInfo> ReadWeightsInfo(const std::filesystem::path& file);

// The safetensors container: 8-byte length, JSON header, data.
struct TensorContainer {
  std::string bytes;  // the whole file's
  std::size_t header_bytes = 0;
  std::string_view header() const { return std::string_view(bytes).substr(8, header_bytes); }
  std::string_view data() const { return std::string_view(bytes).substr(8 + header_bytes); }
};
inline constexpr std::string_view kChecksumKey = "crc32c";  // its key in the metadata
// The checksum covers header and data with these eight digits in place of its own.
inline constexpr std::string_view kChecksumDigits = "00000000";
inline constexpr std::string_view kChecksumText = "\"crc32c\":\"";  // in front of its digits
// The checksum in eight lower-case hexadecimal digits.
std::string ChecksumDigits(std::uint32_t crc);

// Reads a container. Fails with kCorrupt when it is truncated or the checksum differs, and with
// kIncompatible when it has no checksum, so that another program must have written it.
Result<TensorContainer> ReadTensorContainer(const std::filesystem::path& file);

}  // namespace az
