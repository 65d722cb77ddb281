#include "engine/apps/inspect_rules.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace az {
namespace {

using nlohmann::json;

std::string ErrorOf(std::string_view line) {
  const json answer = json::parse(AnswerRulesLine(line));
  EXPECT_FALSE(answer.contains("positions")) << answer;
  return answer.value("error", "");
}

TEST(InspectRules, TellsEveryPositionOfAGame) {
  EXPECT_EQ(AnswerRulesLine(R"({"id":7,"game":"tic_tac_toe","actions":[0,3,1,4,2]})"),
            R"({"id":7,"positions":[)"
            R"({"to_move":0,"legal":[0,1,2,3,4,5,6,7,8],"over":false,"result":null},)"
            R"({"to_move":1,"legal":[1,2,3,4,5,6,7,8],"over":false,"result":null},)"
            R"({"to_move":0,"legal":[1,2,4,5,6,7,8],"over":false,"result":null},)"
            R"({"to_move":1,"legal":[2,4,5,6,7,8],"over":false,"result":null},)"
            R"({"to_move":0,"legal":[2,5,6,7,8],"over":false,"result":null},)"
            R"({"to_move":1,"legal":[],"over":true,"result":1}]})");
}

TEST(InspectRules, MovesAreWhatAPersonWrites) {
  const json by_text = json::parse(AnswerRulesLine(R"({"game":"hex5","moves":["c3","b3","d1"]})"));
  // b3 of the second player is seen transposed: row 1, column 2.
  const json by_number = json::parse(AnswerRulesLine(R"({"game":"hex5","actions":[12,7,3]})"));
  EXPECT_EQ(by_text.at("positions"), by_number.at("positions"));
}

TEST(InspectRules, TellsMovesAndPlanesWhenWanted) {
  const json answer = json::parse(
      AnswerRulesLine(R"({"game":"connect_four","actions":[3],"want":["planes","moves"]})"));
  const json& last = answer.at("positions").at(1);
  EXPECT_EQ(last.at("moves"), json::parse(R"(["1","2","3","4","5","6","7"])"));
  EXPECT_EQ(last.at("planes"), json::parse(R"(["0000000000000000","0000000000000008"])"));
}

TEST(InspectRules, TakesKomi) {
  const auto result = [](std::string_view options) {
    const json answer = json::parse(
        AnswerRulesLine(std::string(R"({"game":"go5","moves":["pass","pass"],"options":)") +
                        std::string(options) + "}"));
    return answer.at("positions").at(2).at("result").get<int>();
  };
  EXPECT_EQ(result("{}"), -1);
  EXPECT_EQ(result(R"({"komi":0})"), 0);
  EXPECT_EQ(result(R"({"komi":-0.5})"), 1);
}

TEST(InspectRules, SaysWhatIsWrong) {
  const struct {
    std::string_view line;
    std::string_view error;
  } kCases[] = {
      {R"({"game":"hex5","actions":[12,7,3,7]})",
       "ply 3: action 7 is not legal in hex5 here; legal are 0 1 2 3 4 5 6 8 ..."},
      {R"({"game":"hex5","actions":[-1]})", "ply 0: an action is a whole number from 0 to 65535"},
      {R"({"game":"hex5","actions":[1.5]})", "ply 0: an action is a whole number from 0 to 65535"},
      {R"({"game":"hex5","actions":[1e99]})", "ply 0: an action is a whole number from 0 to 65535"},
      {R"({"game":"hex5","actions":["a1"]})", "ply 0: an action is a whole number from 0 to 65535"},
      {R"({"game":"hex5","moves":[1]})", "ply 0: a move is a text"},
      {R"({"game":"hex5","actions":7})", "\"actions\" is not a list"},
      {R"({"game":"hex5","actions":[],"moves":[]})", "give \"actions\" or \"moves\", not both"},
      {R"({"game":"hex5","options":{"komi":0.5}})", "game 'hex5' has no option komi"},
      {R"({"game":"go5","options":{"komi":"much"}})", "option \"komi\" is not a number"},
      {R"({"game":"go5","options":{"handicap":2}})", "unknown option \"handicap\" (there is komi)"},
      {R"({"game":"go5","options":[]})", "\"options\" is not an object"},
      {R"({"game":"hex5","want":["hash"]})", "\"want\" knows only \"moves\" and \"planes\""},
      {R"({"game":"hex5","wants":[]})",
       "unknown key \"wants\" (there are id, game, actions, moves, options and want)"},
      {R"({"game":5})", "\"game\" is not a text"},
      {R"({"id":1})", "\"game\" is missing"},
      {"", "the line is not JSON"},
      {"{", "the line is not JSON"},
      {"\xFF\x00{}", "the line is not JSON"},
      {"[]", "the line is not a JSON object"},
      {"7", "the line is not a JSON object"},
      {R"({"game":"hex5"} {"game":"hex5"})", "the line is not JSON"},
  };
  for (const auto& test : kCases) EXPECT_EQ(ErrorOf(test.line), test.error) << test.line;
  EXPECT_NE(ErrorOf(R"({"game":"chess"})").find("no game is called 'chess'"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"game":"hex5","moves":["zz"]})").find("ply 0: move 'zz' is not legal"),
            std::string::npos);
}

TEST(InspectRules, GivesTheIdBackAsItWas) {
  for (const std::string id : {"7", "\"a\"", "null", "[1,{}]"}) {
    const std::string rest = ",\"game\":\"nim\"}";
    EXPECT_EQ(json::parse(AnswerRulesLine("{\"id\":" + id + rest)).at("id"), json::parse(id));
  }
}

TEST(InspectRules, GoesOnAfterLinesThatAreTooLongOrMakeNoSense) {
  std::string actions = "0";
  while (actions.size() < (1u << 20)) actions += ",0";
  const std::vector<std::string> lines = {
      std::string(kMaxRulesLine + 1, ' '), std::string(1 << 20, '['),
      R"({"game":"hex5","actions":[)" + actions + "]}", R"({"game":"hex3"})"};
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  input.pop_back();  // the last line needs no line end
  std::istringstream in(input);
  std::ostringstream out;
  AnswerRules(in, out);
  std::istringstream answers(out.str());
  std::vector<json> parsed;
  for (std::string line; std::getline(answers, line);) parsed.push_back(json::parse(line));
  ASSERT_EQ(parsed.size(), 4u);
  EXPECT_EQ(parsed[0].at("error"), "the line is longer than 4194304 bytes");
  EXPECT_EQ(parsed[1].at("error"), "the line is not JSON");
  EXPECT_EQ(parsed[2].at("error"),
            "ply 1: action 0 is not legal in hex5 here; legal are 1 2 3 4 5 6 7 8 ...");
  EXPECT_EQ(parsed[3].at("positions").size(), 1u);
}

}  // namespace
}  // namespace az
