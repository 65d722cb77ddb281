#include "scheduler/probe_cache.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/crc32c.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/strings.h"

namespace az {
namespace {

constexpr std::string_view kFormat = "az probe cache ";
constexpr std::string_view kMagic = "az probe cache 2";
constexpr std::string_view kEndOfKey = "---";

// `text` on a single line.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string KeyText(const ProbeKey& key) {
  const DeviceIdentity& device = key.device;
  const NetShape& net = key.net;
  return StrCat("device ", OneLine(device.device), "\nname ", OneLine(device.name), "\ntotal ",
                device.total.count(), "\ndriver ", OneLine(device.driver), "\nruntime ",
                OneLine(device.runtime), "\nlibraries ", OneLine(device.libraries), "\nallocator ",
                OneLine(device.allocator), "\nnet ", net.planes, " ", net.rows, " ", net.cols, " ",
                net.actions, " ", net.filters, " ", net.res_blocks, " ", net.global_pool_every, " ",
                net.heads, " ", net.attention_blocks, " ", net.policy_filters, " ",
                net.value_filters, " ", net.value_hidden, net.opponent_head ? " opponent" : "",
                net.short_term_head ? " short_term" : "", "\nwords ", key.words, "\nrunners ",
                key.runners, "\ngraphs ", key.cuda_graphs, "\n", kEndOfKey, "\n");
}

std::string CrcText(std::string_view text) {
  return StrCat("crc ", Crc32c(std::as_bytes(std::span(text.data(), text.size()))), "\n");
}

// ---- values, one per line ----

bool ParsePrecision(std::string_view text, Precision& precision) {
  for (const auto& [candidate, name] : EnumNames<Precision>::value) {
    if (name != text) continue;
    precision = candidate;
    return true;
  }
  return false;
}
bool ParseSize(std::string_view text, Bytes& bytes) {
  std::int64_t count = 0;
  if (!ParseInt(text, count) || count < 0) return false;
  bytes = Bytes(count);
  return true;
}
bool ParseMicros(std::string_view text, double& micros) {
  return ParseDouble(text, micros) && micros >= 0 && micros < 1e15;
}
bool ParseCount(std::string_view text, int most, int& count) {
  std::int64_t value = 0;
  if (!ParseInt(text, value) || value < 0 || value > most) return false;
  count = static_cast<int>(value);
  return true;
}

// ---- fits: line and time, how many ran together, and the sizes that were run ----

constexpr int kMostRows = 1 << 20;
constexpr int kMostBlocks = 256;
constexpr int kMostAtOnce = 4096;
constexpr std::size_t kFitWords = 5;  // words before the sizes

bool ParseSeen(std::string_view word, FittedPeak& peak) {
  const auto colon = word.find(':');
  SeenPeak seen;
  if (colon == std::string_view::npos || !ParseCount(word.substr(0, colon), kMostRows, seen.rows) ||
      !ParseSize(word.substr(colon + 1), seen.peak)) {
    return false;
  }
  const SeenPeak before = peak.seen.empty() ? SeenPeak{} : peak.seen.back();
  peak.seen.push_back(seen);
  return seen.rows > before.rows && seen.peak >= before.peak;
}

template <class Probed>
bool ParseFit(std::span<const std::string_view> words, Probed& probed) {
  if (words.size() < kFitWords || !ParseSize(words[0], probed.peak.fixed) ||
      !ParseSize(words[1], probed.peak.row) || !ParseMicros(words[2], probed.time.fixed_us) ||
      !ParseMicros(words[3], probed.time.row_us) ||
      !ParseCount(words[4], kMostAtOnce, probed.at_once)) {
    return false;
  }
  for (const std::string_view word : words.subspan(kFitWords)) {
    if (!ParseSeen(word, probed.peak)) return false;
  }
  return probed.at_once > 0;
}

template <class Probed>
std::string FitText(const Probed& probed) {
  std::string text = StrCat(probed.peak.fixed.count(), " ", probed.peak.row.count(), " ",
                            probed.time.fixed_us, " ", probed.time.row_us, " ", probed.at_once);
  for (const SeenPeak& seen : probed.peak.seen) {
    text += StrCat(" ", seen.rows, ":", seen.peak.count());
  }
  return text + "\n";
}

bool ParseLine(std::string_view line, Calibration& calibration) {
  const std::vector<std::string_view> words = Split(line, ' ');
  const auto size = [&words](std::optional<Bytes>& value) {
    return words.size() == 2 && ParseSize(words[1], value.emplace());
  };
  if (words[0] == "context") return size(calibration.context);
  if (words[0] == "confirm_residual") {
    return words.size() == 2 && ParseSize(words[1], calibration.confirm_residual);
  }
  if (words[0] == "inference" && words.size() > 2) {
    ProbedInference& probed = calibration.inference.emplace_back();
    return ParsePrecision(words[1], probed.precision) &&
           ParseFit(std::span(words).subspan(2), probed);
  }
  if (words[0] == "training" && words.size() > 3) {
    ProbedTraining& probed = calibration.training.emplace_back();
    return ParsePrecision(words[1], probed.precision) &&
           ParseCount(words[2], kMostBlocks, probed.checkpoint_blocks) &&
           ParseFit(std::span(words).subspan(3), probed);
  }
  return false;
}

// Names the first line that differs, for a message.
std::string FirstDifference(std::string_view have, std::string_view want) {
  const std::vector<std::string_view> there = Split(have, '\n');
  const std::vector<std::string_view> here = Split(want, '\n');
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (i >= there.size()) break;
    if (there[i] != here[i]) return StrCat("'", there[i], "' there, '", here[i], "' here");
  }
  return "its key has another length";
}

}  // namespace

