#include "engine/players/weights_info.h"

#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/crc32c.h"
#include "base/files.h"
#include "base/strings.h"

namespace az {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 20;

struct ShapeField {
  const char* key;
  int NetShape::*field;
  bool may_lack = false;  // may be absent, which means 0; 0 is not written
};
constexpr std::array<ShapeField, 12> kShapeFields = {
    {{"net.planes", &NetShape::planes},
     {"net.rows", &NetShape::rows},
     {"net.cols", &NetShape::cols},
     {"net.actions", &NetShape::actions},
     {"net.filters", &NetShape::filters},
     {"net.res_blocks", &NetShape::res_blocks},
     {"net.global_pool_every", &NetShape::global_pool_every, true},
     {"net.heads", &NetShape::heads},
     {"net.attention_blocks", &NetShape::attention_blocks},
     {"net.policy_filters", &NetShape::policy_filters},
     {"net.value_filters", &NetShape::value_filters},
     {"net.value_hidden", &NetShape::value_hidden}}};

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Error Corrupt(const std::filesystem::path& path, std::string_view what) {
  return Error{Errc::kCorrupt, StrCat("read ", path.string(), ": ", what)};
}

// Checks the checksum that stands at `at` in the file. It covers every byte except its own digits.
bool ChecksumHolds(std::string_view file, std::size_t at) {
  if (at + kChecksumDigits.size() > file.size()) return false;
  const std::string_view digits = file.substr(at, kChecksumDigits.size());
  std::uint32_t crc = Crc32c(AsBytes(file.substr(kLengthBytes, at - kLengthBytes)));
  crc = Crc32cExtend(crc, AsBytes(kChecksumDigits));
  crc = Crc32cExtend(crc, AsBytes(file.substr(at + kChecksumDigits.size())));
  return digits == ChecksumDigits(crc);
}

}  // namespace

std::string ChecksumDigits(std::uint32_t crc) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string digits(8, '0');
  for (std::size_t i = 0; i < 8; ++i) digits[7 - i] = kHex[(crc >> (4 * i)) & 15u];
  return digits;
}

std::map<std::string, std::string> MetadataOf(const WeightsInfo& info) {
  std::map<std::string, std::string> metadata = {
      {"format", StrCat(kWeightsFormat)},    {"game", info.game},
      {"game_hash", StrCat(info.game_hash)}, {"iteration", StrCat(info.iteration)},
      {"version", StrCat(info.version)},
  };
  for (const ShapeField& field : kShapeFields) {
    const int value = info.shape.*field.field;
    if (value != 0 || !field.may_lack) metadata[field.key] = StrCat(value);
  }
  return metadata;
}

Result<WeightsInfo> WeightsInfoFrom(const std::map<std::string, std::string>& metadata) {
  const auto text = [&](const std::string& key) -> std::string_view {
    const auto at = metadata.find(key);
    return at == metadata.end() ? std::string_view() : std::string_view(at->second);
  };
  const auto number = [&](const std::string& key) -> Result<std::uint64_t> {
    std::uint64_t value = 0;
    if (!ParseUint(text(key), value)) {
      return Error{Errc::kIncompatible, StrCat("metadata '", key, "' = '", text(key),
                                               "' is not a number: no weights of this engine")};
    }
    return value;
  };
  AZ_ASSIGN_OR_RETURN(const std::uint64_t format, number("format"));
  if (format != kWeightsFormat) {
    return Error{Errc::kIncompatible, StrCat("format version ", format, ", this build reads ",
                                             kWeightsFormat, " (use the build that wrote it)")};
  }
  WeightsInfo info;
  info.game = text("game");
  AZ_ASSIGN_OR_RETURN(info.game_hash, number("game_hash"));
  AZ_ASSIGN_OR_RETURN(const std::uint64_t iteration, number("iteration"));
  info.iteration = static_cast<std::uint32_t>(iteration);
  AZ_ASSIGN_OR_RETURN(info.version, number("version"));
  for (const ShapeField& field : kShapeFields) {
    if (field.may_lack && !metadata.contains(field.key)) {
      info.shape.*field.field = 0;
      continue;
    }
    AZ_ASSIGN_OR_RETURN(const std::uint64_t value, number(field.key));
    if (value > 1'000'000) {
      return Error{Errc::kCorrupt, StrCat("metadata '", field.key, "' = ", value, " is absurd")};
    }
    info.shape.*field.field = static_cast<int>(value);
  }
  return info;
}

Result<TensorContainer> ReadTensorContainer(const std::filesystem::path& path) {
  AZ_ASSIGN_OR_RETURN(std::string file, ReadFile(path));
  std::uint64_t length = 0;
  if (file.size() < kLengthBytes) return Corrupt(path, "shorter than its 8-byte length field");
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kMaxHeaderBytes || length > file.size() - kLengthBytes) {
    return Corrupt(path, StrCat("its header says ", length, " bytes, the file has ",
                                file.size() - kLengthBytes, " after the length field"));
  }
  TensorContainer container{.bytes = std::move(file), .header_bytes = length};
  const std::size_t checksum = container.header().find(kChecksumText);
  if (checksum == std::string_view::npos) {
    return Error{Errc::kIncompatible, StrCat("read ", path.string(),
                                             ": it has no checksum, so this engine did not write "
                                             "it")};
  }
  if (!ChecksumHolds(container.bytes, kLengthBytes + checksum + kChecksumText.size())) {
    return Corrupt(path, "checksum differs: the file is damaged or incomplete");
  }
  return container;
}

Result<WeightsInfo> ReadWeightsInfo(const std::filesystem::path& file) {
  AZ_ASSIGN_OR_RETURN(const TensorContainer container, ReadTensorContainer(file));
  const nlohmann::json header =
      nlohmann::json::parse(container.header(), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object() || !header.contains("__metadata__") ||
      !header["__metadata__"].is_object()) {
    return Corrupt(file, "its header is not a JSON object with metadata");
  }
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : header["__metadata__"].items()) {
    if (value.is_string()) metadata[key] = value.get<std::string>();
  }
  Result<WeightsInfo> info = WeightsInfoFrom(metadata);
  if (!info) return WithContext(StrCat("read ", file.string()), std::move(info).error());
  return info;
}

}  // namespace az
