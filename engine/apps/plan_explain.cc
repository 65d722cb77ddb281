#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/apps/plan_sections.h"
#include "engine/apps/plan_values.h"
#include "engine/config/option_table.h"
#include "scheduler/planner.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

// A change of the input, and its effect on the plan.
struct Change {
  std::string what;    // "with 16 cores"
  std::string effect;  // "num_workers 16; host memory 1.2 GiB", "nothing changes", or an error
};

// Plans with `input` instead of `now`, from which `plan` was made.
Change Try(std::string what, const PlanInput& now, const Plan& plan, const PlanInput& input) {
  const Result<Plan> other = MakePlan(input);
  if (!other) return {std::move(what), StrCat("no plan: ", other.error().message)};
  std::string effect = PlanDifference(plan, *other);
  if (effect != kSamePlan) return {std::move(what), std::move(effect)};
  // The same sizes may have another layout in the device's memory.
  const std::string layout = LayoutDifference(now, plan, input, *other);
  return {std::move(what), layout.empty() ? std::move(effect) : StrCat("the same plan; ", layout)};
}

// Values to try: half and twice the present one, or each of the other choices.
std::vector<std::string> OtherValues(const OptionEntry& option, std::string_view now) {
  std::vector<std::string> values;
  std::int64_t number = 0;
  if (option.may_be_auto && option.get() != "auto") values.emplace_back("auto");
  if (option.type == "integer" && ParseInt(now, number)) {
    if (number / 2 != number) values.push_back(StrCat(number / 2));
    values.push_back(StrCat(number == 0 ? 1 : number * 2));
  } else if (option.type == "size") {
    if (const Result<Bytes> size = ParseBytes(now)) {
      values.push_back(StrCat(size->count() / 2, "B"));
      values.push_back(StrCat(size->count() * 2, "B"));
    }
  } else if (option.type.find(" or ") != std::string::npos) {
    const auto last = option.type.find(" or ");  // "a, b or c"
    const std::string list = StrCat(option.type.substr(0, last), ",", option.type.substr(last + 4));
    for (const std::string_view choice : Split(list, ',')) {
      if (Trim(choice) != now) values.emplace_back(Trim(choice));
    }
  }
  return values;
}

std::vector<Change> WhatItChanges(const PlanArguments& arguments, const PlanInput& input,
                                  const Plan& plan, const OptionEntry& option,
                                  std::string_view now) {
  std::vector<Change> changes;
  for (const std::string& value : OtherValues(option, now)) {
    Result<PlanSetup> setup = SetUpPlan(arguments, {StrCat(option.key, "=", value)});
    if (!setup) continue;  // the value is out of range
    setup->input.calibration = input.calibration;
    changes.push_back(Try(StrCat(option.key, " = ", value), input, plan, setup->input));
  }
  return changes;
}

// Tries other machines for a key that the plan fills, and returns those on which its value changes.
std::vector<Change> WhatChangesIt(const PlanInput& input, const Plan& plan, std::string_view key) {
  std::vector<Change> changes;
  const auto with = [&](std::string what, const auto& alter) {
    PlanInput other = input;
    alter(other);
    const Result<Plan> made = MakePlan(other);
    const std::optional<std::string> value = made ? PlanValue(*made, key) : std::nullopt;
    changes.push_back({std::move(what), made ? value.value_or("not needed")
                                             : StrCat("no plan: ", made.error().message)});
  };
  const int cores = input.device.cores;
  if (cores > 1) {
    with(StrCat(cores / 2, " cores"), [&](PlanInput& i) { i.device.cores = cores / 2; });
  }
  with(StrCat(cores * 2, " cores"), [&](PlanInput& i) { i.device.cores = cores * 2; });
  const auto budgets = [&](std::string_view name, Bytes budget, Bytes DeviceFacts::*has,
                           Auto<MemorySize> MemoryOptions::*wish) {
    for (const Bytes other : {budget / 2, budget * 2}) {
      with(StrCat(name, " ", FormatBytes(other)), [&](PlanInput& i) {
        i.device.*has = std::max(i.device.*has, other);
        i.wishes.memory.*wish = MemorySize{other, 0};
      });
    }
  };
  if (!plan.vram.empty()) {
    budgets("a device budget of", plan.vram_budget, &DeviceFacts::vram,
            &MemoryOptions::vram_budget);
  }
  budgets("a host budget of", plan.ram_budget, &DeviceFacts::ram, &MemoryOptions::ram_budget);
  return changes;
}

