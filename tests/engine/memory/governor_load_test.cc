// What the Governor gives up for weights that the device has no room for.

#include <tuple>

#include "scheduler/ladder.h"
#include "tests/engine/memory/governor_fixture.h"

namespace az {
namespace {

Error Refused() {
  return {
      Errc::kNoMemory,
      "publish iter_000003: CPU out of memory: tried to allocate 4 MiB; 100 MiB is allocated, 1 "
      "MiB is cached, 512 KiB is left below the cap of 101.5 MiB"};
}

class GovernorLoadTest : public GovernorTest {
 protected:
  // The device has room for weights beside batches of at most so many rows.
  void HasRoomBeside(int bucket, int runners = 1024) {
    fleet_.on_load = [this, bucket, runners]() -> Result<void> {
      const Plan& plan = governor_->plan();
      if (plan.buckets.back() <= bucket && plan.runners <= runners) return {};
      return Refused();
    };
  }
  // What an error must name: the budget and one slot's weights, in whole MiB.
  std::string Least(Bytes budget, const std::vector<PhaseBill>& bills, PlanPhase phase,
                    std::string_view term) const {
    for (const PhaseBill& bill : bills) {
      if (bill.phase != phase) continue;
      const auto found = std::ranges::find(bill.terms, term, &BillTerm::name);
      if (found == bill.terms.end() || found->bytes == Bytes()) break;
      const Bytes least = budget + found->bytes;
      return StrCat("the least that would do is ", (least + MiB(1) - Bytes(1)) / MiB(1), " MiB");
    }
    ADD_FAILURE() << "no bill has " << term;
    return "";
  }
  int Loads() const {
    return static_cast<int>(std::ranges::count(fleet_.calls, std::string("load 1 v7")));
  }
};

TEST_F(GovernorLoadTest, WeightsThatFitCostNothing) {
  ASSERT_TRUE(governor_->Load(1, "iter_000003", 7));
  EXPECT_EQ(Loads(), 1);
  EXPECT_TRUE(fleet_.plans.empty());
  EXPECT_EQ(state_, MemoryState{});
}

TEST_F(GovernorLoadTest, SmallerBatchesMakeRoomForWeights) {
  const int largest = governor_->plan().buckets.back();
  ASSERT_GE(largest, 32);
  HasRoomBeside(largest / 4);
  ASSERT_TRUE(governor_->Load(1, "iter_000003", 7));
  EXPECT_EQ(Loads(), 3);
  ASSERT_EQ(fleet_.plans.size(), 2u);
  EXPECT_EQ(fleet_.plans[0].buckets.back(), largest / 2);
  EXPECT_EQ(fleet_.plans[1].buckets.back(), largest / 4);
  EXPECT_EQ(state_.rungs(), (RungsTaken{.train = 0, .inference = 2, .host = 0}));
  EXPECT_EQ(state_.failed.size(), 2u);
  const std::vector<Json> ooms = Lines("event", "oom");
  ASSERT_EQ(ooms.size(), 2u);
  EXPECT_EQ(ooms[0].at("where"), "load");
  EXPECT_EQ(ooms[0].at("text"), Refused().message);
  EXPECT_EQ(ooms[0].at("requested_bytes"), MiB(4).count());
  EXPECT_EQ(ooms[0].at("below_cap_bytes"), KiB(512).count());
  EXPECT_EQ(ooms[0].at("cause"), "too_large");
  const Json plan = Json::parse(ReadFile(folder_ + "/plan.json").value());
  EXPECT_EQ(plan.at("plan").at("buckets").back(), largest / 4);
}

TEST_F(GovernorLoadTest, ARungForALoadIsClimbedBack) {
  const int largest = governor_->plan().buckets.back();
  HasRoomBeside(largest / 2);
  ASSERT_TRUE(governor_->Load(1, "iter_000003", 7));
  fleet_.on_load = {};  // a co-tenant has left
  for (int iteration = 0; iteration < 3; ++iteration) Iteration();
  EXPECT_EQ(state_.inference.rungs, 0);
  EXPECT_EQ(governor_->plan().buckets.back(), largest);
}

// What the workers gave does not make the smallest batches clean.
TEST_F(GovernorLoadTest, AnIterationWhereWorkersGaveRamIsNotCleanForInference) {
  input_.wishes.cache = MiB(64);
  input_.wishes.memory.climb_after = 1;
  Make();
  HasRoomBeside(8, 1);
  ASSERT_TRUE(governor_->Load(1, "iter_000003", 7));
  const int rungs = state_.inference.rungs;
  const Bytes cache = governor_->plan().cache;
  ASSERT_TRUE(governor_->EndIteration(Bytes()));  // that of the rungs
  ASSERT_EQ(state_.inference.rungs, rungs);
  fleet_.on_load = [&]() -> Result<void> {
    if (governor_->plan().cache < cache) return {};
    return Refused();
  };
  ASSERT_TRUE(governor_->Load(1, "iter_000003", 7));
  ASSERT_GE(state_.host.rungs, 1);
  ASSERT_TRUE(governor_->EndIteration(Bytes()));
  EXPECT_EQ(state_.inference.rungs, rungs);
}

TEST_F(GovernorLoadTest, BelowTheSmallestBatchFewerOfThemAtATime) {
  ASSERT_EQ(governor_->plan().runners, 2);
  HasRoomBeside(8, 1);
  ASSERT_TRUE(governor_->Load(1, "iter_000003", 7));
  EXPECT_EQ(governor_->plan().buckets.back(), 8);
  EXPECT_EQ(governor_->plan().runners, 1);
}

TEST_F(GovernorLoadTest, BelowTheLeastInferenceWorkersGiveRam) {
  input_.wishes.cache = MiB(64);
  Make();
  fleet_.on_load = [this]() -> Result<void> {
    if (governor_->plan().cache <= MiB(16)) return {};
    return Refused();
  };
  const Bytes cap = governor_->plan().allocator_cap;
  ASSERT_TRUE(governor_->Load(1, "iter_000003", 7));
  EXPECT_EQ(governor_->plan().buckets.back(), 8);
  EXPECT_EQ(governor_->plan().runners, 1);
  EXPECT_EQ(governor_->plan().cache, MiB(16));
  EXPECT_EQ(state_.host.rungs, 2);
  EXPECT_GE(governor_->plan().allocator_cap, cap + MiB(48)) << "a worker's cache, at least";
  EXPECT_EQ(Lines("event", "oom").back().at("rung"), "less for workers");
}

TEST_F(GovernorLoadTest, WhenNothingIsLeftTheErrorSaysWhatWouldDo) {
  fleet_.on_load = [] { return Result<void>(Refused()); };
  const Result<void> loaded = governor_->Load(1, "iter_000003", 7);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Errc::kNoMemory);
  const std::string& message = loaded.error().message;
  EXPECT_NE(message.find(Refused().message), std::string::npos) << message;
  EXPECT_NE(message.find("batches of 8 rows, 1 at a time, are the least"), std::string::npos)
      << message;
  const Plan& plan = governor_->plan();
  const std::string least =
      Least(plan.ram_budget, plan.ram, PlanPhase::kPublish, "weights being loaded");
  EXPECT_EQ(least.find(" 2048 MiB"), std::string::npos) << "that is the budget";
  EXPECT_NE(message.find(least), std::string::npos) << message;
  EXPECT_NE(message.find("memory.ram_budget"), std::string::npos) << message;
  // 128, 64, 32, 16, 8 rows, then one batch at a time: each was tried once. There are no caches, so
  // what workers can give waits for the next start.
  EXPECT_EQ(Loads(), static_cast<int>(fleet_.plans.size()) + 1);
  EXPECT_EQ(state_.host.rungs, 1);
}

// A device that cannot even be started again for a plan: one rung of the host is for the next
// start.
TEST_F(GovernorLoadTest, ADeviceThatFollowsNoPlanLeavesOneRungForTheNextStart) {
  fleet_.on_load = [] { return Result<void>(Refused()); };
  fleet_.on_apply = [this] { fleet_.applied = Refused(); };
  EXPECT_EQ(governor_->Load(1, "iter_000003", 7).error().code, Errc::kNoMemory);
  EXPECT_EQ(governor_->plan().buckets.back(), 8);
  EXPECT_EQ(state_.host.rungs, 1);
}

TEST_F(GovernorLoadTest, OtherErrorsOfALoadAreNoRung) {
  fleet_.on_load = [] { return Result<void>(Error{Errc::kCorrupt, "bad checksum"}); };
  EXPECT_EQ(governor_->Load(1, "iter_000003", 7).error().code, Errc::kCorrupt);
  EXPECT_EQ(Loads(), 1);
  EXPECT_EQ(state_, MemoryState{});
}

// The plan takes effect by a device process that is started again; its slots may not fit either.
TEST_F(GovernorLoadTest, ADeviceThatCannotFollowAPlanGetsASmallerOne) {
  const int largest = governor_->plan().buckets.back();
  HasRoomBeside(largest / 2);
  fleet_.applied = Refused();
  ASSERT_TRUE(governor_->Load(1, "iter_000003", 7));
  ASSERT_EQ(fleet_.plans.size(), 2u);
  EXPECT_EQ(fleet_.plans[1].buckets.back(), largest / 4);
  EXPECT_EQ(state_.inference.rungs, 2);
  EXPECT_EQ(governor_->plan().buckets.back(), largest / 4);
}

// On the processor beside a GPU what is short is RAM: the workers give some, inference on the GPU
// stays as it is.
TEST_F(GovernorLoadTest, BesideAGpuTheArenaTakesItsRoomFromTheWorkers) {
  input_.wishes.arena_mode = ArenaMode::kCpu;
  ToGpu();
  ASSERT_TRUE(governor_->plan().on_cpu.arena);
  const std::vector<int> buckets = governor_->plan().buckets;
  const Bytes cache = governor_->plan().cache;
  fleet_.placed = Refused();
  ASSERT_TRUE(governor_->Prepare(PlanPhase::kArena));
  EXPECT_EQ(fleet_.calls.front(), "place arena");
  EXPECT_EQ(state_.rungs(), (RungsTaken{.train = 0, .inference = 0, .host = 1}));
  EXPECT_LT(governor_->plan().cache, cache);
  governor_->BeginPhase(PlanPhase::kArena, "arena", 0);
  fleet_.ooms = {{.where = "inference", .rung = "smaller", .largest_bucket = 8}};
  fleet_.use.gpu_share = {.source = GpuShare::Source::kListed, .bytes = Bytes()};
  fleet_.use.layers.reserved_bytes = MiB(45).count();  // of the RAM's heap
  ASSERT_TRUE(governor_->EndPhase());
  const Json gpu = Lines("kind", "memory").at(0).at("gpu");
  EXPECT_EQ(gpu.at("serves"), false);
  EXPECT_TRUE(gpu.at("context_bytes").is_null()) << gpu.at("context_bytes");
  EXPECT_EQ(state_.rungs(), (RungsTaken{.train = 0, .inference = 0, .host = 2}));
  EXPECT_EQ(governor_->plan().buckets, buckets);
}

// By these a busy server is told of: those of the other process would show more than all of it.
TEST_F(GovernorLoadTest, TheRunnersAreThoseOfTheProcessThatServes) {
  input_.device.cores = 8;
  input_.wishes.arena_mode = ArenaMode::kCpu;
  ToGpu();
  const Plan& plan = governor_->plan();
  ASSERT_NE(plan.on_cpu.runners, plan.runners) << "the test could not tell";
  ASSERT_TRUE(governor_->Prepare(PlanPhase::kArena));
  EXPECT_EQ(governor_->runners(), plan.on_cpu.runners);
  ASSERT_TRUE(governor_->Prepare(PlanPhase::kSelfPlay));
  EXPECT_EQ(governor_->runners(), plan.runners);
}

TEST_F(GovernorLoadTest, BesideAGpuTheErrorIsOfTheProcessorsProcess) {
  input_.wishes.arena_mode = ArenaMode::kCpu;
  ToGpu();
  ASSERT_TRUE(governor_->Prepare(PlanPhase::kArena));
  fleet_.on_load = [] { return Result<void>(Refused()); };
  const Result<void> loaded = governor_->Load(1, "iter_000003", 7);
  ASSERT_FALSE(loaded);
  const std::string& message = loaded.error().message;
  const Plan& plan = governor_->plan();
  ASSERT_NE(plan.on_cpu.buckets.back(), plan.buckets.back()) << "the test could not tell";
  EXPECT_NE(message.find(StrCat("batches of ", plan.on_cpu.buckets.back(), " rows, ",
                                plan.on_cpu.runners, " at a time, on the processor")),
            std::string::npos)
      << message;
  const std::string least =
      Least(plan.ram_budget, plan.ram, PlanPhase::kArena, "weights candidate");
  EXPECT_NE(message.find(least), std::string::npos) << message;
  EXPECT_NE(message.find("memory.ram_budget"), std::string::npos) << message;
}

TEST_F(GovernorLoadTest, OnAGpuGraphsGoFirst) {
  ToGpu();
  ASSERT_TRUE(governor_->plan().cuda_graphs);
  const int largest = governor_->plan().buckets.back();
  HasRoomBeside(largest / 2);
  ASSERT_TRUE(governor_->Load(1, "iter_000003", 7));
  EXPECT_LE(governor_->plan().buckets.back(), largest / 2);
  EXPECT_GT(state_.inference.rungs, 0);
}

// The device was started again in the middle of a training, and has no room for its slots.
TEST_F(GovernorLoadTest, WeightsRefusedInTrainingTakeRoomFromBatches) {
  const Plan before = governor_->plan();
  int trainings = 0;
  fleet_.lacks_weights = true;
  const Result<TrainedMessage> trained = governor_->Train([&]() -> Result<TrainedMessage> {
    ++trainings;
    if (governor_->plan().buckets.back() > before.buckets.back() / 4) return Refused();
    return TrainedMessage{};
  });
  ASSERT_TRUE(trained) << trained.error().message;
  EXPECT_EQ(trainings, 3);
  EXPECT_EQ(state_.rungs(), (RungsTaken{.inference = 2}));
  EXPECT_EQ(governor_->plan().micro_batch, before.micro_batch);
  EXPECT_EQ(Lines("event", "oom").at(0).at("where"), "load");
}

// Who reads of it looks at batches, or at checkpoints.
TEST_F(GovernorLoadTest, ABatchWithoutRoomIsToldAsOne) {
  for (const auto& [lacked, where, why] :
       {std::tuple(NoRoomFor::kBatch, "inference", "the smallest batch did not fit"),
        std::tuple(NoRoomFor::kWeights, "load", "weights did not fit")}) {
    fleet_.lacked_room = lacked;
    bool is_refused = true;
    ASSERT_TRUE(governor_->Play([&]() -> Result<void> {
      if (std::exchange(is_refused, false)) return Refused();
      return {};
    }));
    EXPECT_EQ(Lines("event", "oom").back().at("where"), where);
    const auto text = Lines("event", "planned_again").back().at("text").get<std::string>();
    EXPECT_TRUE(text.starts_with(why)) << text;
  }
  EXPECT_EQ(state_.rungs(), (RungsTaken{.inference = 2}));
}

TEST_F(GovernorLoadTest, ABoundaryWhereWeightsAreRefusedIsOneAllTheSame) {
  governor_->BeginPhase(PlanPhase::kSelfPlay, "self_play", 0);
  fleet_.released_first = Refused();
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.rungs(), (RungsTaken{.inference = 1}));
  EXPECT_EQ(std::ranges::count(fleet_.calls, std::string("release")), 2);
}

