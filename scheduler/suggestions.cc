#include "scheduler/suggestions.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/strings.h"
#include "scheduler/bill.h"
#include "scheduler/ladder.h"
#include "scheduler/planner.h"
#include "scheduler/reasons.h"
#include "scheduler/throughput.h"

namespace az {
namespace {

// One change and the plan it leads to.
struct Changed {
  PlanInput input;
  Plan plan;
};

double Share(Bytes part, Bytes whole) {
  return static_cast<double>(part.count()) /
         static_cast<double>(std::max<std::int64_t>(1, whole.count()));
}

int Permille(double slower, double now) {
  return static_cast<int>(std::clamp(1000.0 * (slower / now - 1.0), 0.0, 1e6));
}

// Collects suggestions. Confined to Suggest.
class Collector {
 public:
  Collector(const PlanInput& input, const Plan& plan)
      : input_(input), plan_(plan), peaks_(PeaksOf(input, plan)) {}

  // Tries a change. `change` alters the copy it is given; `learning` tells whether it changes what
  // is learned.
  template <class Change>
  void Try(std::string_view key, std::string from, std::string to, bool learning,
           const Change& change) {
    Changed changed{input_, plan_};
    change(changed);
    const PeakBytes peaks = PeaksOf(changed.input, changed.plan);
    Suggestion suggestion{.key = std::string(key),
                          .from = std::move(from),
                          .to = std::move(to),
                          .ram_saved = std::max(Bytes(), peaks_.ram - peaks.ram),
                          .vram_saved = std::max(Bytes(), peaks_.vram - peaks.vram),
                          .slowdown_permille = 0,
                          .changes_learning = learning};
    if (std::max(suggestion.ram_saved, suggestion.vram_saved) < MiB(1)) return;
    suggestion.slowdown_permille = Permille(PredictedRowsPerSecond(input_, plan_),
                                            PredictedRowsPerSecond(changed.input, changed.plan)) +
                                   Permille(PredictedStepMillis(changed.input, changed.plan),
                                            PredictedStepMillis(input_, plan_));
    suggestions_.push_back(std::move(suggestion));
  }

  std::vector<Suggestion> Ranked() {
    const bool vram = !plan_.vram.empty() &&
                      Share(peaks_.vram, plan_.vram_budget) > Share(peaks_.ram, plan_.ram_budget);
    const auto worth = [vram](const Suggestion& s) {
      constexpr int kPriceOfAnyChange = 20;
      return static_cast<double>((vram ? s.vram_saved : s.ram_saved).count()) /
             (s.slowdown_permille + kPriceOfAnyChange);
    };
    std::ranges::stable_sort(suggestions_, [&](const Suggestion& a, const Suggestion& b) {
      if (a.changes_learning != b.changes_learning) return b.changes_learning;
      return worth(a) > worth(b);
    });
    return std::move(suggestions_);
  }

