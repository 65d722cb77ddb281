#include "engine/config/plan_json.h"

#include <nlohmann/json.hpp>

#include "scheduler/bill.h"
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
                      {"total_basis", EnumName(BasisOfTotal(bill))},
                      {"terms", std::move(terms)}});
  }
  return phases;
}

Json MemoryJson(const std::vector<PhaseBill>& bills, Bytes budget, Bytes guard) {
  return {{"budget_bytes", budget.count()},
          {"guard_bytes", guard.count()},
          {"phases", BillJson(bills)}};
}

Json SeenJson(std::string_view phase, Precision precision, const FittedPeak& peak, int at_once) {
  Json sizes = Json::array();
  for (const SeenPeak& seen : peak.seen) {
    sizes.push_back({{"rows", seen.rows}, {"peak_bytes", seen.peak.count()}});
  }
  return {{"phase", phase},
          {"precision", EnumName(precision)},
          {"at_once", at_once},
          {"measured", std::move(sizes)},
          {"fitted_fixed_bytes", peak.fixed.count()},
          {"fitted_row_bytes", peak.row.count()}};
}

// The sizes that were run on this device, and the lines fitted through them for other sizes.
Json CalibrationJson(const Calibration& calibration) {
  Json fits = Json::array();
  for (const ProbedTraining& probed : calibration.training) {
    Json fit = SeenJson("train", probed.precision, probed.peak, probed.at_once);
    fit["checkpoint_blocks"] = probed.checkpoint_blocks;
    fits.push_back(std::move(fit));
  }
  for (const ProbedInference& probed : calibration.inference) {
    fits.push_back(SeenJson("inference", probed.precision, probed.peak, probed.at_once));
  }
  return fits;
}

// The co-tenants. Null stands for what the driver does not tell: the whole list, or one's bytes.
Json CoTenantsJson(const DeviceFacts& device) {
  if (!device.co_tenants) return nullptr;
  Json json = Json::array();
  for (const CoTenant& one : *device.co_tenants) {
    json.push_back({{"pid", one.pid},
                    {"name", one.name.empty() ? Json() : Json(one.name)},
                    {"bytes", one.bytes ? Json(one.bytes->count()) : Json()}});
  }
  return json;
}

}  // namespace

std::string PlanJson(const PlanInput& input, const Plan& plan) {
  Json json;
  json["schema"] = 4;
  json["device"] = {
      {"kind", EnumName(input.device.kind)},   {"name", input.device.name},
      {"simulated", input.device.simulated},   {"cores", input.device.cores},
      {"ram_bytes", input.device.ram.count()}, {"vram_bytes", input.device.vram.count()}};
  if (input.device.kind == DeviceKind::kCuda && !input.device.simulated) {
    json["device"]["co_tenants"] = CoTenantsJson(input.device);
  }
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
                  {"arena_on_cpu", plan.on_cpu.arena},
                  {"train_on_cpu", plan.on_cpu.train},
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
  json["calibration"] = CalibrationJson(input.calibration);
  json["reasons"] = Json::array();
  for (const Reason& reason : plan.reasons) {
    json["reasons"].push_back(
        {{"kind", EnumName(reason.kind)}, {"keys", reason.keys}, {"text", reason.text}});
  }
  return json.dump(2) + "\n";
}

Result<DeviceKind> DeviceOfPlanJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_object() && json.contains("device") && json["device"].is_object()) {
    const auto kind = json["device"].find("kind");
    if (kind != json["device"].end() && kind->is_string()) {
      const auto device = EnumFromName<DeviceKind>(kind->get_ref<const std::string&>());
      if (device) return *device;
    }
  }
  return Error{Errc::kCorrupt, "no plan of a device: device.kind is neither cpu nor cuda"};
}

}  // namespace az
