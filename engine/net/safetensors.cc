#include "engine/net/safetensors.h"

#include <ATen/ops/empty.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/crc32c.h"
#include "base/files.h"
#include "base/strings.h"
#include "engine/players/weights_info.h"

namespace az {
namespace {

static_assert(std::endian::native == std::endian::little);
using Json = nlohmann::ordered_json;

struct Type {
  std::string_view name;
  at::ScalarType type;
};
constexpr std::array<Type, 6> kTypes = {{{"F32", at::kFloat},
                                         {"F64", at::kDouble},
                                         {"BF16", at::kBFloat16},
                                         {"I64", at::kLong},
                                         {"I32", at::kInt},
                                         {"U8", at::kByte}}};

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::span<const std::byte> AsBytes(const at::Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()};
}

Error Corrupt(const std::filesystem::path& path, std::string_view what) {
  return Error{Errc::kCorrupt, StrCat("read ", path.string(), ": ", what)};
}

// One entry of the header, checked against the data that follows it.
Result<NamedTensor> ReadTensor(const std::string& name, const Json& entry, std::string_view data) {
  const auto wrong = [&](std::string_view what) {
    return Error{Errc::kCorrupt, StrCat("tensor '", name, "': ", what)};
  };
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
      !entry.contains("shape") || !entry["shape"].is_array() || !entry.contains("data_offsets") ||
      !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2) {
    return wrong("its header entry lacks dtype, shape or data_offsets");
  }
  std::optional<at::ScalarType> type;
  const std::string dtype = entry["dtype"].get<std::string>();
  for (const Type& known : kTypes) {
    if (known.name == dtype) type = known.type;
  }
  if (!type.has_value()) return wrong(StrCat("unknown dtype ", dtype));

  std::vector<std::int64_t> sizes;
  std::uint64_t bytes = at::elementSize(*type);
  for (const Json& size : entry["shape"]) {
    if (!size.is_number_unsigned()) return wrong("a size is not a whole number");
    const std::uint64_t value = size.get<std::uint64_t>();
    if (value != 0 && bytes > data.size() / value) return wrong("it is larger than the file");
    bytes *= value;
    sizes.push_back(static_cast<std::int64_t>(value));
  }
  for (const Json& offset : entry["data_offsets"]) {
    if (!offset.is_number_unsigned()) return wrong("an offset is not a whole number");
  }
  const std::uint64_t begin = entry["data_offsets"][0].get<std::uint64_t>();
  const std::uint64_t end = entry["data_offsets"][1].get<std::uint64_t>();
  if (begin > end || end > data.size() || end - begin != bytes) {
    return wrong(StrCat("offsets ", begin, " to ", end, " do not hold ", bytes, " of the ",
                        data.size(), " data bytes"));
  }
  NamedTensor out{name, at::empty(sizes, at::TensorOptions(*type))};
  if (bytes > 0) std::memcpy(out.tensor.data_ptr(), data.data() + begin, bytes);
  return out;
}

}  // namespace

Result<void> WriteSafetensors(const std::filesystem::path& path,
                              std::span<const NamedTensor> tensors,
                              std::map<std::string, std::string> metadata) {
  metadata[std::string(kChecksumKey)] = kChecksumDigits;
  Json header;
  header["__metadata__"] = metadata;
  std::vector<at::Tensor> kept;
  std::uint64_t offset = 0;
  for (const NamedTensor& item : tensors) {
    const at::Tensor tensor = item.tensor.detach().to(at::kCPU).contiguous();
    std::string_view dtype;
    for (const Type& known : kTypes) {
      if (known.type == tensor.scalar_type()) dtype = known.name;
    }
    if (dtype.empty()) {
      return Error{Errc::kInvalid,
                   StrCat("write ", path.string(), ": tensor '", item.name, "' has type ",
                          at::toString(tensor.scalar_type()), ", which this format does not hold")};
    }
    if (header.contains(item.name)) {
      return Error{Errc::kInvalid,
                   StrCat("write ", path.string(), ": two tensors are named '", item.name, "'")};
    }
    header[item.name] = {{"dtype", dtype},
                         {"shape", tensor.sizes().vec()},
                         {"data_offsets", {offset, offset + tensor.nbytes()}}};
    offset += tensor.nbytes();
    kept.push_back(tensor);
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');  // data starts on a multiple of 8 bytes

  std::uint32_t crc = Crc32c(AsBytes(text));
  for (const at::Tensor& tensor : kept) crc = Crc32cExtend(crc, AsBytes(tensor));
  text.replace(text.find(kChecksumText) + kChecksumText.size(), kChecksumDigits.size(),
               ChecksumDigits(crc));

  const std::uint64_t length = text.size();
  std::vector<std::span<const std::byte>> parts = {std::as_bytes(std::span(&length, 1)),
                                                   AsBytes(text)};
  for (const at::Tensor& tensor : kept) parts.push_back(AsBytes(tensor));
  return WriteFileAtomic(path, parts);
}

Result<TensorFile> ReadSafetensors(const std::filesystem::path& path) {
  AZ_ASSIGN_OR_RETURN(const TensorContainer container, ReadTensorContainer(path));
  const std::string_view data = container.data();
  const Json header = Json::parse(container.header(), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object() || !header.contains("__metadata__")) {
    return Corrupt(path, "its header is not a JSON object with metadata");
  }
  TensorFile out;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") {
      Result<NamedTensor> tensor = ReadTensor(name, entry, data);
      if (!tensor) return WithContext(StrCat("read ", path.string()), tensor.error());
      out.tensors.push_back(std::move(*tensor));
      continue;
    }
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) return Corrupt(path, StrCat("metadata '", key, "' is not text"));
      if (key != kChecksumKey) out.metadata[key] = value.get<std::string>();
    }
  }
  return out;
}

}  // namespace az