Result<TrainedMessage> TrainingRefused() {
  return Error{Errc::kNoMemory, "train: tried to allocate 9 MiB"};
}

TEST_F(GovernorLoadTest, TrainingThatHasNothingLeftGetsALowerPlan) {
  input_.device.cores = 8;
  input_.wishes.batch = 2048;
  Make();
  const Plan before = governor_->plan();
  ASSERT_GT(before.learner_shards, 1);
  // The device's own ladder: smaller micro-batches and checkpointing, but not fewer shards.
  fleet_.ooms = {{.where = "train", .rung = "halved", .micro_batch = 8, .checkpoint_blocks = 1}};
  const Result<TrainedMessage> trained = governor_->Train([&]() -> Result<TrainedMessage> {
    if (governor_->plan().learner_shards == before.learner_shards) return TrainingRefused();
    return TrainedMessage{};
  });
  ASSERT_TRUE(trained) << trained.error().message;
  EXPECT_LT(governor_->plan().learner_shards, before.learner_shards);
  EXPECT_EQ(governor_->plan().buckets, before.buckets);
  EXPECT_EQ(state_.train.rungs, 2);
  EXPECT_EQ(fleet_.plans.size(), 1u);
}

TEST_F(GovernorLoadTest, TrainingThatNoSizeOfTheGpuServesGoesToTheProcessor) {
  ToGpu();
  int trainings = 0;
  const auto train = [&]() -> Result<TrainedMessage> {
    ++trainings;
    if (!governor_->plan().on_cpu.train) return TrainingRefused();
    return TrainedMessage{};
  };
  ASSERT_TRUE(governor_->Prepare(PlanPhase::kTrain));
  ASSERT_TRUE(governor_->Train(train));
  EXPECT_TRUE(governor_->plan().on_cpu.train);
  EXPECT_FALSE(governor_->plan().on_cpu.arena);
  EXPECT_EQ(trainings, static_cast<int>(fleet_.plans.size()) + 1);
  EXPECT_EQ(state_.train.rungs, trainings - 1);
  EXPECT_LT(trainings, 16);
}

