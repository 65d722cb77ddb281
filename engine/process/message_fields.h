#pragma once
// The fields of every control message, named once, for the writer and the reader of messages.cc. A
// visitor is called as visit("name", member) for each. Not used outside engine/process.

#include "engine/process/memory_fields.h"
#include "engine/process/message_names.h"
#include "engine/process/messages.h"

namespace az::message_fields {

template <class V>
void Fields(V& visit, HelloMessage& m) {
  visit("role", m.role);
  visit("lane", m.lane);
  visit("pid", m.pid);
}
template <class V>
void Fields(V& visit, ReadyMessage& m) {
  visit("device", m.device);
}
template <class V>
void Fields(V& visit, WorkerPlanMessage& m) {
  visit("slots", m.slots);
  visit("cache_bytes", m.cache_bytes);
  visit("journal_path", m.journal_path);
  visit("journal_valid_bytes", m.journal_valid_bytes);
}
template <class V>
void Fields(V& visit, PlayerMessage& m) {
  visit("type", m.type);
  visit("model", m.model);
  visit("visits", m.visits);
  visit("settings", m.settings);
  visit("command", m.command);
}
template <class V>
void Fields(V& visit, PhaseMessage& m) {
  visit("phase", m.phase);
  visit("kind", m.kind);
  visit("iteration", m.iteration);
  visit("players", m.players);
  visit("resign_threshold", m.resign_threshold);
  visit("may_resign", m.may_resign);
  visit("moves", m.moves);
}
template <class V>
void Fields(V& visit, GrantedGame& m) {
  visit("id", m.id);
  visit("prefix", m.prefix);
  visit("opening", m.opening);
  visit("noted_ply", m.noted_ply);
}
template <class V>
void Fields(V& visit, GrantMessage& m) {
  visit("phase", m.phase);
  visit("games", m.games);
}
template <class V>
void Fields(V& visit, DrainMessage& m) {
  visit("phase", m.phase);
}
template <class V>
void Fields(V& visit, DrainedMessage& m) {
  visit("phase", m.phase);
}
template <class V>
void Fields(V& visit, WorkerStatsMessage& m) {
  WorkerCounts::VisitSums([&](const char* name, auto count) { visit(name, m.*count); });
}
template <class V>
void Fields(V& visit, DevicePlanMessage& m) {
  visit("runners", m.runners);
  visit("buckets", m.buckets);
  visit("learner_shards", m.learner_shards);
  visit("micro_batch", m.micro_batch);
  visit("inference_precision", m.inference_precision);
  visit("train_precision", m.train_precision);
  visit("cuda_graphs", m.cuda_graphs);
  visit("checkpoint_blocks", m.checkpoint_blocks);
  visit("memory_cap_bytes", m.memory_cap_bytes);
  visit("other_networks", m.other_networks);
  visit("device", m.device);
  visit("stats_interval_ms", m.stats_interval_ms);
}
template <class V>
void Fields(V& visit, LoadMessage& m) {
  visit("slot", m.slot);
  visit("path", m.path);
  visit("version", m.version);
}
template <class V>
void Fields(V& visit, UnloadMessage& m) {
  visit("slot", m.slot);
}
template <class V>
void Fields(V& visit, LaneLimit& m) {
  visit("path", m.path);
  visit("bytes", m.bytes);
}
template <class V>
void Fields(V& visit, TrainMessage& m) {
  visit("iteration", m.iteration);
  visit("from", m.from);
  visit("to", m.to);
  visit("journals", m.journals);
  visit("games_before_iteration", m.games_before_iteration);
  visit("micro_batch", m.micro_batch);
  visit("checkpoint_blocks", m.checkpoint_blocks);
  visit("attempt", m.attempt);
}
template <class V>
void Fields(V& visit, PublishedMessage& m) {
  visit("slot", m.slot);
  visit("version", m.version);
}
template <class V>
void Fields(V& visit, TrainProgressMessage& m) {
  visit("iteration", m.iteration);
  visit("step", m.step);
  visit("steps", m.steps);
  visit("loss", m.loss);
  visit("attempt", m.attempt);
}
template <class V>
void Fields(V& visit, TrainedMessage& m) {
  visit("iteration", m.iteration);
  visit("path", m.path);
  visit("metrics_json", m.metrics_json);
  visit("attempt", m.attempt);
}
template <class V>
void Fields(V& visit, DeviceStatsMessage& m) {
  visit("memory", m.memory);
}
template <class V>
void Fields(V&, StopMessage&) {}
template <class V>
void Fields(V& visit, ErrorMessage& m) {
  visit("code", m.code);
  visit("message", m.message);
  visit("fatal", m.fatal);
  visit("attempt", m.attempt);
}

}  // namespace az::message_fields
