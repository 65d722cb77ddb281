#pragma once
// The choices of the tree search, with their names in a config; what each does: docs/search.md.

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/describe.h"

namespace az {

enum class SearchMode : std::uint8_t {
  kSelfPlay,  // full searches explore at the root: temperature, noise, forced visits
  kPlay,      // none does
};

// Searches in which the visits of a kept subtree count as simulations.
enum class KeptVisits : std::uint8_t { kAlways, kSelfPlay, kNever };
template <>
struct EnumNames<KeptVisits> {
  static constexpr std::array<std::pair<KeptVisits, std::string_view>, 3> value = {
      {{KeptVisits::kAlways, "always"},
       {KeptVisits::kSelfPlay, "self_play"},
       {KeptVisits::kNever, "never"}}};
};

enum class RootRule : std::uint8_t { kPuct, kGumbel, kAuto };
template <>
struct EnumNames<RootRule> {
  static constexpr std::array<std::pair<RootRule, std::string_view>, 3> value = {
      {{RootRule::kPuct, "puct"}, {RootRule::kGumbel, "gumbel"}, {RootRule::kAuto, "auto"}}};
};

enum class ValueScale : std::uint8_t { kVisits, kMinmax };
template <>
struct EnumNames<ValueScale> {
  static constexpr std::array<std::pair<ValueScale, std::string_view>, 2> value = {
      {{ValueScale::kVisits, "visits"}, {ValueScale::kMinmax, "minmax"}}};
};

enum class PruneLimit : std::uint8_t { kForced, kNone };
template <>
struct EnumNames<PruneLimit> {
  static constexpr std::array<std::pair<PruneLimit, std::string_view>, 2> value = {
      {{PruneLimit::kForced, "forced"}, {PruneLimit::kNone, "none"}}};
};

enum class SymmetryMode : std::uint8_t { kNone, kHashed, kCanonical };
template <>
struct EnumNames<SymmetryMode> {
  static constexpr std::array<std::pair<SymmetryMode, std::string_view>, 3> value = {
      {{SymmetryMode::kNone, "none"},
       {SymmetryMode::kHashed, "hashed"},
       {SymmetryMode::kCanonical, "canonical"}}};
};

enum class InFlightRule : std::uint8_t { kUnobserved, kVirtualLoss };
template <>
struct EnumNames<InFlightRule> {
  static constexpr std::array<std::pair<InFlightRule, std::string_view>, 2> value = {
      {{InFlightRule::kUnobserved, "unobserved"}, {InFlightRule::kVirtualLoss, "virtual_loss"}}};
};

}  // namespace az