Result<TrainedMessage> TrainingKilled() {
  return Error{Errc::kNoMemory, "train iteration 7: the device process died 3 times in it"};
}

// Smaller steps on the GPU free none of it, and on the processor training would take more.
TEST_F(GovernorLoadTest, ATrainingThatTheKernelKillsBesideAGpuTakesRamFromTheWorkersAlone) {
  ToGpu();
  const Bytes cache = governor_->plan().cache;
  fleet_.lacked_room = NoRoomFor::kProcess;
  ASSERT_TRUE(governor_->Prepare(PlanPhase::kTrain));
  governor_->BeginPhase(PlanPhase::kTrain, "train", 0);
  const Result<TrainedMessage> trained = governor_->Train([&]() -> Result<TrainedMessage> {
    fleet_.kernel_kills = 3;
    if (governor_->plan().cache > cache / 4) return TrainingKilled();
    fleet_.kernel_kills = 0;
    return TrainedMessage{};
  });
  ASSERT_TRUE(trained) << trained.error().message;
  ASSERT_TRUE(governor_->EndPhase());
  EXPECT_EQ(state_.rungs(), (RungsTaken{.host = 2}));
  EXPECT_TRUE(state_.failed.empty());
  EXPECT_FALSE(governor_->plan().on_cpu.train);
  EXPECT_EQ(Lines("event", "oom").back().at("rung"), "less for workers");
}

