#include "engine/apps/oom_reports.h"

#include "base/strings.h"
#include "engine/apps/memory_layers.h"
#include "engine/process/oom_message.h"

namespace az {
namespace {

OomMessage Report(const char* where, const Error& error, const std::optional<MemoryRefusal>& last) {
  OomMessage message = OomMessageOf(where, error.message, FiguresOf(error.message, last));
  if (last && IsOf(error.message, *last)) message.memory = LayersOf(last->layers);
  return message;
}

}  // namespace

OomMessage ReportOf(const LearnerOom& oom) {
  OomMessage message = Report("train", oom.error, oom.refusal);
  if (oom.rung == StepRung::kCleanUp) return message;
  message.rung = DescribeRung(oom.rung, oom.sizes);
  message.micro_batch = oom.sizes.micro_batch;
  message.checkpoint_blocks = oom.sizes.checkpoint_stages;
  return message;
}

OomMessage ReportOf(const ServerOom& oom, const std::optional<MemoryRefusal>& last) {
  OomMessage message = Report("inference", oom.error, last);
  if (oom.step == MemoryStep::kCleanUp) return message;
  message.rung = StrCat("batches of at most ", oom.largest_rows, " rows");
  message.largest_bucket = oom.largest_rows;
  return message;
}

OomMessage ReportOfPhase(const char* where, const Error& error,
                         const std::optional<MemoryRefusal>& last) {
  return Report(where, error, last);
}

}  // namespace az
