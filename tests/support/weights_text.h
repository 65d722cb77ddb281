#pragma once
// A weights file without tensors, as far as whoever has no LibTorch looks.

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "base/crc32c.h"
#include "engine/players/weights_info.h"

namespace az {

inline std::string WeightsText(std::map<std::string, std::string> metadata) {
  metadata[std::string(kChecksumKey)] = kChecksumDigits;
  nlohmann::json header;
  header["__metadata__"] = metadata;
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::string data(64, 'd');
  std::uint32_t crc = Crc32c(std::as_bytes(std::span(text.data(), text.size())));
  crc = Crc32cExtend(crc, std::as_bytes(std::span(data.data(), data.size())));
  text.replace(text.find(kChecksumText) + kChecksumText.size(), 8, ChecksumDigits(crc));
  const std::uint64_t length = text.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + text + data;
}

}  // namespace az
