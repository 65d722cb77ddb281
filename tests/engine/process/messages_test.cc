#include "engine/process/messages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "base/files.h"
#include "base/rng.h"
#include "base/strings.h"
#include "engine/process/message_fields.h"

namespace az {
namespace {

// One of each type, every field away from its default.
std::vector<ControlMessage> AllMessages() {
  return {
      HelloMessage{"worker", 3, 4711},
      ReadyMessage{"cpu (2 runners, \"bf16\")"},
      WorkerPlanMessage{96, 1 << 20, "runs/x/journal/lane_000.journal", 12345},
      PhaseMessage{std::numeric_limits<std::uint64_t>::max(),
                   GameKind::kGate,
                   12,
                   {{PlayerType::kNet, 1, 64, "c_puct=2&seconds=0.5"},
                    {PlayerType::kPureMcts, 0, 200},
                    {PlayerType::kGtp, 0, 0, "timeout=5", "gnugo --mode \"gtp\""}},
                   0.95,
                   true,
                   2},
      GrantMessage{
          7, {{GameId::Make(GameKind::kGate, 12, 5).packed, {1, 24, 65535}, {1}}, {9, {}, {}}}},
      DrainMessage{7},
      DrainedMessage{7},
      WorkerStatsMessage{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 0.2, 0.3, 0.4}},
      DevicePlanMessage{
          "cuda:1", 2, {8, 32, 128}, 2, 256, "bf16", "fp32", true, 2, 1 << 30, true, 100},
      LoadMessage{1, "runs/ä/checkpoints/iter_000001", 17},
      UnloadMessage{1},
      TrainMessage{3, "from", "to", {{"a.journal", 100}, {"b.journal", 0}}, 4, 128, 2, 5},
      ReleaseMessage{8, CleanupLevel::kLight},
      PublishedMessage{1, 17},
      TrainProgressMessage{3, 10, 100, 1.5, 5},
      TrainedMessage{3, "to", "{\"loss\": 1.5}", 5},
      ReleasedMessage{8, 1000, 500, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {9, 8, 7, 6, 5, 4, 3, 2, 1}},
      DeviceStatsMessage{{1, 2, 3, 4, 5, 6, 7, 8, 9}},
      OomMessage{"train",
                 "out of memory",
                 "micro-batch 512 -> 256",
                 1 << 20,
                 1 << 10,
                 1 << 11,
                 1 << 4,
                 256,
                 1,
                 64,
                 {1, 2, 3, 4, 5, 6, 7, 8, 9}},
      StopMessage{},
      ErrorMessage{"no_space", "write journal: no space left on device", false, 5},
      ProbeMessage{"train", 64, 4, 2, 1},
      ProbedMessage{"inference", 64, true, 1, 2, 3, 4, 5, 6, 6.5, "{\"device\": \"cpu\"}"},
  };
}

class EveryMessage : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryMessage, KeepsItsTypeAndFieldsInARoundTrip) {
  const ControlMessage message = AllMessages()[GetParam()];
  ASSERT_EQ(message.index(), GetParam());
  const std::string line = ToLine(message);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Result<ControlMessage> parsed = ParseLine(line);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->index(), message.index());
  EXPECT_EQ(ToLine(*parsed), line);
}

// Each field is taken out of the line in turn; the error must name it.
TEST_P(EveryMessage, IsRefusedWithoutOneOfItsFields) {
  const std::string line = ToLine(AllMessages()[GetParam()]);
  const std::string type(MessageName(AllMessages()[GetParam()]));
  for (std::size_t at = line.find('"'); at != std::string::npos; at = line.find('"', at + 1)) {
    const std::size_t end = line.find("\":", at + 1);
    if (end == std::string::npos || line[at - 1] == ':' || line[at - 1] == '\\') continue;
    const std::string field = line.substr(at + 1, end - at - 1);
    if (field.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string::npos) continue;
    const std::string broken = StrCat(line.substr(0, at), "\"_", line.substr(at + 1));
    const Result<ControlMessage> parsed = ParseLine(broken);
    ASSERT_FALSE(parsed) << broken;
    EXPECT_EQ(parsed.error().code, Errc::kCorrupt);
    EXPECT_NE(parsed.error().message.find(field), std::string::npos) << parsed.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(Messages, EveryMessage,
                         testing::Range<std::size_t>(0, std::variant_size_v<ControlMessage>),
                         [](const auto& parameter) {
                           return std::string(MessageName(AllMessages()[parameter.param]));
                         });

TEST(Messages, FaultsNameTheField) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"type":"drain"})", "drain.phase is missing"},
      {R"({"type":"drain","phase":-1})", "drain.phase = -1 is out of range"},
      {R"({"type":"drain","phase":1.5})", "drain.phase is not an integer"},
      {R"({"type":"drain","phase":"1"})", "drain.phase is not an integer"},
      {R"({"type":"drain","phase":99999999999999999999})", "drain.phase is not an integer"},
      {R"({"type":"unload","slot":2147483648})", "unload.slot = 2147483648 is out of range"},
      {R"({"type":"grant","phase":1,"games":[{"id":1,"prefix":[],"opening":[],"noted_ply":-1},{"id":1}]})",
       "grant.games[1].prefix is missing"},
      {R"({"type":"grant","phase":1,"games":[{"id":1,"prefix":[1,65536]}]})",
       "grant.games[0].prefix[1] = 65536 is out of range"},
      {R"({"type":"grant","phase":1,"games":[7]})", "grant.games[0] is not an object"},
      {R"({"type":"grant","phase":1,"games":{}})", "grant.games is not an array"},
      {R"({"type":"error","code":"io","message":7,"fatal":true})", "error.message is not text"},
      {R"({"type":"error","code":"io","message":"","fatal":1})",
       "error.fatal is not true or false"},
      {R"({"type":"drink","phase":1})", "unknown type 'drink'"},
      {R"({"phase":1})", "field type is missing"},
      {R"([1,2])", "not a JSON object"},
      {R"({"type":"drain","phase":1)", "not a JSON object"},
      {R"({"type":"drain","phase":1} x)", "not a JSON object"},
      {"", "not a JSON object"},
      {"\x01\xff", "not a JSON object: '?\?'"},
  };
  for (const auto& [line, want] : kCases) {
    const Result<ControlMessage> parsed = ParseLine(line);
    ASSERT_FALSE(parsed) << line;
    EXPECT_EQ(parsed.error().code, Errc::kCorrupt);
    EXPECT_NE(parsed.error().message.find(want), std::string::npos) << parsed.error().message;
  }
}

