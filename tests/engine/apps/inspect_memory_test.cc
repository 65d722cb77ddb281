#include "engine/apps/inspect_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/strings.h"
#include "engine/run/run_state.h"

namespace az {
namespace {

using Json = nlohmann::json;

// A run's folder with files made by hand.
class InspectMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + StrCat("inspect_memory_", ::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Write("state.json", ToJson(RunState{}));
    plan_ = {{"device", {{"name", "card"}}},
             {"plan", Json::object()},
             {"host_memory", {{"budget_bytes", GiB(4).count()}, {"guard_bytes", 0}}}};
    line_ = {{"kind", "memory"},
             {"phase", "train"},
             {"iteration", 3},
             {"seconds", 10.0},
             {"predicted_bytes", GiB(2).count()},
             {"peak_bytes", GiB(1).count()},
             {"allocator", {{"reserved_bytes", MiB(500).count()}}}};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomic(folder_ + "/" + name, text));
  }
  // What is told of a run whose phases left these lines.
  std::string Inspect(const std::vector<Json>& lines, bool as_json = false) {
    std::string metrics;
    for (const Json& line : lines) metrics += line.dump() + "\n";
    Write("metrics.jsonl", metrics);
    Write("plan.json", plan_.dump());
    return InspectMemory(folder_, as_json).value();
  }
  void ToGpu() {
    plan_["device_memory"] = {{"budget_bytes", GiB(10).count()}, {"guard_bytes", MiB(240).count()}};
    line_["freed_device_bytes"] = MiB(64).count();
    line_["allocator_after"] = {{"requested_bytes", MiB(290).count()},
                                {"allocated_bytes", MiB(300).count()},
                                {"active_bytes", MiB(310).count()},
                                {"reserved_bytes", MiB(400).count()}};
    line_["gpu"] = {{"budget_bytes", GiB(10).count()},
                    {"predicted_bytes", GiB(3).count()},
                    {"peak_used_bytes", GiB(6).count()},
                    {"peak_ours_bytes", MiB(2560).count()},
                    {"ours_source", "listed"},
                    {"context_bytes", MiB(450).count()},
                    {"ours_bytes", MiB(850).count()},
                    {"used_bytes", MiB(1850).count()},
                    {"total_bytes", GiB(12).count()},
                    {"free_bytes", GiB(7).count()},
                    {"co_tenants_bytes", MiB(1000).count()}};
  }

  std::string folder_;
  Json plan_;
  Json line_;
};

// The words of the first line that begins with `start`.
std::vector<std::string> Cells(const std::string& text, std::string_view start) {
  std::vector<std::string> cells;
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.starts_with(start)) continue;
    for (const std::string_view cell : Split(line, ' ')) {
      if (!cell.empty()) cells.emplace_back(cell);
    }
    return cells;
  }
  return cells;
}

TEST_F(InspectMemoryTest, WithoutAGpuThereIsNoWordOfOne) {
  const std::string text = Inspect({line_});
  EXPECT_EQ(text.find("GPU"), std::string::npos) << text;
  EXPECT_EQ(Cells(text, "train"),
            (std::vector<std::string>{"train", "1", "2", "GiB", "1", "GiB", "25", "%", "0", "B",
                                      "0", "B", "0", "B", "0", "B", "0", "B"}));
  EXPECT_TRUE(Json::parse(Inspect({line_}, true)).at("phases").at(0).at("gpu").is_null());
}

TEST_F(InspectMemoryTest, TheCardHasAPredictionAndABudgetOfItsOwn) {
  ToGpu();
  Json second = line_;
  second["gpu"]["peak_ours_bytes"] = GiB(2).count();  // less than the first
  second["gpu"]["co_tenants_bytes"] = MiB(5).count();
  const std::string text = Inspect({line_, second});
  EXPECT_NE(text.find("; on the GPU 10 GiB, guard 240 MiB; training"), std::string::npos) << text;
  const std::string table = text.substr(text.find("on the GPU  "));
  EXPECT_EQ(Cells(table, "train"),
            (std::vector<std::string>{"train", "2", "3", "GiB", "2.50", "GiB", "25", "%", "6",
                                      "GiB", "5", "MiB", "7", "GiB", "64", "MiB"}))
      << text;
  EXPECT_NE(
      text.find("GPU        after train of iteration 3: requested 290 MiB, allocated 300 MiB, "
                "active 310 MiB, reserved 400 MiB (cached 100 MiB), ours 850 MiB (context "
                "450 MiB; by listed), used 1.81 GiB (co-tenants 5 MiB), total 12 GiB"),
      std::string::npos)
      << text;
  const Json phase = Json::parse(Inspect({line_, second}, true)).at("phases").at(0);
  EXPECT_EQ(phase.at("predicted_bytes"), GiB(2).count());
  EXPECT_EQ(phase.at("gpu").at("predicted_bytes"), GiB(3).count());
  EXPECT_EQ(phase.at("gpu").at("budget_bytes"), GiB(10).count());
  EXPECT_EQ(phase.at("gpu").at("peak_ours_bytes"), MiB(2560).count());
  EXPECT_EQ(phase.at("gpu").at("freed_bytes"), MiB(64).count());
}

