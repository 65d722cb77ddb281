#pragma once
// Why an allocation was refused, from the figures of that moment. Afterwards they are others: what
// failed has given its memory back, and a request that was too large looks as if it had fit. They
// come from the refusal's text, or from what the allocator kept of it (MemoryRefusal). Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "scheduler/device_memory.h"

namespace az {

// At a refusal; nullopt: unknown.
struct OomFigures {
  std::optional<Bytes> requested;
  std::optional<Bytes> allocated;
  std::optional<Bytes> cached;     // reserved, not allocated
  std::optional<Bytes> free;       // of the device, for anybody
  std::optional<Bytes> below_cap;  // what the allocator's cap left; also nullopt without a cap
  Bytes rounding;  // how far requested, cached and room may together be from what they were

  friend bool operator==(const OomFigures&, const OomFigures&) = default;
};

// What the text of the capped heap or of LibTorch's GPU allocator says: "Tried to allocate 118.00
// MiB. GPU 0 has a total capacity of 39.50 GiB of which 35.00 MiB is free. ...", in the words of
// LibTorch 2.0 to 2.11. Texts of other libraries name the request at most.
OomFigures FiguresOf(std::string_view text);

// Exact where `last` is the refusal that the text is of, as its request tells; it may be another
// thread's. Else the text's.
OomFigures FiguresOf(std::string_view text, const std::optional<MemoryRefusal>& last);
bool IsOf(std::string_view text, const MemoryRefusal& refusal);

enum class OomCause : std::uint8_t {
  kTooLarge,       // more than cached memory and what the cap, or the device, had left
  kCoTenants,      // the cap allowed it, but others had the device's memory
  kFragmentation,  // cached and free memory would do, in one piece
  kUnknown,        // too few figures, or too close to call
};
OomCause CauseOfOom(const OomFigures& figures);
std::string_view OomCauseName(OomCause cause);

}  // namespace az
