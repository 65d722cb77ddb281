#include "engine/loop/panel_players.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/strings.h"
#include "base/temp_folder.h"
#include "engine/config/plan_request.h"
#include "games/registry.h"
#include "scheduler/worker_bytes.h"
#include "tests/support/weights_text.h"

namespace az {
namespace {

RunConfig ConfigOf(std::string panel) {
  RunConfig config;
  config.game = {.name = "tic_tac_toe", .board_size = std::nullopt};
  config.arena.visits = 40;
  config.arena.final_mcts_visits = 70;
  config.arena.final_games = 0;
  config.arena.panel = std::move(panel);
  return config;
}

Error Refusal(std::string panel) {
  const Result<Panel> read = ReadPanel(ConfigOf(std::move(panel)));
  EXPECT_FALSE(read);
  return read ? Error{} : read.error();
}

std::string WriteWeights(const TempFolder& folder, std::string_view name, std::string_view entry,
                         int filters) {
  const GameInfo& game = (*FindGame(entry))->info();
  NetOptions net = RunConfig().net;
  net.num_filters = filters;
  const std::string path = (folder.path() / name).string();
  EXPECT_TRUE(WriteFileAtomic(
      path, WeightsText(MetadataOf(
                {.shape = NetShapeFor(net, game), .game = game.entry, .game_hash = game.Hash()}))));
  return path;
}

TEST(PanelPlayers, HaveARoleAndTheSimulationsOfTheConfig) {
  const Result<Panel> panel = ReadPanel(
      ConfigOf("first, earlier?sims=9, best?c_puct=3, random, mcts, mcts:sims=5, solver"));
  ASSERT_TRUE(panel) << panel.error().message;
  std::vector<std::string> read;
  for (const PanelPlayer& player : panel->players) {
    read.push_back(
        StrCat(static_cast<int>(player.role), " ", ToString(player.spec), " ", player.settings));
  }
  EXPECT_EQ(read,
            (std::vector<std::string>{"1 first?sims=40 ", "2 earlier?sims=9 ?sims=9",
                                      "0 best?sims=40&c_puct=3 ?c_puct=3", "3 random ",
                                      "3 mcts:sims=70 ", "3 mcts:sims=5 ?sims=5", "3 solver "}));
  EXPECT_TRUE(ReadPanel(ConfigOf("none"))->players.empty());
}

TEST(PanelPlayers, ArePlannedFor) {
  const RunConfig config = ConfigOf("mcts:sims=5000,first?sims=3000");
  const PlanInput before = PlanInputFor(config, (*FindGame("tic_tac_toe"))->info(), DeviceFacts());
  PlanInput input = before;
  AddNeeds(ReadPanel(config)->needs, input);
  EXPECT_EQ(before.wishes.rollout_visits, 0);
  EXPECT_EQ(input.wishes.rollout_visits, 5000);
  EXPECT_GT(input.wishes.arena_visits, 2999);
  EXPECT_TRUE(input.match_nets.empty());
  input = before;
  AddNeeds(ReadPanel(ConfigOf("random,solver"))->needs, input);
  EXPECT_EQ(input.wishes.rollout_visits, 0);
  EXPECT_EQ(input.wishes.arena_visits, before.wishes.arena_visits);
}

// A match by time has one game a worker, so its trees are not of every slot.
TEST(PanelPlayers, ByTimeArePlannedForOnceAWorker) {
  const RunConfig config = ConfigOf("best?seconds=1,first?sims=90");
  PlanInput input = PlanInputFor(config, (*FindGame("tic_tac_toe"))->info(), DeviceFacts());
  AddNeeds(ReadPanel(config)->needs, input);
  EXPECT_EQ(input.wishes.timed_tree, kTimedTree);
  EXPECT_LE(input.wishes.arena_visits, config.search.MostVisits(90, SearchMode::kPlay));
  Plan plan;
  plan.slots = 1;
  const Bytes one = WorkerBytes(input, plan);
  EXPECT_GT(one, kTimedTree * 2);
  plan.slots = 32;
  EXPECT_LT(WorkerBytes(input, plan), one + kTimedTree);
}

TEST(PanelPlayers, NetworksOfOtherSizesArePlannedForToo) {
  const TempFolder folder = TempFolder::Make("panel").value();
  const int own = RunConfig().net.num_filters;
  const std::string same = WriteWeights(folder, "same", "tic_tac_toe", own);
  const std::string wide = WriteWeights(folder, "wide", "tic_tac_toe", 2 * own);
  EXPECT_TRUE(ReadPanel(ConfigOf(same))->needs.nets.empty());
  const Result<Panel> panel = ReadPanel(ConfigOf(same + "," + wide));
  ASSERT_TRUE(panel) << panel.error().message;
  ASSERT_EQ(panel->needs.nets.size(), 1u);
  EXPECT_EQ(panel->needs.nets[0].filters, 2 * own);
}

TEST(PanelPlayers, AreRefusedByNameWithTheKeyAndTheGrammar) {
  const TempFolder folder = TempFolder::Make("panel").value();
  const std::string hex = WriteWeights(folder, "hex", "hex5", 8);
  struct Case {
    std::string panel;
    Errc code;
    std::string_view part;
  };
  const Case cases[] = {
      {"first,bets", Errc::kNotFound, "player 'bets'"},
      {"best", Errc::kInvalid, "settings of its own"},
      {"mcts,mcts:sims=70", Errc::kInvalid, "'mcts:sims=70' comes twice"},
      {"mcts:sims=0", Errc::kInvalid, "sims = 0 is out of range"},
      {"random?sims=4", Errc::kInvalid, "means nothing to a random player"},
      {"gtp:", Errc::kInvalid, "no command"},
      {"first?seconds=1&root=gumbel", Errc::kInvalid, "a search by time needs sims"},
      {hex, Errc::kIncompatible, "plays hex5, the match is of tic_tac_toe"},
      {"earlier?sims=1,earlier?sims=2,earlier?sims=3,earlier?sims=4,earlier?sims=5,first,random",
       Errc::kInvalid, "more than 16 opponents"},
  };
  for (const Case& c : cases) {
    const Error error = Refusal(c.panel);
    EXPECT_EQ(error.code, c.code) << error.message;
    EXPECT_TRUE(error.message.starts_with("arena.panel = " + c.panel + ": ")) << error.message;
    EXPECT_NE(error.message.find(c.part), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("mcts:sims=1000, solver, gtp:COMMAND"), std::string::npos);
  }
  RunConfig go = ConfigOf("solver");
  go.game = {.name = "go", .board_size = 9};
  EXPECT_NE(ReadPanel(go).error().message.find("no solver for go9"), std::string::npos);
}

}  // namespace
}  // namespace az
