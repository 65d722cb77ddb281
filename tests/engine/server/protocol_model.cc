#include "tests/engine/server/protocol_model.h"

#include <deque>
#include <functional>
#include <string_view>
#include <unordered_set>

#include "tests/engine/server/protocol_steps.h"

namespace az::fakes {
namespace {

struct StateHash {
  std::size_t operator()(const State& state) const {
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(&state), sizeof state});
  }
};

}  // namespace

ModelVerdict CheckModel(const ModelOptions& options) {
  const ProtocolSteps steps(options);
  std::unordered_set<State, StateHash> seen;
  std::deque<State> open;
  const auto add = [&](const State& state) {
    if (seen.insert(state).second) open.push_back(state);
  };
  add(steps.Start());
  try {
    while (!open.empty()) {
      const State state = open.front();
      open.pop_front();
      bool live = false;
      State next = state;
      if (steps.WorkerStep(next)) {
        add(next);
        live = true;
      }
      for (int r = 0; r < options.runners; ++r) {
        next = state;
        if (steps.RunnerStep(next, r)) {
          add(next);
          live = true;
        }
      }
      if (!live) return {seen.size(), "everybody sleeps"};
      if (state.worker_crashes > 0) add(steps.WorkerCrash(state));
      if (state.server_crashes > 0) add(steps.ServerCrash(state));
    }
  } catch (const Fault& fault) {
    return {seen.size(), fault.what};
  }
  return {seen.size(), ""};
}

}  // namespace az::fakes
