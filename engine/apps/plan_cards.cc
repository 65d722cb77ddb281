#include <array>
#include <string_view>

#include "base/strings.h"
#include "engine/apps/plan_command.h"
#include "engine/config/machine.h"
#include "scheduler/bill.h"
#include "scheduler/diagnosis.h"
#include "scheduler/planner.h"

namespace az {
namespace {

struct Case {
  std::string_view name;
  NetShape net;
  GameFacts game;
};

constexpr int kHistoryPlanes = 17;  // planes of a published Go network; ours may have fewer

NetShape Net(NetShape net, int filters, int blocks, int heads) {
  net.filters = filters;
  net.res_blocks = blocks;
  net.heads = heads;
  net.attention_blocks = heads > 0 ? 1 : 0;
  return net;
}

NetShape Board(int planes, int rows, int cols, int actions) {
  return {.planes = planes, .rows = rows, .cols = cols, .actions = actions};
}

GameFacts Facts(const NetShape& net, int max_plies) {
  return {.words = net.planes * ((net.cells() + 63) / 64),
          .branching = net.actions,
          .max_plies = max_plies};
}

std::array<Case, 5> Cases() {
  const NetShape hex5 = Net(Board(2, 5, 5, 25), 128, 8, 8);
  const NetShape four = Net(Board(2, 6, 7, 7), 128, 10, 0);
  const NetShape go9 = Net(Board(kHistoryPlanes, 9, 9, 82), 128, 10, 0);
  const NetShape hex11 = Net(Board(2, 11, 11, 121), 128, 10, 8);
  const NetShape go19 = Net(Board(kHistoryPlanes, 19, 19, 362), 256, 20, 0);
  return {{{"Hex 5x5, 128x8, 8 heads", hex5, Facts(hex5, 25)},
           {"Connect Four, 128x10", four, Facts(four, 42)},
           {"Go 9x9, 128x10", go9, Facts(go9, 162)},
           {"Hex 11x11, 128x10, 8 heads", hex11, Facts(hex11, 121)},
           {"Go 19x19, 256x20", go19, Facts(go19, 722)}}};
}

constexpr std::array<std::string_view, 7> kCards = {"rtx3050-4GB",  "rtx2060-6GB",  "rtx4060-8GB",
                                                    "rtx4070-12GB", "rtx4090-24GB", "a100-40GB",
                                                    "h100-80GB"};

PlanInput InputFor(const Case& c, const DeviceFacts& card) {
  PlanInput input{.device = card, .net = c.net, .game = c.game};
  input.wishes.batch = 1024;
  input.wishes.visits = 200;
  input.wishes.arena_visits = 200;
  input.wishes.window_positions = 500'000;
  input.wishes.cache = MiB(16);
  return input;
}

std::string PhaseTotal(const Plan& plan, PlanPhase phase) {
  for (const PhaseBill& bill : plan.vram) {
    if (bill.phase == phase && !bill.terms.empty()) {
      return StrCat(InMiB(bill.total()), " ", BasisLetter(BasisOfTotal(bill)));
    }
  }
  return "-";
}

std::string Row(const Case& c, std::string_view card, const PlanInput& input) {
  const Result<Plan> made = MakePlan(input);
  if (!made) return StrCat("| ", c.name, " | ", card, " | does not fit | | | | | | | |\n");
  const Plan& plan = *made;
  const auto share = static_cast<double>(Peak(plan.vram).count()) * 100.0 /
                     static_cast<double>(plan.vram_budget.count());
  return StrCat("| ", c.name, " | ", card, " | ", plan.num_workers, " | ", plan.buckets.back(),
                " | ", plan.micro_batch, " x ", plan.accumulate, " | ",
                EnumName(plan.train_precision), " | ",
                plan.checkpoint_blocks == 0 ? "off" : StrCat("by ", plan.checkpoint_blocks), " | ",
                PhaseTotal(plan, PlanPhase::kSelfPlay), " | ", PhaseTotal(plan, PlanPhase::kTrain),
                " | ", Fixed(share, 0), " % ", BasisLetter(BasisOfPeak(plan.vram)), " |\n");
}

}  // namespace

Result<std::string> CardsMarkdown() {
  Machine host;
  host.cores = 16;
  std::string out =
      "| network | card | workers | bucket | micro-batch | precision | checkpointing | self_play "
      "MiB | train MiB | peak of budget |\n|---|---|--:|--:|--:|---|---|--:|--:|--:|\n";
  for (const Case& c : Cases()) {
    for (const std::string_view name : kCards) {
      AZ_ASSIGN_OR_RETURN(const DeviceFacts card, SimulatedCard(name, host, GiB(32)));
      out += Row(c, name, InputFor(c, card));
    }
  }
  return out;
}

}  // namespace az