std::string Lines(const std::vector<Change>& changes) {
  std::string out;
  for (const Change& change : changes) out += StrCat("  ", change.what, ": ", change.effect, "\n");
  return out;
}

Json ToJson(const std::vector<Change>& changes) {
  Json json = Json::array();
  for (const Change& change : changes) {
    json.push_back({{"with", change.what}, {"effect", change.effect}});
  }
  return json;
}

// The reasons that mention the key.
std::vector<std::string> ReasonsOf(const Plan& plan, const std::string& key) {
  std::vector<std::string> reasons;
  for (const Reason& reason : plan.reasons) {
    if (std::ranges::find(reason.keys, key) != reason.keys.end()) reasons.push_back(reason.text);
  }
  return reasons;
}

// The plan's choice for an auto key that is no single value in the plan.
std::optional<std::string> MadeOf(const Plan& plan, std::string_view key) {
  const bool gpu = !plan.vram.empty();
  const auto both = [gpu](Bytes ram, Bytes vram) {
    return gpu ? StrCat(FormatBytes(vram), " of device memory, ", FormatBytes(ram),
                        " of host memory")
               : FormatBytes(ram);
  };
  if (key == "arena.mode") {
    return std::string(!gpu ? "cpu: this run has no GPU" : plan.on_cpu.arena ? "cpu" : "gpu");
  }
  if (key == "memory.guard") return both(plan.ram_guard, plan.vram_guard);
  if (key == "memory.ram_budget") return FormatBytes(plan.ram_budget);
  if (key == "memory.vram_budget" && gpu) return FormatBytes(plan.vram_budget);
  return std::nullopt;
}

}  // namespace

Result<PlanSection> Explain(const PlanArguments& arguments, const PlanSetup& setup,
                            const Plan& plan, std::string_view key) {
  RunConfig config = setup.loaded.config;
  const std::vector<OptionEntry> options = OptionsOf(config);
  const OptionEntry* option = FindOption(options, key);
  if (option == nullptr) {
    std::vector<std::string> keys;
    for (const OptionEntry& entry : options) keys.push_back(entry.key);
    const std::string nearest = Nearest(key, keys);
    return Error{Errc::kInvalid,
                 StrCat("explain ", key, ": no such config key",
                        nearest.empty() ? " (docs/config.md lists them)"
                                        : StrCat(" (did you mean ", nearest, "?)"))};
  }
  const std::optional<std::string> planned = PlanValue(plan, key);
  const std::string written = option->get();
  const std::string now = planned.value_or(written);
  const std::string shown = written == "auto" ? MadeOf(plan, key).value_or(now) : now;
  const auto origin = setup.loaded.origins.find(option->key);
  const std::string from = written == "auto"                      ? "planned"
                           : origin == setup.loaded.origins.end() ? "default"
                                                                  : origin->second;
  const std::vector<std::string> reasons = ReasonsOf(plan, option->key);
  const std::vector<Change> changes = WhatItChanges(arguments, setup.input, plan, *option, now);

  std::string text = StrCat(
      key, " = ", shown, " (", from, setup.input.device.simulated ? ", SIMULATED" : "", ")",
      planned && written != "auto" && *planned != written ? StrCat("; the config says ", written)
                                                          : "",
      "\n  ", option->help, option->range.empty() ? "" : ", in ", option->range, "\n");
  for (const std::string& reason : reasons) text += StrCat("  why: ", reason, "\n");
  if (!changes.empty()) text += StrCat("what it changes (bytes predicted)\n", Lines(changes));
  Json json = {{"key", option->key},   {"value", shown},     {"from", from},
               {"help", option->help}, {"reasons", reasons}, {"what_it_changes", ToJson(changes)}};
  if (planned) {
    const std::vector<Change> causes = WhatChangesIt(setup.input, plan, key);
    text += StrCat("what changes it (", now, " here; planned again)\n", Lines(causes));
    json["what_changes_it"] = ToJson(causes);
  }
  return PlanSection{.name = "explanation", .text = std::move(text), .json = json.dump()};
}

}  // namespace az