TEST_F(GovernorLoadTest, WhenRamIsShortBesideAGpuAndNothingIsLeftTheErrorIsOfRam) {
  ToGpu();
  fleet_.lacked_room = NoRoomFor::kProcess;
  ASSERT_TRUE(governor_->Prepare(PlanPhase::kTrain));
  const Result<TrainedMessage> trained = governor_->Train([] { return TrainingKilled(); });
  ASSERT_FALSE(trained);
  const std::string& message = trained.error().message;
  EXPECT_EQ(trained.error().code, Errc::kNoMemory);
  EXPECT_NE(message.find("memory.ram_budget"), std::string::npos) << message;
  EXPECT_NE(message.find("until the next start"), std::string::npos) << message;
  EXPECT_EQ(message.find("memory.vram_budget"), std::string::npos) << message;
  EXPECT_EQ(governor_->plan().cache, MiB(1));
  EXPECT_EQ(state_.train.rungs, 0);
}

// There the networks are RAM themselves.
TEST_F(GovernorLoadTest, OnTheProcessorATrainingThatTheKernelKillsTakesASmallerStep) {
  fleet_.lacked_room = NoRoomFor::kProcess;
  ASSERT_TRUE(governor_->Train([&]() -> Result<TrainedMessage> {
    if (state_.train.rungs == 0) return TrainingKilled();
    return TrainedMessage{};
  }));
  EXPECT_EQ(state_.rungs(), (RungsTaken{.train = 1}));
}

TEST_F(GovernorLoadTest, WhenTrainingHasNothingLeftInAnyPlanTheErrorSaysSo) {
  input_.wishes.cache = MiB(64);
  Make();
  const Bytes cache = governor_->plan().cache;
  const Result<TrainedMessage> trained = governor_->Train([] { return TrainingRefused(); });
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code, Errc::kNoMemory);
  const std::string& message = trained.error().message;
  EXPECT_NE(message.find("tried to allocate 9 MiB"), std::string::npos) << message;
  EXPECT_NE(message.find("rows are the least already"), std::string::npos) << message;
  EXPECT_NE(message.find("memory.ram_budget"), std::string::npos) << message;
  EXPECT_GT(state_.host.rungs, 0) << "what workers keep was given up too";
  EXPECT_LT(governor_->plan().cache, cache);
}

}  // namespace
}  // namespace az
