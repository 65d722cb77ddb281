#pragma once
// The fields of the messages about memory and probes. Part of message_fields.h, which includes it.

#include "engine/process/memory_messages.h"
#include "engine/process/probe_messages.h"

namespace az::message_fields {

template <class V>
void Fields(V& visit, MemoryLayersMessage& m) {
  visit("requested_bytes", m.requested_bytes);
  visit("allocated_bytes", m.allocated_bytes);
  visit("active_bytes", m.active_bytes);
  visit("reserved_bytes", m.reserved_bytes);
  visit("inactive_split_bytes", m.inactive_split_bytes);
  visit("largest_hole_bytes", m.largest_hole_bytes);
  visit("peak_allocated_bytes", m.peak_allocated_bytes);
  visit("peak_reserved_bytes", m.peak_reserved_bytes);
  visit("alloc_retries", m.alloc_retries);
}
template <class V>
void Fields(V& visit, ReleaseMessage& m) {
  visit("phase", m.phase);
  visit("level", m.level);
}
template <class V>
void Fields(V& visit, ReleasedMessage& m) {
  visit("phase", m.phase);
  visit("freed_bytes", m.freed_bytes);
  visit("freed_device_bytes", m.freed_device_bytes);
  visit("before", m.before);
  visit("after", m.after);
}
template <class V>
void Fields(V& visit, OomMessage& m) {
  visit("where", m.where);
  visit("text", m.text);
  visit("rung", m.rung);
  visit("requested_bytes", m.requested_bytes);
  visit("free_bytes", m.free_bytes);
  visit("below_cap_bytes", m.below_cap_bytes);
  visit("rounding_bytes", m.rounding_bytes);
  visit("micro_batch", m.micro_batch);
  visit("checkpoint_blocks", m.checkpoint_blocks);
  visit("largest_bucket", m.largest_bucket);
  visit("memory", m.memory);
}
template <class V>
void Fields(V& visit, ProbeMessage& m) {
  visit("phase", m.phase);
  visit("rows", m.rows);
  visit("steps", m.steps);
  visit("micro_batches", m.micro_batches);
  visit("checkpoint_blocks", m.checkpoint_blocks);
}
template <class V>
void Fields(V& visit, ProbedMessage& m) {
  visit("phase", m.phase);
  visit("rows", m.rows);
  visit("out_of_memory", m.out_of_memory);
  visit("state_bytes", m.state_bytes);
  visit("first_peak_bytes", m.first_peak_bytes);
  visit("peak_bytes", m.peak_bytes);
  visit("reserved_peak_bytes", m.reserved_peak_bytes);
  visit("process_bytes", m.process_bytes);
  visit("context_bytes", m.context_bytes);
  visit("step_us", m.step_us);
  visit("identity_json", m.identity_json);
}

}  // namespace az::message_fields
