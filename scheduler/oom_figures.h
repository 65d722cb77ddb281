#pragma once
// Tells why an allocation was refused, from the figures at that moment. Later figures differ: the
// failed work has given its memory back, and a request that was too large looks as if it had fit.
// The figures come from the refusal's text, or from the allocator's note of it (MemoryRefusal).
// Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "scheduler/device_memory.h"

namespace az {

// The figures at a refusal; nullopt: unknown.
struct OomFigures {
  std::optional<Bytes> requested;
  std::optional<Bytes> allocated;
  std::optional<Bytes> cached;     // reserved but not allocated
  std::optional<Bytes> free;       // free on the device, for any process
  std::optional<Bytes> below_cap;  // left below the allocator's cap; nullopt also without a cap
  Bytes rounding;  // the most that requested, cached and room may together be off by

  friend bool operator==(const OomFigures&, const OomFigures&) = default;
};

// Reads the figures from the text of the capped heap or of LibTorch's GPU allocator: "Tried to
// allocate 118.00 MiB. GPU 0 has a total capacity of 39.50 GiB of which 35.00 MiB is free. ...", in
// the words of LibTorch 2.0 to 2.11. Texts of other libraries name at most the request.
OomFigures FiguresOf(std::string_view text);

// Takes the exact figures of `last` if its request shows that it is the refusal of the text (it may
// be another thread's); otherwise reads the text.
OomFigures FiguresOf(std::string_view text, const std::optional<MemoryRefusal>& last);
bool IsOf(std::string_view text, const MemoryRefusal& refusal);

enum class OomCause : std::uint8_t {
  kTooLarge,       // more than the cache and the rest of the cap, or of the device, together
  kCoTenants,      // the cap allowed it, but other processes had the device's memory
  kFragmentation,  // cached and free memory would have been enough in one piece
  kUnknown,        // too few figures, or too close to call
};
OomCause CauseOfOom(const OomFigures& figures);
std::string_view OomCauseName(OomCause cause);

}  // namespace az
