#pragma once
// PlanSection: a part of az_plan's output: the plan, a comparison, a sweep.

#include <string>

namespace az {

struct PlanSection {
  std::string name;  // its key in --json
  std::string text;  // ends in a newline
  std::string json;  // one JSON value
};

}  // namespace az