std::string EncodeProbeCache(const ProbeKey& key, const Calibration& calibration) {
  std::string text = StrCat(kMagic, "\n", KeyText(key));
  const auto size = [&text](std::string_view name, const std::optional<Bytes>& value) {
    if (value) text += StrCat(name, " ", value->count(), "\n");
  };
  size("context", calibration.context);
  size("confirm_residual", calibration.confirm_residual);
  for (const ProbedInference& probed : calibration.inference) {
    text += StrCat("inference ", EnumName(probed.precision), " ", FitText(probed));
  }
  for (const ProbedTraining& probed : calibration.training) {
    text += StrCat("training ", EnumName(probed.precision), " ", probed.checkpoint_blocks, " ",
                   FitText(probed));
  }
  return text + CrcText(text);
}

Result<Calibration> DecodeProbeCache(std::string_view text, const ProbeKey& key) {
  const std::string_view first = text.substr(0, text.find('\n'));
  if (first != kMagic && first.starts_with(kFormat)) {
    return Error{Errc::kIncompatible,
                 StrCat("is of another version: '", OneLine(std::string(first.substr(0, 40))),
                        "', this is '", kMagic, "'")};
  }
  const auto crc_at = text.rfind("crc ");
  if (first != kMagic || crc_at == std::string_view::npos) {
    return Error{Errc::kCorrupt, StrCat("is damaged: it has no '", kMagic, "' or no end")};
  }
  std::string_view body = text.substr(0, crc_at);
  if (text.substr(crc_at) != CrcText(body)) {
    return Error{Errc::kCorrupt, "is damaged: its checksum does not match"};
  }
  body.remove_prefix(kMagic.size());
  const std::string want = StrCat("\n", KeyText(key));
  if (!body.starts_with(want)) {
    return Error{Errc::kIncompatible, FirstDifference(body, want)};
  }
  body.remove_prefix(want.size());
  Calibration calibration;
  while (!body.empty()) {
    const std::string_view line = body.substr(0, body.find('\n'));
    if (!ParseLine(line, calibration)) {
      return Error{Errc::kCorrupt, StrCat("line '", line, "' is not understood")};
    }
    body.remove_prefix(line.size() + 1);
  }
  return calibration;
}

std::filesystem::path ProbeCacheFile(const std::filesystem::path& folder, const ProbeKey& key) {
  std::uint64_t hash = 0;
  for (const char c : KeyText(key)) hash = HashCombine(hash, static_cast<unsigned char>(c));
  std::string name = "probe_";
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int digit = 0; digit < 16; ++digit) name += kDigits[(hash >> (4 * digit)) & 15u];
  return folder / (name + ".txt");
}

Result<Calibration> LoadProbeCache(const std::filesystem::path& folder, const ProbeKey& key) {
  const std::filesystem::path file = ProbeCacheFile(folder, key);
  AZ_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  Result<Calibration> calibration = DecodeProbeCache(text, key);
  if (calibration) return calibration;
  return WithContext(StrCat("probe cache ", file.string()), calibration.error());
}

Result<void> SaveProbeCache(const std::filesystem::path& folder, const ProbeKey& key,
                            const Calibration& calibration) {
  if (key.device.simulated) {
    return Error{Errc::kInvalid,
                 StrCat("the numbers of ", key.device.name, " are simulated and are not kept")};
  }
  AZ_RETURN_IF_ERROR(MakeDirectories(folder));
  return WriteFileAtomic(ProbeCacheFile(folder, key), EncodeProbeCache(key, calibration));
}

}  // namespace az
