#pragma once
// What a weights file says about itself, without LibTorch: the safetensors container with its
// checksum, and the metadata that names the game and the network. engine/net reads the tensors.
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
  std::uint64_t version = 0;  // weights version when they were written; 0 = never published
};

// The metadata of a weights file, both ways. kIncompatible: another format version, or no weights
// of this engine. kCorrupt: an absurd size.
std::map<std::string, std::string> MetadataOf(const WeightsInfo& info);
Result<WeightsInfo> WeightsInfoFrom(const std::map<std::string, std::string>& metadata);

// Reads the file whole and checks it, but no tensor. kNotFound, kIo. kCorrupt: truncated or
// damaged. kIncompatible as above. The message names the file.
Result<WeightsInfo> ReadWeightsInfo(const std::filesystem::path& file);

// The safetensors container: 8-byte length, JSON header, data.
struct TensorContainer {
  std::string bytes;  // of the whole file
  std::size_t header_bytes = 0;
  std::string_view header() const { return std::string_view(bytes).substr(8, header_bytes); }
  std::string_view data() const { return std::string_view(bytes).substr(8 + header_bytes); }
};
inline constexpr std::string_view kChecksumKey = "crc32c";  // in the metadata
// The checksum covers header and data with these eight digits in place of its own.
inline constexpr std::string_view kChecksumDigits = "00000000";
inline constexpr std::string_view kChecksumText = "\"crc32c\":\"";  // in front of its digits
// Eight lower-case hexadecimal digits.
std::string ChecksumDigits(std::uint32_t crc);

// kCorrupt: truncated, or the checksum differs. kIncompatible: no checksum, so another program
// wrote it.
Result<TensorContainer> ReadTensorContainer(const std::filesystem::path& file);

}  // namespace az