 private:
  const PlanInput& input_;
  const Plan& plan_;
  const PeakBytes peaks_;
  std::vector<Suggestion> suggestions_;
};

void TryTraining(const PlanInput& input, const Plan& plan, Collector& collect) {
  if (plan.micro_batch / 2 >= kGoodMicroBatch) {
    collect.Try("train.accumulate_grad_batches", StrCat(plan.accumulate),
                StrCat(2 * plan.accumulate), false, [&](Changed& c) {
                  c.plan.accumulate *= 2;
                  FitMicroBatch(c.input, c.plan);
                });
  }
  if (plan.checkpoint_blocks == 0 && input.net.res_blocks > 0) {
    collect.Try("train.gradient_checkpointing", "off", "on", false,
                [](Changed& c) { c.plan.checkpoint_blocks = BestSegment(c.input.net.res_blocks); });
  }
  if (plan.train_precision == Precision::kFp32 && input.device.fast_bf16) {
    collect.Try("train.precision", "fp32", "bf16", false,
                [](Changed& c) { c.plan.train_precision = Precision::kBf16; });
  }
  const int prefetch = input.wishes.prefetch;
  if (prefetch > 1) {
    collect.Try("train.prefetch", StrCat(prefetch), StrCat(prefetch / 2), false,
                [](Changed& c) { c.input.wishes.prefetch /= 2; });
  }
}

void TryInference(const PlanInput& input, const Plan& plan, Collector& collect) {
  const int bucket = plan.buckets.back();
  if (bucket / 2 >= 8) {
    collect.Try("engine.max_batch", StrCat(bucket), StrCat(bucket / 2), false,
                [](Changed& c) { FitBuckets(c.plan, c.plan.buckets.back() / 2); });
  }
  if (plan.cuda_graphs) {
    collect.Try("engine.cuda_graphs", "true", "false", false,
                [](Changed& c) { c.plan.cuda_graphs = false; });
  }
  if (plan.inference_precision == Precision::kFp32 && input.device.fast_bf16) {
    collect.Try("net.precision", "fp32", "bf16", false,
                [](Changed& c) { c.plan.inference_precision = Precision::kBf16; });
  }
  if (plan.device == DeviceKind::kCpu && plan.runners > 1) {
    collect.Try("engine.runners", StrCat(plan.runners), StrCat(plan.runners / 2), false,
                [](Changed& c) { c.plan.runners /= 2; });
  }
}

void TryHost(const Plan& plan, Collector& collect) {
  if (plan.cache >= MiB(2)) {
    collect.Try("search.cache", FormatBytes(plan.cache), FormatBytes(plan.cache / 2), false,
                [](Changed& c) { c.plan.cache = c.plan.cache / 2; });
  }
  if (plan.slots >= 32) {
    collect.Try("self_play.slots", StrCat(plan.slots), StrCat(plan.slots / 2), false,
                [](Changed& c) {
                  c.plan.slots /= 2;
                  FitLane(c.plan);
                });
  }
  if (plan.num_workers > 1) {
    collect.Try("num_workers", StrCat(plan.num_workers), StrCat(plan.num_workers / 2), false,
                [](Changed& c) {
                  c.plan.num_workers /= 2;
                  c.plan.arena_workers = std::min(c.plan.arena_workers, c.plan.num_workers);
                  c.plan.lanes = c.plan.num_workers;
                });
  }
}

void TryLearning(const PlanInput& input, Collector& collect) {
  const std::int64_t window = input.wishes.window_positions;
  collect.Try("train.window_max", StrCat(window), StrCat(window / 2), true,
              [](Changed& c) { c.input.wishes.window_positions /= 2; });
  const NetShape& net = input.net;
  const int filters = net.filters / 2;
  if (filters >= 1 && (net.heads == 0 || filters % net.heads == 0) &&
      (net.global_pool_every == 0 || filters % 4 == 0)) {
    collect.Try("net.num_filters", StrCat(net.filters), StrCat(filters), true,
                [](Changed& c) { c.input.net.filters /= 2; });
  }
  if (net.res_blocks >= 2 && net.res_blocks / 2 >= net.global_pool_every) {
    collect.Try("net.num_res_blocks", StrCat(net.res_blocks), StrCat(net.res_blocks / 2), true,
                [](Changed& c) { c.input.net.res_blocks /= 2; });
  }
}

// Says in a sentence what the plan with more of one memory has.
std::string Bought(const PlanInput& larger, const Plan& plan, std::string_view what) {
  const Result<Plan> richer = MakePlan(larger);
  if (!richer) return StrCat(what, " buys nothing: ", richer.error().message);
  std::vector<std::string> more;
  std::vector<std::string> less;  // what the better choice takes away elsewhere
  for (const SizeChange& change : PlanDifferences(*richer, plan)) {
    (change.is_less ? less : more).push_back(change.text);
  }
  if (more.empty()) {
    return StrCat(what, " buys nothing: ",
                  plan.price == Price{} ? "every size is where more would not help"
                                        : "no step that was given up fits into it");
  }
  return StrCat(what, " buys ", Join(more, ", "), less.empty() ? "" : ", in exchange for ",
                Join(less, ", "));
}

}  // namespace

std::vector<Suggestion> Suggest(const PlanInput& input, const Plan& plan) {
  Collector collect(input, plan);
  TryTraining(input, plan, collect);
  TryInference(input, plan, collect);
  TryHost(plan, collect);
  TryLearning(input, collect);
  return collect.Ranked();
}

std::string SuggestionText(const Suggestion& s) {
  std::vector<std::string> saved;
  if (s.vram_saved >= MiB(1))
    saved.push_back(StrCat(FormatBytes(s.vram_saved), " of device memory"));
  if (s.ram_saved >= MiB(1)) saved.push_back(StrCat(FormatBytes(s.ram_saved), " of host memory"));
  std::string text = StrCat(s.key, ": ", s.from, " -> ", s.to, " saves ", Join(saved, " and "));
  if (s.slowdown_permille >= 10) {
    text += StrCat(", about ", s.slowdown_permille / 10, " % slower");
  }
  if (s.changes_learning) text += ", changes what is learned";
  return text;
}

std::vector<std::string> WhatMoreBuys(const PlanInput& input, const Plan& plan, Bytes more) {
  const Budgets budgets = BudgetsOf(input);
  std::vector<std::string> lines;
  if (input.device.kind == DeviceKind::kCuda) {
    PlanInput larger = input;
    larger.wishes.memory.vram_budget = MemorySize{budgets.vram + more, 0};
    larger.device.vram = std::max(input.device.vram, budgets.vram + more);
    lines.push_back(Bought(larger, plan, StrCat(FormatBytes(more), " more device memory")));
  }
  PlanInput larger = input;
  larger.wishes.memory.ram_budget = MemorySize{budgets.ram + more, 0};
  larger.device.ram = std::max(input.device.ram, budgets.ram + more);
  lines.push_back(Bought(larger, plan, StrCat(FormatBytes(more), " more host memory")));
  return lines;
}

}  // namespace az