TEST_F(InspectMemoryTest, WhatTheDriverDoesNotTellIsUnknownNotZero) {
  ToGpu();
  for (const char* key : {"peak_used_bytes", "peak_ours_bytes", "context_bytes", "ours_bytes",
                          "used_bytes", "total_bytes", "free_bytes", "co_tenants_bytes"}) {
    line_["gpu"][key] = nullptr;
  }
  line_["gpu"]["ours_source"] = "unknown";
  const std::string text = Inspect({line_});
  const std::string table = text.substr(text.find("on the GPU  "));
  EXPECT_EQ(Cells(table, "train"),
            (std::vector<std::string>{"train", "1", "3", "GiB", "unknown", "unknown", "unknown",
                                      "unknown", "unknown", "64", "MiB"}));
  EXPECT_NE(text.find("ours unknown (context unknown; by unknown), used unknown (co-tenants "
                      "unknown), total unknown"),
            std::string::npos)
      << text;
  const Json json = Json::parse(Inspect({line_}, true));
  EXPECT_TRUE(json.at("phases").at(0).at("gpu").at("peak_ours_bytes").is_null());
}

TEST_F(InspectMemoryTest, APhaseOnTheProcessorShowsNoRamAsTheCards) {
  ToGpu();
  line_["gpu"]["serves"] = false;
  line_["gpu"]["context_bytes"] = nullptr;
  const std::string text = Inspect({line_});
  EXPECT_NE(text.find("reserved unknown (cached unknown), ours 850 MiB (context unknown"),
            std::string::npos)
      << text;
  const std::string table = text.substr(text.find("on the GPU  "));
  EXPECT_TRUE(table.find("0 B\n") != std::string::npos && table.find("64 MiB") == std::string::npos)
      << "freed: " << text;
}

TEST_F(InspectMemoryTest, MonitoringIsWeighedByTheSecondsOfItsPhases) {
  EXPECT_EQ(Inspect({line_}).find("monitor"), std::string::npos);
  line_["monitor_cpu_fraction"] = 0.001;
  Json longer = line_;
  longer["seconds"] = 30.0;
  longer["monitor_cpu_fraction"] = 0.0002;
  const std::string text = Inspect({line_, longer});
  EXPECT_NE(text.find("monitor    0.0400 % of a core over 40 s of phases"), std::string::npos)
      << text;
}

// Each key that is read, missing or of another type: told as far as it can be, and no exception.
TEST_F(InspectMemoryTest, DamagedLinesAndPlansAreToldAsFarAsTheyGo) {
  ToGpu();
  line_["gpu"]["serves"] = true;
  line_["monitor_cpu_fraction"] = 0.001;
  plan_["calibration"] = {
      {{"phase", "train"}, {"precision", "fp32"}, {"at_once", 1}, {"measured", {{{"rows", 64}}}}}};
  const Json event = {{"kind", "memory_event"},
                      {"event", "gave_up"},
                      {"phase", "train"},
                      {"iteration", 3},
                      {"free_bytes", 5}};
  const Json plan = plan_;
  const Json wrong[] = {nullptr, 5, 1e300, -3, "x", true, Json::array({1, "x"}), {{"x", 1}}};
  const auto inspect = [&](const std::vector<Json>& lines) {
    std::ofstream metrics(folder_ + "/metrics.jsonl");  // not synced: there are a thousand of them
    for (const Json& line : lines) metrics << line << "\n";
    metrics.close();
    std::ofstream(folder_ + "/plan.json") << plan_;
    EXPECT_NO_THROW(InspectMemory(folder_, false).value()) << plan_ << Json(lines);
    EXPECT_NO_THROW(InspectMemory(folder_, true).value()) << plan_ << Json(lines);
  };
  const auto damage = [](const Json& whole, const std::string& path, const Json* value) {
    Json damaged = whole;
    const Json::json_pointer at(path);
    if (value != nullptr) {
      damaged[at] = *value;
    } else {
      damaged.at(at.parent_pointer()).erase(at.back());
    }
    return damaged;
  };
  const auto each = [&](const Json& whole, const std::function<void(const Json&)>& look) {
    const Json leaves = whole.flatten();
    for (const auto& [path, leaf] : leaves.items()) {
      for (Json::json_pointer at(path); !at.empty(); at = at.parent_pointer()) {
        for (const Json& value : wrong) look(damage(whole, at.to_string(), &value));
        if (whole.at(at.parent_pointer()).is_object()) look(damage(whole, at.to_string(), nullptr));
      }
    }
  };
  each(line_, [&](const Json& line) { inspect({line}); });
  each(event, [&](const Json& line) { inspect({line_, line}); });
  each({{"calibration", plan.at("calibration")},
        {"device", plan.at("device")},
        {"device_memory", plan.at("device_memory")},
        {"host_memory", plan.at("host_memory")},
        {"plan", plan.at("plan")}},
       [&](const Json& damaged) {
         plan_ = damaged;
         if (damaged.contains("host_memory") && damaged.contains("plan")) inspect({line_});
       });
}

}  // namespace
}  // namespace az
