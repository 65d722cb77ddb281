#include "engine/config/plan_json.h"

#include <nlohmann/json.hpp>

#include "scheduler/footprint.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

Json BillJson(const std::vector<PhaseBill>& bills) {
  Json phases = Json::array();
  for (const PhaseBill& bill : bills) {
    Json terms = Json::array();
    for (const BillTerm& term : bill.terms) {
      terms.push_back(
          {{"term", term.name}, {"bytes", term.bytes.count()}, {"basis", EnumName(term.basis)}});
    }
    phases.push_back({{"phase", EnumName(bill.phase)},
                      {"total_bytes", bill.total().count()},
                      {"terms", std::move(terms)}});
  }
  return phases;
}

Json MemoryJson(const std::vector<PhaseBill>& bills, Bytes budget, Bytes guard) {
  return {{"budget_bytes", budget.count()},
          {"guard_bytes", guard.count()},
          {"phases", BillJson(bills)}};
}

}  // namespace

std::string PlanJson(const PlanInput& input, const Plan& plan) {
  Json json;
  json["schema"] = 2;
  json["device"] = {
      {"kind", EnumName(input.device.kind)},   {"name", input.device.name},
      {"simulated", input.device.simulated},   {"cores", input.device.cores},
      {"ram_bytes", input.device.ram.count()}, {"vram_bytes", input.device.vram.count()}};
  json["net"] = {{"parameters", ParameterCount(input.net)},
                 {"flops_per_position", ForwardFlops(input.net)}};
  json["plan"] = {{"num_workers", plan.num_workers},
                  {"arena_num_workers", plan.arena_workers},
                  {"slots", plan.slots},
                  {"lanes", plan.lanes},
                  {"blocks", plan.blocks},
                  {"rows", plan.rows},
                  {"runners", plan.runners},
                  {"buckets", plan.buckets},
                  {"learner_shards", plan.learner_shards},
                  {"micro_batch", plan.micro_batch},
                  {"accumulate_grad_batches", plan.accumulate},
                  {"inference_precision", EnumName(plan.inference_precision)},
                  {"train_precision", EnumName(plan.train_precision)},
                  {"checkpoint_blocks", plan.checkpoint_blocks},
                  {"arena_models", EnumName(plan.arena_models)},
                  {"cuda_graphs", plan.cuda_graphs},
                  {"cache_bytes", plan.cache.count()},
                  {"worker_bytes", plan.worker_bytes.count()},
                  {"rows_per_s", plan.predicted_rows_per_s},
                  {"train_step_ms", plan.predicted_step_ms},
                  {"rates_basis", EnumName(plan.rates)}};
  json["host_memory"] = MemoryJson(plan.ram, plan.ram_budget, plan.ram_guard);
  if (!plan.vram.empty()) {
    json["device_memory"] = MemoryJson(plan.vram, plan.vram_budget, plan.vram_guard);
  }
  json["reasons"] = plan.reasons;
  return json.dump(2) + "\n";
}

}  // namespace az
