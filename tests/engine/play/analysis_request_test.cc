#include "engine/play/analysis_request.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"

namespace az {
namespace {

std::string FaultOf(const std::string& line) {
  const AnalysisLine read = ParseAnalysisLine(line);
  return read.request ? "" : read.request.error().message;
}

TEST(AnalysisRequest, ReadsEveryField) {
  const AnalysisLine read = ParseAnalysisLine(
      R"({"id":"a\u00e9","game":"hex","board_size":5,"moves":["c3","a1"],"sims":200,)"
      R"("player":"runs/x","seed":7,"komi":6.5})");
  ASSERT_TRUE(read.request) << read.request.error().message;
  EXPECT_EQ(read.id, "\"a\xc3\xa9\"");
  EXPECT_EQ(read.request->game, "hex");
  EXPECT_EQ(read.request->board_size, 5);
  EXPECT_EQ(read.request->moves, (std::vector<std::string>{"c3", "a1"}));
  EXPECT_EQ(read.request->simulations, 200);
  EXPECT_EQ(read.request->player, "runs/x");
  EXPECT_EQ(read.request->seed, 7u);
  EXPECT_EQ(read.request->komi, 6.5);
}

TEST(AnalysisRequest, LeavesOutWhatMayBeLeftOut) {
  const AnalysisLine read = ParseAnalysisLine(R"({"id":17,"moves":[]})");
  ASSERT_TRUE(read.request);
  EXPECT_EQ(read.id, "17");
  EXPECT_FALSE(read.request->simulations.has_value());
}

TEST(AnalysisRequest, NamesTheFaultAndTheField) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"hello", "the line is no JSON"},
      {"[1]", "the line is no JSON object"},
      {"{\"moves\":[]}", "field 'id' is missing"},
      {R"({"id":null,"moves":[]})", "field 'id' is null, not a text or an integer"},
      {R"({"id":1.5,"moves":[]})", "field 'id' is 1.5"},
      {R"({"id":1})", "field 'moves' is missing"},
      {R"({"id":1,"moves":"c3"})", "field 'moves' is \"c3\", not a list"},
      {R"({"id":1,"moves":[3]})", "field 'moves' is 3, not a move as text"},
      {R"({"id":1,"moves":[],"sims":0})", "field 'sims' is 0, not an integer from 1 to 100000"},
      {R"({"id":1,"moves":[],"sims":1e3})", "field 'sims' is 1000.0"},
      {R"({"id":1,"moves":[],"sims":18446744073709551615})", "not an integer from 1"},
      {R"({"id":1,"moves":[],"simms":5})", "did you mean 'sims'?"},
      {R"({"id":1,"moves":[],"seed":-1})", "field 'seed' is -1"},
      {R"({"id":1,"moves":[],"board_size":99})", "field 'board_size' is 99"},
      {R"({"id":1,"moves":[],"player":5})", "field 'player' is 5, not a text"},
      {R"({"id":1,"moves":[],"komi":"6"})", "field 'komi' is \"6\", not a number"},
      {std::string(1000, '['), "nested too deep"},
      {std::string(kMaxRequestBytes + 1, 'x'), "more than 1048576 bytes"},
      {R"({"id":")" + std::string(300, 'x') + R"(","moves":[]})", "field 'id' has 302 bytes"},
  };
  for (const auto& [line, fault] : cases) {
    EXPECT_NE(FaultOf(line).find(fault), std::string::npos) << line.substr(0, 80) << "\n"
                                                            << FaultOf(line);
    EXPECT_LT(FaultOf(line).size(), 300u);
  }
}

TEST(AnalysisRequest, KeepsTheIdOfABadRequest) {
  EXPECT_EQ(ParseAnalysisLine(R"({"id":"x","moves":5})").id, "\"x\"");
  EXPECT_EQ(ParseAnalysisLine("junk").id, "null");
}

TEST(AnalysisRequest, SurvivesJunk) {
  const std::string good = R"({"id":"a","game":"hex","moves":["c3"],"sims":200})";
  Rng rng(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string line = good;
    for (std::uint64_t k = rng.Below(6); k > 0; --k) {
      line[rng.Below(line.size())] = static_cast<char>(rng.Below(256));
    }
    line.resize(rng.Below(line.size() + 1));
    const AnalysisLine read = ParseAnalysisLine(line);
    EXPECT_TRUE(read.request || !read.request.error().message.empty());
  }
}

}  // namespace
}  // namespace az
