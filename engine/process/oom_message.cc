#include "engine/process/oom_message.h"

#include <utility>

namespace az {
namespace {

std::int64_t Count(std::optional<Bytes> bytes) { return bytes ? bytes->count() : -1; }

std::optional<Bytes> Known(std::int64_t bytes) {
  if (bytes < 0) return {};
  return Bytes(bytes);
}

}  // namespace

OomMessage OomMessageOf(std::string where, std::string text, const OomFigures& figures) {
  OomMessage message{.where = std::move(where),
                     .text = std::move(text),
                     .rung = {},
                     .requested_bytes = Count(figures.requested),
                     .free_bytes = Count(figures.free),
                     .below_cap_bytes = Count(figures.below_cap),
                     .rounding_bytes = figures.rounding.count()};
  if (figures.allocated && figures.cached) {
    message.memory.allocated_bytes = figures.allocated->count();
    message.memory.reserved_bytes = (*figures.allocated + *figures.cached).count();
  }
  return message;
}

OomFigures FiguresOf(const OomMessage& message) {
  OomFigures figures{.requested = Known(message.requested_bytes),
                     .allocated = Known(message.memory.allocated_bytes),
                     .cached = std::nullopt,
                     .free = Known(message.free_bytes),
                     .below_cap = Known(message.below_cap_bytes),
                     .rounding = Bytes(message.rounding_bytes)};
  const std::optional<Bytes> reserved = Known(message.memory.reserved_bytes);
  if (reserved && figures.allocated) figures.cached = *reserved - *figures.allocated;
  return figures;
}

}  // namespace az
