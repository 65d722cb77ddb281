#pragma once
// What a line's "type" says, for each control message. Not used outside engine/process.

#include <string_view>

#include "engine/process/messages.h"

namespace az::message_fields {

// What a line's "type" says for message M.
template <class M>
inline constexpr std::string_view kTypeName = "";
template <>
inline constexpr std::string_view kTypeName<HelloMessage> = "hello";
template <>
inline constexpr std::string_view kTypeName<ReadyMessage> = "ready";
template <>
inline constexpr std::string_view kTypeName<WorkerPlanMessage> = "worker_plan";
template <>
inline constexpr std::string_view kTypeName<PhaseMessage> = "phase";
template <>
inline constexpr std::string_view kTypeName<GrantMessage> = "grant";
template <>
inline constexpr std::string_view kTypeName<DrainMessage> = "drain";
template <>
inline constexpr std::string_view kTypeName<DrainedMessage> = "drained";
template <>
inline constexpr std::string_view kTypeName<WorkerStatsMessage> = "worker_stats";
template <>
inline constexpr std::string_view kTypeName<DevicePlanMessage> = "device_plan";
template <>
inline constexpr std::string_view kTypeName<LoadMessage> = "load";
template <>
inline constexpr std::string_view kTypeName<UnloadMessage> = "unload";
template <>
inline constexpr std::string_view kTypeName<TrainMessage> = "train";
template <>
inline constexpr std::string_view kTypeName<ReleaseMessage> = "release";
template <>
inline constexpr std::string_view kTypeName<PublishedMessage> = "published";
template <>
inline constexpr std::string_view kTypeName<TrainProgressMessage> = "train_progress";
template <>
inline constexpr std::string_view kTypeName<TrainedMessage> = "trained";
template <>
inline constexpr std::string_view kTypeName<ReleasedMessage> = "released";
template <>
inline constexpr std::string_view kTypeName<DeviceStatsMessage> = "device_stats";
template <>
inline constexpr std::string_view kTypeName<OomMessage> = "oom";
template <>
inline constexpr std::string_view kTypeName<StopMessage> = "stop";
template <>
inline constexpr std::string_view kTypeName<ErrorMessage> = "error";
template <>
inline constexpr std::string_view kTypeName<ProbeMessage> = "probe";
template <>
inline constexpr std::string_view kTypeName<ProbedMessage> = "probed";

}  // namespace az::message_fields
