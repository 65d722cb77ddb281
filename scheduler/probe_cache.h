#pragma once
// Where probe results are kept between runs: a small text file a device and network, in a folder of
// the user's (docs/formats/probe_cache.md). What it holds for is written in it; with any difference
// there, and when it is broken or cut off, it is as if it was not there.

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/calibration.h"
#include "scheduler/device_memory.h"
#include "scheduler/net_shape.h"

namespace az {

// What measurements hold for, beside the precision and segment that each of them carries.
struct ProbeKey {
  DeviceIdentity device;
  NetShape net;
  int words = 0;    // of a position's bit planes
  int runners = 1;  // inference batches at a time; cuda_graphs as planned
  bool cuda_graphs = false;
};

// The file's text; DecodeProbeCache of it gives the same calibration for the same key.
std::string EncodeProbeCache(const ProbeKey& key, const Calibration& calibration);
// kCorrupt: no such file's text, or damaged; kIncompatible: of another key or version. The message
// names what differs.
Result<Calibration> DecodeProbeCache(std::string_view text, const ProbeKey& key);

// A file name of its own for each key.
std::filesystem::path ProbeCacheFile(const std::filesystem::path& folder, const ProbeKey& key);

// kNotFound when there is none; as DecodeProbeCache. All of them mean: probe.
Result<Calibration> LoadProbeCache(const std::filesystem::path& folder, const ProbeKey& key);
// Makes the folder; the file is the old one or the new one, never a part. kInvalid for a simulated
// device, whose numbers are made up; as WriteFileAtomic.
Result<void> SaveProbeCache(const std::filesystem::path& folder, const ProbeKey& key,
                            const Calibration& calibration);

}  // namespace az
