#include "scheduler/reasons.h"

#include "base/strings.h"
#include "scheduler/ladder.h"

namespace az {
namespace {

// Confined to ReasonsFor.
class Lines {
 public:
  // A number that was given up has its reason in what took it: no line here.
  template <class T>
  void Number(std::string_view name, int value, int chosen, const Auto<T>& wish,
              std::string_view reason) {
    if (chosen != value) return;
    lines_.push_back(
        StrCat(name, " ", value, ": ", wish.has_value() ? "written in the config" : reason));
  }
  void Add(std::string line) { lines_.push_back(std::move(line)); }
  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

void Choices(const PlanInput& input, const Plan& ideal, const Plan& chosen, Lines& lines) {
  const PlanWishes& wishes = input.wishes;
  const bool cpu = ideal.device == DeviceKind::kCpu;
  const int bucket = ideal.buckets.back();
  const bool trimmed = chosen.runners != ideal.runners || chosen.buckets.back() != bucket ||
                       chosen.num_workers != ideal.num_workers;
  lines.Number("num_workers", ideal.num_workers, chosen.num_workers, wishes.num_workers,
               cpu ? "one a core" : "the fewest that keep the server busy");
  lines.Number("arena.num_workers", ideal.arena_workers, chosen.arena_workers, wishes.arena_workers,
               cpu ? "one a core" : "the fewest that keep the server busy with half the rows each");
  lines.Number(
      "slots", ideal.slots, chosen.slots, wishes.slots,
      StrCat("rows for ", ideal.runners + 1, " batches of ", bucket, " over ", ideal.num_workers,
             " workers", trimmed ? ", before memory took its share" : "",
             ", in whole blocks, 64 to 256"));
  if (cpu) {
    lines.Number("runners", ideal.runners, chosen.runners, wishes.runners,
                 "the cores' share of the work that is the network's");
  }
  lines.Number("largest bucket", bucket, chosen.buckets.back(), wishes.max_batch,
               cpu ? "past it a core gains nothing" : "95 % of the best rows/s");
  lines.Number("accumulate_grad_batches", ideal.accumulate, chosen.accumulate, wishes.accumulate,
               "the batch fits in one go");
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

}  // namespace

std::vector<std::string> PlanDifferences(const Plan& now, const Plan& before) {
  std::vector<std::string> lines;
  const auto add = [&lines](std::string_view name, const auto& is, const auto& was) {
    if (is != was) lines.push_back(StrCat(name, " ", is, " instead of ", was));
  };
  const auto format = [](Precision precision) { return std::string(EnumName(precision)); };
  add("evaluation cache", FormatBytes(now.cache), FormatBytes(before.cache));
  add("slots", now.slots, before.slots);
  add("num_workers", now.num_workers, before.num_workers);
  add("arena.num_workers", now.arena_workers, before.arena_workers);
  add("runners", now.runners, before.runners);
  add("largest bucket", now.buckets.back(), before.buckets.back());
  if (now.cuda_graphs != before.cuda_graphs) {
    lines.push_back(now.cuda_graphs ? "CUDA graphs" : "no CUDA graphs");
  }
  add("inference", format(now.inference_precision), format(before.inference_precision));
  add("training", format(now.train_precision), format(before.train_precision));
  add("learner shards", now.learner_shards, before.learner_shards);
  add("micro-batch", now.micro_batch, before.micro_batch);
  if (now.checkpoint_blocks != before.checkpoint_blocks) {
    lines.push_back(now.checkpoint_blocks == 0
                        ? "no gradient checkpointing"
                        : StrCat("gradient checkpointing in segments of ", now.checkpoint_blocks));
  }
  return lines;
}

std::vector<std::string> ReasonsFor(const PlanInput& input, const Plan& ideal, const Plan& chosen,
                                    const std::vector<LadderStep>& steps) {
  Lines lines;
  Choices(input, ideal, chosen, lines);
  for (const std::string& difference : PlanDifferences(chosen, ideal)) {
    lines.Add(StrCat(difference, ": the budget is smaller"));
  }
  for (const LadderStep& step : steps) lines.Add(Constraint(step, chosen));
  if (chosen.price.slowdown_permille >= 10) {
    lines.Add(StrCat("all of this costs about ", chosen.price.slowdown_permille / 10,
                     " % of the time (", EnumName(chosen.rates), ")"));
  }
  if (chosen.price.written > 0) {
    lines.Add("numbers written in the config were changed (memory.on_overcommit: degrade)");
  }
  if (chosen.micro_batch < kGoodMicroBatch && chosen.micro_batch < ideal.micro_batch) {
    lines.Add(StrCat("warning: batch norm over ", chosen.micro_batch, " rows learns worse"));
  }
  return lines.Take();
}

}  // namespace az
