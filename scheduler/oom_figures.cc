#include "scheduler/oom_figures.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/strings.h"

namespace az {
namespace {

// A size as printed, and the most that printing may have changed it.
struct Size {
  Bytes bytes;
  Bytes rounding;
};

// Reads "118.00" and "MiB", or "4096" and "bytes". LibTorch prints two digits after the point,
// FormatBytes fewer: no digits mean an exact number up to 100, and a rounded one above.
std::optional<Size> ReadSize(std::string_view number, std::string_view unit) {
  if (unit == "bytes") unit = "B";
  const Result<Bytes> bytes = ParseBytes(StrCat(number, unit));
  const Result<Bytes> one = ParseBytes(StrCat(1, unit));
  if (!bytes || !one) return std::nullopt;
  const std::size_t point = number.find('.');
  if (point == std::string_view::npos) {
    return Size{*bytes, number.size() > 2 ? *one / 2 : Bytes()};
  }
  std::int64_t parts = 2;
  for (std::size_t digit = point + 1; digit < number.size(); ++digit) parts *= 10;
  return Size{*bytes, *one / parts};
}

// The size that follows the first `sign`.
std::optional<Size> SizeAfter(std::string_view text, std::string_view sign) {
  const std::size_t at = text.find(sign);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + sign.size());
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view unit = text.substr(space + 1);
  return ReadSize(text.substr(0, space), unit.substr(0, unit.find_first_of(" .,;)\n")));
}

// The size that stands before the first of the `signs` that the text contains.
std::optional<Size> SizeBefore(std::string_view text,
                               std::initializer_list<std::string_view> signs) {
  for (const std::string_view sign : signs) {
    const std::size_t at = text.find(sign);
    if (at == std::string_view::npos) continue;
    const std::string_view before = text.substr(0, at);
    const std::size_t unit = before.rfind(' ');
    if (unit == std::string_view::npos || unit == 0) return std::nullopt;
    const std::size_t number = before.find_last_of(" (", unit - 1);
    const std::size_t first = number == std::string_view::npos ? 0 : number + 1;
    return ReadSize(before.substr(first, unit - first), before.substr(unit + 1));
  }
  return std::nullopt;
}

std::optional<Size> Requested(std::string_view text) {
  return SizeAfter(text, "ried to allocate ");  // "Tried", "tried"
}

std::optional<Bytes> BytesOf(const std::optional<Size>& size) {
  return size ? std::optional(size->bytes) : std::nullopt;
}
Bytes RoundingOf(const std::optional<Size>& size) { return size ? size->rounding : Bytes(); }

std::optional<Bytes> Left(std::optional<Bytes> whole, std::optional<Bytes> taken) {
  if (!whole || !taken) return std::nullopt;
  return std::max(Bytes(), *whole - *taken);
}

}  // namespace

OomFigures FiguresOf(std::string_view text) {
  const auto requested = Requested(text);
  const auto allocated =
      SizeBefore(text, {" is allocated by PyTorch", " already allocated", " is allocated"});
  const auto free = SizeBefore(text, {" is free.", " free;"});
  const auto cap = SizeBefore(text, {" allowed; "});
  auto below_cap = SizeBefore(text, {" is left below the cap"});
  auto cached = SizeBefore(text, {" is reserved by PyTorch but unallocated", " is cached"});
  // Up to LibTorch 2.0 the sum includes the cache.
  if (const auto reserved = SizeBefore(text, {" reserved in total by PyTorch"});
      reserved && allocated) {
    cached = Size{std::max(Bytes(), reserved->bytes - allocated->bytes),
                  reserved->rounding + allocated->rounding};
  }
  if (cap && allocated && cached) {
    below_cap = Size{std::max(Bytes(), cap->bytes - allocated->bytes - cached->bytes),
                     cap->rounding + allocated->rounding + cached->rounding};
  }
  return {.requested = BytesOf(requested),
          .allocated = BytesOf(allocated),
          .cached = BytesOf(cached),
          .free = BytesOf(free),
          .below_cap = BytesOf(below_cap),
          .rounding = RoundingOf(requested) + RoundingOf(cached) +
                      std::max(RoundingOf(free), RoundingOf(below_cap))};
}

bool IsOf(std::string_view text, const MemoryRefusal& refusal) {
  const auto requested = Requested(text);
  if (!requested) return false;
  const Bytes apart =
      std::max(requested->bytes, refusal.requested) - std::min(requested->bytes, refusal.requested);
  return apart <= requested->rounding + Bytes(1);  // the printed one is cut to whole bytes
}

OomFigures FiguresOf(std::string_view text, const std::optional<MemoryRefusal>& last) {
  if (!last || !IsOf(text, *last)) return FiguresOf(text);
  const MemorySnapshot& at = last->layers;
  return {.requested = last->requested,
          .allocated = at.allocated,
          .cached = at.cached(),
          .free = Left(at.total, at.used),
          .below_cap = Left(at.cap, at.reserved),
          .rounding = {}};
}

OomCause CauseOfOom(const OomFigures& figures) {
  if (!figures.requested || !figures.cached) return OomCause::kUnknown;
  // Whether this room and the cache, joined, would be enough. nullopt: unknown, or too close to
  // call.
  const auto does = [&](const std::optional<Bytes>& room) -> std::optional<bool> {
    if (!room) return std::nullopt;
    const Bytes spare = *figures.cached + *room - *figures.requested;
    if (spare >= figures.rounding) return true;
    if (spare + figures.rounding < Bytes()) return false;
    return std::nullopt;
  };
  const std::optional<bool> cap_does = does(figures.below_cap);
  const std::optional<bool> device_does = does(figures.free);
  if (cap_does == false) return OomCause::kTooLarge;
  if (device_does == false) {
    if (cap_does == true) return OomCause::kCoTenants;
    return figures.below_cap ? OomCause::kUnknown : OomCause::kTooLarge;
  }
  const bool cap_is_no_matter = !figures.below_cap || cap_does == true;
  if (device_does == true && cap_is_no_matter) return OomCause::kFragmentation;
  return OomCause::kUnknown;
}

std::string_view OomCauseName(OomCause cause) {
  constexpr std::array<std::string_view, 4> kNames = {"too_large", "co_tenants", "fragmentation",
                                                      "unknown"};
  return kNames[static_cast<std::size_t>(cause)];
}

}  // namespace az
