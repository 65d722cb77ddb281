#pragma once
// The safetensors container (8-byte length, JSON header, raw little-endian data), with a checksum
// of header and data in its metadata. What the tensors mean is the reader's business: checkpoint.h,
// and the learner's own state. docs/formats/checkpoint.md draws it.

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace az {

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

struct TensorFile {
  std::map<std::string, std::string> metadata;  // without the checksum
  std::vector<NamedTensor> tensors;  // on the CPU, contiguous, each owns its memory; in file order
};

// Writes the file whole or not at all (base/files.h). Types: float32, float64, bfloat16, int64,
// int32, uint8. Tensors may be on any device and strided; they are copied. kInvalid: another type,
// or two tensors of one name.
Result<void> WriteSafetensors(const std::filesystem::path& path,
                              std::span<const NamedTensor> tensors,
                              std::map<std::string, std::string> metadata);

// kCorrupt: truncated, not this format, or the checksum differs; nothing is returned in part.
// kIncompatible: no checksum, so another program wrote it.
Result<TensorFile> ReadSafetensors(const std::filesystem::path& path);

}  // namespace az
