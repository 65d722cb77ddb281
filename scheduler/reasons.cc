#include "scheduler/reasons.h"

#include "base/strings.h"
#include "scheduler/ladder.h"

namespace az {
namespace {

// Confined to ReasonsFor.
class Lines {
 public:
  template <class T>
  void Number(std::string_view name, int value, const Auto<T>& wish, std::string_view reason) {
    lines_.push_back(
        StrCat(name, " ", value, ": ", wish.has_value() ? "written in the config" : reason));
  }
  void GaveUp(std::string_view name, const std::string& now, const std::string& ideal) {
    if (now != ideal) {
      lines_.push_back(StrCat(name, " ", now, " instead of ", ideal, ": the budget is smaller"));
    }
  }
  void GaveUp(std::string_view name, int now, int ideal) {
    GaveUp(name, StrCat(now), StrCat(ideal));
  }
  void Add(std::string line) { lines_.push_back(std::move(line)); }
  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

void Choices(const PlanInput& input, const Plan& ideal, Lines& lines) {
  const PlanWishes& wishes = input.wishes;
  const bool cpu = ideal.device == DeviceKind::kCpu;
  const int bucket = ideal.buckets.back();
  lines.Number("num_workers", ideal.num_workers, wishes.num_workers,
               cpu ? "one a core" : "the fewest that keep the server busy");
  lines.Number("arena.num_workers", ideal.arena_workers, wishes.arena_workers,
               cpu ? "one a core" : "the fewest that keep the server busy with half the rows each");
  lines.Number("slots", ideal.slots, wishes.slots,
               StrCat("rows for ", ideal.runners + 1, " batches of ", bucket, " over ",
                      ideal.num_workers, " workers, in whole blocks, 64 to 256"));
  if (cpu) {
    lines.Number("runners", ideal.runners, wishes.runners,
                 "the cores' share of the work that is the network's");
  }
  lines.Number("largest bucket", bucket, wishes.max_batch,
               cpu ? "past it a core gains nothing" : "95 % of the best rows/s");
  lines.Number("accumulate_grad_batches", ideal.accumulate, wishes.accumulate,
               "the batch fits in one go");
}

// "micro-batch 256 x 2: micro-batch 512 x 1 needs 1.31 GiB more device memory".
std::string Constraint(const LadderStep& step, const Plan& chosen) {
  const Bytes vram = step.needs.vram + chosen.vram_guard - chosen.vram_budget;
  const Bytes ram = step.needs.ram + chosen.ram_guard - chosen.ram_budget;
  if (step.failed) return StrCat(step.taken, ": ", step.before, " ran out of memory before");
  if (!chosen.vram.empty() && vram > Bytes()) {
    return StrCat(step.taken, ": ", step.before, " needs ", FormatBytes(vram),
                  " more device memory");
  }
  if (ram > Bytes()) {
    return StrCat(step.taken, ": ", step.before, " needs ", FormatBytes(ram), " more host memory");
  }
  return StrCat(step.taken, ": below ", step.before, " after running out of memory");
}

}  // namespace

std::vector<std::string> ReasonsFor(const PlanInput& input, const Plan& ideal, const Plan& chosen,
                                    const std::vector<LadderStep>& steps) {
  Lines lines;
  Choices(input, ideal, lines);
  lines.GaveUp("evaluation cache", FormatBytes(chosen.cache), FormatBytes(ideal.cache));
  lines.GaveUp("slots", chosen.slots, ideal.slots);
  lines.GaveUp("num_workers", chosen.num_workers, ideal.num_workers);
  lines.GaveUp("arena.num_workers", chosen.arena_workers, ideal.arena_workers);
  lines.GaveUp("runners", chosen.runners, ideal.runners);
  lines.GaveUp("largest bucket", chosen.buckets.back(), ideal.buckets.back());
  if (chosen.cuda_graphs != ideal.cuda_graphs) {
    lines.Add("no CUDA graphs: the budget is smaller");
  }
  lines.GaveUp("inference", std::string(EnumName(chosen.inference_precision)),
               std::string(EnumName(ideal.inference_precision)));
  lines.GaveUp("training", std::string(EnumName(chosen.train_precision)),
               std::string(EnumName(ideal.train_precision)));
  lines.GaveUp("learner shards", chosen.learner_shards, ideal.learner_shards);
  lines.GaveUp("micro-batch", chosen.micro_batch, ideal.micro_batch);
  lines.GaveUp("checkpointed blocks", chosen.checkpoint_blocks, ideal.checkpoint_blocks);
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