TEST(Messages, UnknownFieldsAreIgnored) {
  const auto parsed = ParseLine(R"({"type":"drain","phase":5,"since":"later version"})");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(std::get<DrainMessage>(*parsed).phase, 5u);
}

TEST(Messages, NumbersThatAreNotFiniteArriveAsNan) {
  TrainProgressMessage message;
  message.loss = std::numeric_limits<double>::infinity();
  const auto parsed = ParseLine(ToLine(message));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_TRUE(std::isnan(std::get<TrainProgressMessage>(*parsed).loss));
}

TEST(Messages, TextThatIsNotUtf8IsReplaced) {
  const auto parsed = ParseLine(ToLine(LoadMessage{0, "bad\xff\npath", 1}));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(std::get<LoadMessage>(*parsed).path, "bad\xEF\xBF\xBD\npath");
}

TEST(Messages, TheLargestGrantFitsALine) {
  GrantMessage one_game{
      ~0ull, {{~0ull, std::vector<std::uint16_t>(kMaxGrantActions - kGameCost, 65535), {}, 65535}}};
  EXPECT_LE(ToLine(one_game).size(), kMaxLineBytes);
  GrantMessage new_games{~0ull,
                         std::vector<GrantedGame>(kMaxGrantActions / kGameCost, {~0ull, {}, {}})};
  EXPECT_LE(ToLine(new_games).size(), kMaxLineBytes);
}

TEST(Messages, LongLinesAreRefusedUnread) {
  const std::string line =
      StrCat(R"({"type":"stop","x":")", std::string(kMaxLineBytes, 'x'), "\"}");
  const auto parsed = ParseLine(line);
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().message.find("at most 65536"), std::string::npos);
}

TEST(Messages, DeepNestingIsNoStackOverflow) {
  EXPECT_FALSE(ParseLine(std::string(kMaxLineBytes, '[')));
  EXPECT_FALSE(ParseLine(StrCat(std::string(30000, '['), std::string(30000, ']'))));
}

TEST(Messages, RandomBytesAndRandomDamageNeverCrash) {
  Rng rng(20260101);
  const std::vector<ControlMessage> all = AllMessages();
  int refused = 0;
  constexpr int kTrials = 20000;
  for (int i = 0; i < kTrials; ++i) {
    std::string line;
    if (i % 2 == 0) {
      line.resize(rng.Below(100));
      for (char& c : line) c = static_cast<char>(rng.Below(256));
    } else {
      line = ToLine(all[rng.Below(static_cast<std::uint32_t>(all.size()))]);
      const auto at = rng.Below(static_cast<std::uint32_t>(line.size()));
      line[at] = static_cast<char>(rng.Below(256));
    }
    refused += ParseLine(line) ? 0 : 1;
  }
  EXPECT_GE(refused, kTrials / 2);
}

// docs/formats/control_channel.md has a row `type` for each message, naming every field of it.
struct FieldNames {
  std::vector<std::string> names;
  template <class T>
  void operator()(const char* name, T&) {
    names.emplace_back(name);
  }
};

TEST(Messages, EveryFieldIsInTheFormatPage) {
  const auto page = ReadFile("docs/formats/control_channel.md");
  ASSERT_TRUE(page) << page.error().message;
  for (const ControlMessage& message : AllMessages()) {
    const std::string row_start = StrCat("| `", MessageName(message), "` |");
    const std::size_t at = page->find(row_start);
    ASSERT_NE(at, std::string::npos) << row_start;
    const std::string row = page->substr(at, page->find('\n', at) - at);
    FieldNames fields;
    std::visit([&fields](auto copy) { message_fields::Fields(fields, copy); }, message);
    for (const std::string& name : fields.names) {
      EXPECT_NE(row.find(StrCat("`", name, "`")), std::string::npos) << row_start << ' ' << name;
    }
  }
}

}  // namespace
}  // namespace az
