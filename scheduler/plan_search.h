#pragma once
// PlanSearch: the cheapest rungs of the three ladders that fit the budgets (docs/adr/0006), and the
// plan that they make.

#include <cstddef>
#include <optional>
#include <vector>

#include "scheduler/ladder.h"
#include "scheduler/planner.h"
#include "scheduler/reasons.h"

namespace az {

// A rung of each ladder.
struct Choice {
  std::size_t host = 0;
  std::size_t inference = 0;
  std::size_t train = 0;
};

Price Sum(const Price& a, const Price& b);

// Confined to one call of MakePlan. `input` outlives it.
class PlanSearch {
 public:
  // `ideal`: the sizes as if memory were free; they are the first rung of each ladder.
  PlanSearch(const PlanInput& input, const Budgets& budgets, const Plan& ideal);

  const Plan& ideal() const { return ideal_; }
  std::size_t host_rungs() const { return hosts_.size(); }

  // The choice to run with: the cheapest that fits and has not failed, or, when that is lower, so
  // many rungs below the cheapest that fits as failures have cost. A failure is both a size and a
  // rung, and costs one step. Empty: nothing fits.
  std::optional<Choice> Chosen();
  // Rungs of inference and training whose device memory fits, with the fewest workers where their
  // number matters.
  std::vector<Choice> DeviceChoices();
  // The cheapest of `device` that fits with this rung of the host.
  std::optional<Choice> CheapestAt(std::size_t host, const std::vector<Choice>& device);
  // The choice whose memory is the nearest to the budgets.
  Choice Smallest();

  // A price is a sum of what the rung of the host costs and of the rest.
  Price HostPrice(std::size_t host) const;
  Price DevicePrice(const Choice& choice);

  // The plan of a choice with its bills and predictions; reasons are still open.
  Plan PlanOf(const Choice& choice);
  // The last step down each ladder of the device, and that of the host, with what stood in the way
  // of the one before.
  std::vector<LadderStep> DeviceSteps(const Choice& choice);
  std::optional<LadderStep> HostStep(const Choice& choice);

 private:
  std::optional<Choice> Cheapest();
  Choice Last() const;
  Choice Lowered(Choice choice) const;
  std::optional<Choice> FirstThatFits(Choice choice);
  std::optional<LadderStep> StepOf(const std::vector<Rung>& ladder, const Choice& choice,
                                   std::size_t Choice::*at, int taken);
  const Plan& Sizes(const Choice& choice);
  Price LeastPrice(const Choice& choice) const;
  Price PriceOf(const Choice& choice);
  bool HasFailed(const Plan& plan) const;
  bool FitsRam(const Choice& choice);
  bool FitsVram(const Choice& choice);
  bool Fits(const Choice& choice);
  bool SharesModels() const;

  const PlanInput& input_;
  const Budgets budgets_;
  const Plan ideal_;
  const std::vector<Rung> hosts_;
  const std::vector<Rung> inferences_;
  const std::vector<Rung> trains_;
  const double ideal_row_us_;
  const double ideal_step_ms_;
  Plan work_;
  // Memory only falls down a ladder, so where the last rungs do not fit none does. Not so where
  // some rungs were measured and the formulas, which ask for more, speak for the others.
  const bool falls_;
  bool minds_failures_ = true;
};

}  // namespace az
