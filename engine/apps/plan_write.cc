#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/files.h"
#include "base/strings.h"
#include "engine/apps/plan_sections.h"
#include "engine/apps/plan_values.h"
#include "engine/config/config_printer.h"
#include "engine/config/option_table.h"

namespace az {
namespace {

constexpr std::string_view kFirstWords = "# Written by az_plan";

std::string Heading(const PlanSetup& setup, const Plan& plan) {
  const DeviceFacts& device = setup.input.device;
  std::string text =
      StrCat(kFirstWords, " from ", setup.loaded.path.filename().string(), ", for ", device.name,
             device.simulated ? " (SIMULATED)" : "", ", ", device.cores, " core(s),\n# budgets: ");
  if (!plan.vram.empty()) text += StrCat(FormatBytes(plan.vram_budget), " device memory, ");
  text += StrCat(FormatBytes(plan.ram_budget), " host memory. Numbers that were auto are the ",
                 "plan's;\n# with memory.on_overcommit: degrade a smaller machine may still lower ",
                 "them.\n");
  if (plan.on_cpu.train) {
    text +=
        "# training is on the processor: its sizes are left as they were, each start plans them\n";
  }
  return text + "\n";
}

}  // namespace

Result<std::string> TunedConfig(const PlanSetup& setup, const Plan& plan) {
  RunConfig config = setup.loaded.config;
  const std::vector<OptionEntry> options = OptionsOf(config);
  for (const std::string_view key : PlannedKeys()) {
    // No key can move training to the processor, so its sizes would be read as the GPU's.
    if (plan.on_cpu.train && key.starts_with("train.")) continue;
    const std::optional<std::string> value = PlanValue(plan, key);
    if (!value) continue;
    const OptionEntry* option = FindOption(options, key);
    AZ_CHECK(option != nullptr) << key;
    if (Result<void> set = option->set(*value); !set) {
      return Error{set.error().code,
                   StrCat("write config: ", key, " = ", *value, " ", set.error().message)};
    }
  }
  return Heading(setup, plan) + ToYaml(config);
}

Result<void> WriteTunedConfig(const PlanSetup& setup, const Plan& plan,
                              const std::filesystem::path& file) {
  AZ_ASSIGN_OR_RETURN(const std::string text, TunedConfig(setup, plan));
  std::error_code code;
  if (std::filesystem::exists(file, code)) {
    AZ_ASSIGN_OR_RETURN(const std::string old, ReadFile(file));
    if (!old.starts_with(kFirstWords)) {
      return Error{Errc::kInvalid, StrCat("write ", file.string(), ": it exists and az_plan did ",
                                          "not write it (name another file, or remove it)")};
    }
  }
  return WriteFileAtomic(file, text);
}

}  // namespace az
