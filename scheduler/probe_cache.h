#pragma once
// The probe cache keeps probe results between runs: one small text file per device and network, in
// a folder of the user's (docs/formats/probe_cache.md). A file says what it was measured on; when
// any of that differs, or the file is damaged or cut off, it is ignored.

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/calibration.h"
#include "scheduler/device_memory.h"
#include "scheduler/net_shape.h"

namespace az {

// What the measurements depend on, beside the precision and segment that each of them carries.
struct ProbeKey {
  DeviceIdentity device;
  NetShape net;
  int words = 0;    // 64-bit words of a position's bit planes
  int runners = 1;  // inference batches at a time; this and cuda_graphs are as planned
  bool cuda_graphs = false;
};

// The file's text. DecodeProbeCache turns it back into the same calibration for the same key.
std::string EncodeProbeCache(const ProbeKey& key, const Calibration& calibration);
// Fails with kCorrupt when the text is damaged or not a probe cache's, with kIncompatible when it
// has another key or version; the message names what differs.
Result<Calibration> DecodeProbeCache(std::string_view text, const ProbeKey& key);

// The path of the file for `key`, different for each key.
std::filesystem::path ProbeCacheFile(const std::filesystem::path& folder, const ProbeKey& key);

// Fails with kNotFound when there is no file, or as DecodeProbeCache does. After any of these
// errors the caller should probe.
Result<Calibration> LoadProbeCache(const std::filesystem::path& folder, const ProbeKey& key);
// Makes the folder and replaces the file as a whole. Fails as WriteFileAtomic does, and with
// kInvalid for a simulated device, whose numbers are made up.
Result<void> SaveProbeCache(const std::filesystem::path& folder, const ProbeKey& key,
                            const Calibration& calibration);

}  // namespace az
