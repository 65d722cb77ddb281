#include "scheduler/reasons.h"

#include <string_view>
#include <utility>

#include "base/strings.h"
#include "scheduler/ladder.h"

namespace az {
namespace {

// Confined to ReasonsFor.
class Reasons {
 public:
  // Adds no reason for a number that was given up: the step that took it has one.
  template <class T>
  void Number(std::string_view key, std::string_view name, int value, int chosen,
              const Auto<T>& wish, std::string_view reason) {
    if (chosen != value) return;
    Add(ReasonKind::kChosen, {std::string(key)},
        StrCat(name, " ", value, ": ", wish.has_value() ? "written in the config" : reason));
  }
  void Add(ReasonKind kind, std::vector<std::string> keys, std::string text) {
    reasons_.push_back({kind, std::move(keys), std::move(text)});
  }
  std::vector<Reason> Take() { return std::move(reasons_); }

 private:
  std::vector<Reason> reasons_;
};

void Choices(const PlanInput& input, const Plan& ideal, const Plan& chosen, Reasons& reasons) {
  const PlanWishes& wishes = input.wishes;
  const bool cpu = ideal.device == DeviceKind::kCpu;
  const int bucket = ideal.buckets.back();
  const bool trimmed = chosen.runners != ideal.runners || chosen.buckets.back() != bucket ||
                       chosen.num_workers != ideal.num_workers;
  reasons.Number("num_workers", "num_workers", ideal.num_workers, chosen.num_workers,
                 wishes.num_workers, cpu ? "one a core" : "the fewest that keep the server busy");
  reasons.Number(
      "arena.num_workers", "arena.num_workers", ideal.arena_workers, chosen.arena_workers,
      wishes.arena_workers,
      cpu ? "one a core" : "the fewest that keep the server busy with half the rows each");
  reasons.Number(
      "self_play.slots", "slots", ideal.slots, chosen.slots, wishes.slots,
      StrCat("rows for ", ideal.runners + 1, " batches of ", bucket, " over ", ideal.num_workers,
             " workers", trimmed ? ", before memory took its share" : "",
             ", in whole blocks, 64 to 256"));
  if (cpu) {
    reasons.Number("engine.runners", "runners", ideal.runners, chosen.runners, wishes.runners,
                   "the cores' share of the work that is the network's");
  }
  reasons.Number("engine.max_batch", "largest bucket", bucket, chosen.buckets.back(),
                 wishes.max_batch,
                 cpu ? "past it a core gains nothing" : "95 % of the best rows/s");
  reasons.Number("train.accumulate_grad_batches", "accumulate_grad_batches", ideal.accumulate,
                 chosen.accumulate, wishes.accumulate, "the batch fits in one go");
}

// "micro-batch 256 x 2: micro-batch 512 x 1 needs 1.31 GiB more device memory".
std::string Constraint(const LadderStep& step, const Plan& chosen) {
  const Bytes vram = step.needs.vram + chosen.vram_guard - chosen.vram_budget;
  const Bytes ram = step.needs.ram + chosen.ram_guard - chosen.ram_budget;
  const std::string start = StrCat(step.taken, ": ", step.before);
  if (step.failed) return StrCat(start, " ran out of memory before");
  if (!chosen.vram.empty() && vram > Bytes()) {
    return StrCat(start, " needs ", FormatBytes(vram), " more device memory");
  }
  if (ram > Bytes()) return StrCat(start, " needs ", FormatBytes(ram), " more host memory");
  return step.lowered ? StrCat(start, " fits, but memory ran out there")
                      : StrCat(start, " fits, but is no faster with the other numbers");
}

template <class T>
std::vector<std::string> Texts(const std::vector<T>& all) {
  std::vector<std::string> texts;
  for (const T& one : all) texts.push_back(one.text);
  return texts;
}

}  // namespace

std::vector<SizeChange> PlanDifferences(const Plan& now, const Plan& before) {
  std::vector<SizeChange> changes;
  const auto add = [&changes](std::string_view key, std::string_view name, const auto& is,
                              const auto& was) {
    if (is != was) {
      changes.push_back({std::string(key), StrCat(name, " ", is, " instead of ", was), is < was});
    }
  };
  const auto place = [&changes](std::string_view key, std::string_view name, bool is_on_cpu,
                                bool was_on_cpu) {
    if (is_on_cpu == was_on_cpu) return;
    changes.push_back({std::string(key),
                       StrCat(name, is_on_cpu ? " on the processor instead of the GPU"
                                              : " on the GPU instead of the processor"),
                       is_on_cpu});
  };
  place("", "training", now.on_cpu.train, before.on_cpu.train);
  place("arena.mode", "arena", now.on_cpu.arena, before.on_cpu.arena);
  if (now.cache != before.cache) {
    changes.push_back({"search.cache",
                       StrCat("evaluation cache ", FormatBytes(now.cache), " instead of ",
                              FormatBytes(before.cache)),
                       now.cache < before.cache});
  }
  add("self_play.slots", "slots", now.slots, before.slots);
  add("num_workers", "num_workers", now.num_workers, before.num_workers);
  add("arena.num_workers", "arena.num_workers", now.arena_workers, before.arena_workers);
  add("engine.runners", "runners", now.runners, before.runners);
  add("engine.max_batch", "largest bucket", now.buckets.back(), before.buckets.back());
  if (now.cuda_graphs != before.cuda_graphs) {
    changes.push_back({"engine.cuda_graphs", now.cuda_graphs ? "CUDA graphs" : "no CUDA graphs",
                       before.cuda_graphs});
  }
  const auto precision = [&changes](std::string_view key, std::string_view name, Precision is,
                                    Precision was) {
    if (is == was) return;
    changes.push_back({std::string(key),
                       StrCat(name, " ", EnumName(is), " instead of ", EnumName(was)),
                       is == Precision::kBf16});
  };
  precision("net.precision", "inference", now.inference_precision, before.inference_precision);
  precision("train.precision", "training", now.train_precision, before.train_precision);
  add("", "learner shards", now.learner_shards, before.learner_shards);
  add("train.accumulate_grad_batches", "micro-batch", now.micro_batch, before.micro_batch);
  if (now.checkpoint_blocks != before.checkpoint_blocks) {
    changes.push_back({"train.gradient_checkpointing",
                       now.checkpoint_blocks == 0 ? "no gradient checkpointing"
                                                  : StrCat("gradient checkpointing in segments of ",
                                                           now.checkpoint_blocks),
                       now.checkpoint_blocks > 0});
  }
  return changes;
}

std::vector<std::string> KeysOf(const std::vector<SizeChange>& changes) {
  std::vector<std::string> keys;
  for (const SizeChange& change : changes) {
    if (!change.key.empty()) keys.push_back(change.key);
  }
  return keys;
}
std::vector<std::string> TextsOf(const std::vector<SizeChange>& changes) { return Texts(changes); }
std::vector<std::string> TextsOf(const std::vector<Reason>& reasons) { return Texts(reasons); }

std::vector<Reason> ReasonsFor(const PlanInput& input, const Plan& ideal, const Plan& chosen,
                               const std::vector<LadderStep>& steps) {
  Reasons reasons;
  Choices(input, ideal, chosen, reasons);
  for (const SizeChange& change : PlanDifferences(chosen, ideal)) {
    reasons.Add(ReasonKind::kGivenUp, KeysOf({change}),
                StrCat(change.text, ": the budget is smaller"));
  }
  for (const LadderStep& step : steps) {
    reasons.Add(ReasonKind::kConstraint, step.keys, Constraint(step, chosen));
  }
  if (chosen.price.slowdown_permille >= 10) {
    reasons.Add(ReasonKind::kPrice, {},
                StrCat("all of this costs about ", chosen.price.slowdown_permille / 10,
                       " % of the time (", EnumName(chosen.rates), ")"));
  }
  if (chosen.price.written > 0) {
    reasons.Add(ReasonKind::kWarning, {"memory.on_overcommit"},
                "numbers written in the config were changed (memory.on_overcommit: degrade)");
  }
  if (input.device.kind == DeviceKind::kCpu && input.wishes.memory.vram_budget) {
    // A note: configs for any machine have one.
    reasons.Add(ReasonKind::kChosen, {"memory.vram_budget"},
                StrCat("memory.vram_budget, written in the config, has no effect: the run has no "
                       "GPU, it is on ",
                       input.device.name, " (memory.ram_budget is what bounds it)"));
  }
  if (chosen.micro_batch < kGoodMicroBatch && chosen.micro_batch < ideal.micro_batch) {
    reasons.Add(ReasonKind::kWarning, {"train.accumulate_grad_batches"},
                StrCat("warning: batch norm over ", chosen.micro_batch, " rows learns worse"));
  }
  return reasons.Take();
}

}  // namespace az
