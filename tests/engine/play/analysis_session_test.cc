#include "engine/play/analysis_session.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/strings.h"
#include "engine/play/plain_thinkers.h"
#include "games/registry.h"
#include "tests/engine/play/hash_evaluator.h"
#include "tests/engine/play/positions.h"

namespace az {
namespace {

using Json = nlohmann::json;

const SteadyClock kClock;

// A pool a game, over networks of hashes; the player "slow" takes one position at a time.
class FakePools final : public PoolSource {
 public:
  Result<OpenPool> PoolFor(const AnalysisRequest& request) override {
    if (request.player == "busy" && !busy_is_over) return Error{Errc::kBusy, "full"};
    AZ_ASSIGN_OR_RETURN(const GameOps* game, FindGame(request.game, request.board_size));
    const std::string key = request.player + game->info().entry;
    if (!pools_.contains(key)) {
      evaluators_.push_back(std::make_unique<testing::HashEvaluator>(game->info()));
      pools_[key] =
          request.player == "slow"
              ? MakeThinkerPool(MakeRolloutThinker(*game, {}, kClock))
              : MakeSearchPool(
                    *game,
                    {.search = {}, .slots = 8, .evaluator = *evaluators_.back(), .clock = kClock});
    }
    return OpenPool{game, pools_[key].get(), 30};
  }
  std::vector<PositionPool*> Pools() override {
    std::vector<PositionPool*> pools;
    for (const auto& [key, pool] : pools_) pools.push_back(pool.get());
    return pools;
  }
  bool busy_is_over = false;

 private:
  std::vector<std::unique_ptr<testing::HashEvaluator>> evaluators_;
  std::map<std::string, std::unique_ptr<PositionPool>> pools_;
};

std::vector<Json> Answers(AnalysisSession& session) {
  std::string output;
  while (!session.is_idle()) {
    EXPECT_TRUE(session.Run(Deadline::In(std::chrono::milliseconds(5))));
    output += session.TakeOutput();
  }
  std::vector<Json> answers;
  for (const std::string_view line : Split(output, '\n')) {
    if (!line.empty()) answers.push_back(Json::parse(line));
  }
  return answers;
}

TEST(AnalysisSession, AnswersInTheOrderOfTheRequests) {
  FakePools pools;
  AnalysisSession session(pools);
  Rng rng(3);
  std::vector<int> sims;
  for (int i = 0; i < 300; ++i) {
    const bool slow = i % 50 == 0;
    sims.push_back(1 + static_cast<int>(rng.Below(slow ? 2000 : 40)));
    session.AddLine(Json{
        {"id", i},
        {"game", i % 3 == 0 ? "hex" : "connect_four"},
        {"player", slow ? "slow" : ""},
        {"moves", Json::array()},
        {"sims",
         sims.back()}}.dump());
  }
  const std::vector<Json> answers = Answers(session);
  ASSERT_EQ(answers.size(), 300u);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i]["id"], i);
    EXPECT_EQ(answers[i]["simulations"], sims[i]);
  }
}

TEST(AnalysisSession, SaysWhatTheSearchFound) {
  FakePools pools;
  AnalysisSession session(pools);
  session.AddLine(R"({"id":"x","game":"tic_tac_toe","moves":["a3","a2","b3","b2"],"sims":60})");
  const Json answer = Answers(session).at(0);
  EXPECT_EQ(answer["id"], "x");
  EXPECT_EQ(answer["best"], "c3");
  EXPECT_EQ(answer["value"], 1);
  EXPECT_EQ(answer["proven"], 1);
  EXPECT_EQ(answer["pv"], Json({"c3"}));
  EXPECT_EQ(answer["raw"]["policy"].size(), 5u);
  double policy = 0;
  for (const auto& [move, share] : answer["policy"].items()) policy += share.get<double>();
  EXPECT_NEAR(policy, 1.0, 1e-5);
  EXPECT_GT(answer["moves"][0]["visits"], 0);
}

TEST(AnalysisSession, FaultsAreOfTheirLineAlone) {
  FakePools pools;
  AnalysisSession session(pools);
  const std::vector<std::string> lines = {
      "\xff\xfe junk",
      "",
      R"({"id":1,"game":"hex5","moves":["c3"]})",
      R"({"id":2,"game":"chess","moves":[]})",
      R"({"id":3,"game":"hex5","moves":["c3","c3"]})",
      R"({"id":4,"game":"hex5","moves":["\u00ff"]})",
      R"({"id":5,"game":"tic_tac_toe","moves":["a3","a2","b3","b2","c3"]})",
      R"({"id":6,"game":"tic_tac_toe","moves":["a3","a2","b3","b2","c3","c1"]})",
      R"({"id":7,"game":"hex5","komi":6.5,"moves":[]})",
      R"({"id":8,"game":"go5","komi":6.5,"moves":[]})"};
  for (const std::string& line : lines) session.AddLine(line);
  const std::vector<Json> answers = Answers(session);
  ASSERT_EQ(answers.size(), 9u) << "a blank line has no answer";
  const auto error = [&](std::size_t i) { return answers[i].value("error", ""); };
  EXPECT_EQ(answers[0]["id"], nullptr);
  EXPECT_EQ(error(0), "the line is no JSON");
  EXPECT_EQ(answers[1]["id"], 1);
  EXPECT_TRUE(answers[1].contains("best"));
  EXPECT_NE(error(2).find("chess"), std::string::npos);
  EXPECT_EQ(error(3).find("move 2: move 'c3' is not legal in hex5"), 0u);
  EXPECT_EQ(error(4).find("move 1:"), 0u);
  EXPECT_NE(error(5).find("the game is over after these 5 moves"), std::string::npos);
  EXPECT_NE(error(6).find("move 6:"), std::string::npos);
  EXPECT_NE(error(7).find("komi"), std::string::npos);
  EXPECT_TRUE(answers[8].contains("best"));
}

TEST(AnalysisSession, HoldsABoundedNumberOfLines) {
  FakePools pools;
  AnalysisSession session(pools);
  const std::string line = R"({"id":0,"game":"hex5","player":"busy","moves":[]})";
  while (session.HasRoom()) session.AddLine(line);
  ASSERT_TRUE(session.Run(Deadline::In(Duration::zero())));
  EXPECT_FALSE(session.HasRoom());
  EXPECT_EQ(session.TakeOutput(), "");
  pools.busy_is_over = true;
  EXPECT_EQ(Answers(session).size(), AnalysisSession::kMostPending);
  EXPECT_TRUE(session.HasRoom());
}

}  // namespace
}  // namespace az
