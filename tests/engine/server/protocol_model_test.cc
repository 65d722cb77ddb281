#include "tests/engine/server/protocol_model.h"

#include <gtest/gtest.h>

#include <array>

namespace az::fakes {
namespace {

TEST(ProtocolModel, IsClean) {
  for (const ModelOptions& options : {
           ModelOptions{.blocks = 1, .runners = 1, .worker_crashes = 2, .server_crashes = 2},
           ModelOptions{.blocks = 2, .runners = 1, .worker_crashes = 1, .server_crashes = 1},
           ModelOptions{.blocks = 1, .runners = 2, .worker_crashes = 1, .server_crashes = 1},
           ModelOptions{.blocks = 2, .runners = 2, .worker_crashes = 1, .server_crashes = 0},
           ModelOptions{.blocks = 2, .runners = 2, .worker_crashes = 0, .server_crashes = 1},
       }) {
    const ModelVerdict verdict = CheckModel(options);
    EXPECT_EQ(verdict.fault, "") << options.blocks << " blocks, " << options.runners << " runners";
    EXPECT_GT(verdict.states, 1'000u);
    RecordProperty("states_" + std::to_string(options.blocks) + "_" +
                       std::to_string(options.server_crashes) + "_" +
                       std::to_string(options.runners),
                   static_cast<int>(verdict.states));
  }
}

// A model that finds no mistake proves nothing.
TEST(ProtocolModel, CatchesEveryMutant) {
  for (const Mutant mutant :
       {Mutant::kPrivateFutex, Mutant::kWorkerNoSecondLook, Mutant::kServerNoSecondLook,
        Mutant::kRingBeforeState, Mutant::kRestartRingsNoLane, Mutant::kSuccessorDoesNotRing,
        Mutant::kNoRequeue, Mutant::kSuccessorFreesAll, Mutant::kDoneBeforeOutputs}) {
    // Some show with one block only: with two, the next submission repairs what the last one broke.
    const ModelVerdict one = CheckModel({.blocks = 1, .mutant = mutant});
    const ModelVerdict two = CheckModel({.blocks = 2, .mutant = mutant});
    EXPECT_NE(one.fault + two.fault, "")
        << "mutant " << static_cast<int>(mutant) << " lived through " << one.states + two.states
        << " states";
  }
}

}  // namespace
}  // namespace az::fakes
