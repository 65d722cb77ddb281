#pragma once
// PlanSearch: finds the cheapest rungs of the three ladders that fit the budgets (docs/adr/0006),
// and the plan that they make.

#include <cstddef>
#include <optional>
#include <vector>

#include "scheduler/ladder.h"
#include "scheduler/planner.h"
#include "scheduler/reasons.h"

namespace az {

// One rung of each ladder.
struct Choice {
  std::size_t host = 0;
  std::size_t inference = 0;
  std::size_t train = 0;
};

Price Sum(const Price& a, const Price& b);

// Confined to one call of MakePlan. `input` outlives it.
class PlanSearch {
 public:
  // `ideal`: the sizes that unlimited memory would allow; they are the first rung of each ladder.
  PlanSearch(const PlanInput& input, const Budgets& budgets, const Plan& ideal);

  const Plan& ideal() const { return ideal_; }
  std::size_t host_rungs() const { return hosts_.size(); }

  // The choice to run with. Each failure has cost a rung and has also put a size on the list of
  // failed ones, but costs only one step: of the cheapest choice that fits and has not failed, and
  // the one as many rungs below the cheapest that fits as failures have cost, it is the lower one.
  // nullopt: nothing fits.
  std::optional<Choice> Chosen();
  // The rungs of inference and training whose device memory fits, with the fewest workers where
  // their number matters.
  std::vector<Choice> DeviceChoices();
  // The cheapest choice of `device` that fits with this rung of the host.
  std::optional<Choice> CheapestAt(std::size_t host, const std::vector<Choice>& device);
  // The choice whose memory is nearest to the budgets.
  Choice Smallest();

  // The host rung's part of the price; the price of a choice is the sum of this part and the rest.
  Price HostPrice(std::size_t host) const;
  Price DevicePrice(const Choice& choice);

  // The plan of a choice with its bills and predictions; reasons are still open.
  Plan PlanOf(const Choice& choice);
  // The last step down each ladder, of the device and of the host, with the reason why the rung
  // above it was not possible.
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
  // Whether memory only falls down the ladders, so that no rung fits where the last ones do not.
  // False where some rungs were measured and others come from formulas, which ask for more.
  const bool falls_;
  bool minds_failures_ = true;
};

}  // namespace az
