#include "engine/run/run_state.h"

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/strings.h"
#include "engine/arena/match_score.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kPhaseNames = {"self_play", "train", "arena",
                                                         "publish",   "final", "complete"};

Json MatchToJson(const MatchResult& match) {
  return {{"opponent", match.opponent},   {"wins", match.wins},
          {"draws", match.draws},         {"losses", match.losses},
          {"score_low", match.score_low}, {"score_high", match.score_high},
          {"score", match.score()},       {"replayed_pairs", match.replayed_pairs}};
}

MatchResult MatchFromJson(const Json& json) {
  return {.opponent = json.at("opponent").get<std::string>(),
          .wins = json.at("wins").get<std::int64_t>(),
          .draws = json.at("draws").get<std::int64_t>(),
          .losses = json.at("losses").get<std::int64_t>(),
          .score_low = json.at("score_low").get<double>(),
          .score_high = json.at("score_high").get<double>(),
          .pairs_score = json.contains("score") ? std::optional(json.at("score").get<double>())
                                                : std::nullopt,  // younger than the others
          .replayed_pairs = json.value("replayed_pairs", std::int64_t{0})};
}

Phase PhaseFromName(const std::string& name) {
  for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
    if (kPhaseNames[i] == name) return static_cast<Phase>(i);
  }
  throw std::runtime_error(StrCat("unknown phase '", name, "'"));
}

template <class E>
E FromName(const std::string& text) {
  for (const auto& [value, name] : EnumNames<E>::value) {
    if (name == text) return value;
  }
  throw std::runtime_error(StrCat("unknown name '", text, "'"));
}

Json LadderJson(const ClimbState& ladder) {
  return {{"rungs", ladder.rungs}, {"clean", ladder.clean}, {"failures", ladder.failures}};
}

ClimbState LadderFrom(const Json& json) {
  return {.rungs = json.at("rungs").get<int>(),
          .clean = json.at("clean").get<int>(),
          .failures = json.at("failures").get<std::vector<int>>()};
}

Json SizesJson(const FailedSizes& sizes) {
  return {{"phase", EnumName(sizes.phase)},
          {"rows", sizes.rows},
          {"precision", EnumName(sizes.precision)},
          {"checkpoint_blocks", sizes.checkpoint_blocks}};
}

// `lessons` has the members of DeviceLessons.
Json LessonsJson(const auto& lessons, const std::vector<FailedSizes>& unplaced) {
  Json failed = Json::array();
  for (const FailedSizes& sizes : unplaced) failed.push_back(SizesJson(sizes));
  for (const FailedSizes& sizes : lessons.failed) {
    failed.push_back(SizesJson(sizes));
    failed.back()["on_cpu"] = sizes.on_cpu;
  }
  return {{"train", LadderJson(lessons.train)},
          {"inference", LadderJson(lessons.inference)},
          {"host", LadderJson(lessons.host)},
          {"failed", std::move(failed)}};
}

Json MemoryToJson(const MemoryState& state) {
  Json json = LessonsJson(state, state.unplaced);
  json["has_restarted_device"] = state.has_restarted_device;
  json["counted"] = state.counted;
  if (state.device) json["device"] = EnumName(*state.device);
  json["elsewhere"] = LessonsJson(state.elsewhere, {});
  return json;
}

// The other way, into what has the members of DeviceLessons.
void ReadLessons(const Json& json, auto& lessons, std::vector<FailedSizes>& unplaced) {
  lessons.train = LadderFrom(json.at("train"));
  lessons.inference = LadderFrom(json.at("inference"));
  if (json.contains("host")) lessons.host = LadderFrom(json.at("host"));  // younger than the others
  for (const Json& sizes : json.at("failed")) {
    const bool is_placed = sizes.contains("on_cpu");  // younger than the others
    (is_placed ? lessons.failed : unplaced)
        .push_back({.phase = FromName<PlanPhase>(sizes.at("phase").get<std::string>()),
                    .rows = sizes.at("rows").get<int>(),
                    .precision = FromName<Precision>(sizes.at("precision").get<std::string>()),
                    .checkpoint_blocks = sizes.at("checkpoint_blocks").get<int>(),
                    .on_cpu = is_placed && sizes.at("on_cpu").get<bool>()});
  }
}

MemoryState MemoryFromJson(const Json& json) {
  MemoryState state;
  ReadLessons(json, state, state.unplaced);
  state.has_restarted_device = json.at("has_restarted_device").get<bool>();
  state.counted = json.value("counted", std::int64_t{-1});  // these are younger than the others
  if (json.contains("device")) {
    state.device = FromName<DeviceKind>(json.at("device").get<std::string>());
  }
  if (json.contains("elsewhere"))
    ReadLessons(json.at("elsewhere"), state.elsewhere, state.unplaced);
  return state;
}

Json SumsJson(const FleetTotals& totals) {
  Json json = Json::object();
  FleetTotals::VisitSums([&](const char* name, auto sum) { json[name] = totals.*sum; });
  return json;
}

FleetTotals SumsFrom(const Json& json) {
  FleetTotals totals;
  FleetTotals::VisitSums([&]<class C, class T>(const char* name, T C::*sum) {
    totals.*sum = json.value(name, T{});  // sums may be added
  });
  return totals;
}

Json TotalsToJson(const IterationTotals& totals) {
  return {{"all", SumsJson(totals.all)},
          {"self_play", SumsJson(totals.self_play)},
          {"self_play_s", totals.self_play_s},
          {"is_open", totals.is_open},
          {"has_lost", totals.has_lost}};
}

IterationTotals TotalsFromJson(const Json& json) {
  return {.all = SumsFrom(json.at("all")),
          .self_play = SumsFrom(json.at("self_play")),
          .self_play_s = json.at("self_play_s").get<double>(),
          .is_open = json.at("is_open").get<bool>(),
          .has_lost = json.at("has_lost").get<bool>()};
}

YardstickState YardstickFromJson(const Json& json) {
  return {.looks = json.at("looks").get<int>(),
          .seconds = json.at("seconds").get<double>(),
          .look_seconds = json.value("look_seconds", 0.0),  // younger than the others
          .question = json.at("question").get<std::uint32_t>(),
          .asked = json.at("asked").get<std::string>(),
          .asked_seconds = json.value("asked_seconds", 0.0),
          .last = json.at("last").get<std::string>()};
}

RunState StateFromJson(const Json& json) {
  RunState state;
  state.run_id = json.at("run_id").get<std::string>();
  state.iteration = json.at("iteration").get<std::uint32_t>();
  state.phase = PhaseFromName(json.at("phase").get<std::string>());
  state.best = json.at("best").get<std::string>();
  state.best_version = json.at("best_version").get<std::uint64_t>();
  state.candidate = json.at("candidate").get<std::string>();
  state.panel = json.value("panel", state.panel);  // runs begun before have none
  state.next_version = json.at("next_version").get<std::uint64_t>();
  state.learner = json.at("learner").get<std::string>();
  for (const Json& lane : json.at("train_reads")) {
    state.train_reads.push_back(
        {lane.at("file").get<std::string>(), lane.at("bytes").get<std::int64_t>()});
  }
  const Json metrics = json.value("metrics", Json::object());  // runs begun before have none
  if (!metrics.empty()) state.metrics = metrics.dump();
  if (json.contains("totals")) state.totals = TotalsFromJson(json.at("totals"));  // nor these
  state.games_per_iteration = json.at("games_per_iteration").get<std::uint32_t>();
  state.promotions = json.at("promotions").get<int>();
  state.gates = json.at("gates").get<int>();
  state.games = json.at("games").get<std::uint64_t>();
  state.positions = json.at("positions").get<std::uint64_t>();
  state.seconds = json.at("seconds").get<double>();
  // Younger than the others.
  if (json.contains("yardstick")) state.yardstick = YardstickFromJson(json.at("yardstick"));
  const Json resign = json.value("resign", Json::object());  // runs begun before have none
  state.resign = {.threshold = resign.value("threshold", 0.0),
                  .games = resign.value("games", std::int64_t{0}),
                  .errors = resign.value("errors", std::int64_t{0})};
  for (const Json& match : json.at("final_results")) {
    state.final_results.push_back(MatchFromJson(match));
  }
  state.final_mcts = json.value("final_mcts", state.final_mcts);  // younger than the others
  // Runs of before it was kept have learned nothing yet.
  if (json.contains("memory")) state.memory = MemoryFromJson(json.at("memory"));
  return state;
}

}  // namespace

double MatchResult::score() const {
  return pairs_score.value_or(MatchTally{.wins = wins, .draws = draws, .losses = losses}.score());
}

std::string_view PhaseName(Phase phase) { return kPhaseNames[static_cast<std::size_t>(phase)]; }

std::string ToJson(const RunState& state) {
  Json reads = Json::array();
  for (const LaneBytes& lane : state.train_reads) {
    reads.push_back({{"file", lane.file}, {"bytes", lane.bytes}});
  }
  Json results = Json::array();
  for (const MatchResult& match : state.final_results) results.push_back(MatchToJson(match));
  const Json metrics = state.metrics.empty() ? Json::object() : Json::parse(state.metrics);
  const Json json = {{"format", RunState::kFormat},
                     {"run_id", state.run_id},
                     {"iteration", state.iteration},
                     {"phase", std::string(PhaseName(state.phase))},
                     {"best", state.best},
                     {"best_version", state.best_version},
                     {"candidate", state.candidate},
                     {"panel", state.panel},
                     {"next_version", state.next_version},
                     {"learner", state.learner},
                     {"train_reads", reads},
                     {"metrics", metrics},
                     {"totals", TotalsToJson(state.totals)},
                     {"games_per_iteration", state.games_per_iteration},
                     {"promotions", state.promotions},
                     {"gates", state.gates},
                     {"games", state.games},
                     {"positions", state.positions},
                     {"seconds", state.seconds},
                     {"yardstick",
                      {{"looks", state.yardstick.looks},
                       {"seconds", state.yardstick.seconds},
                       {"look_seconds", state.yardstick.look_seconds},
                       {"question", state.yardstick.question},
                       {"asked", state.yardstick.asked},
                       {"asked_seconds", state.yardstick.asked_seconds},
                       {"last", state.yardstick.last}}},
                     {"resign",
                      {{"threshold", state.resign.threshold},
                       {"games", state.resign.games},
                       {"errors", state.resign.errors}}},
                     {"final_results", results},
                     {"final_mcts", state.final_mcts},
                     {"memory", MemoryToJson(state.memory)}};
  return json.dump(1) + "\n";
}

Result<RunState> RunStateFromJson(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    const int format = json.at("format").get<int>();
    if (format != RunState::kFormat) {
      return Error{Errc::kIncompatible,
                   StrCat("run state has format ", format, ", this build reads ", RunState::kFormat,
                          " (use the build that wrote it, or --fresh)")};
    }
    return StateFromJson(json);
  } catch (const std::exception& error) {
    std::string_view what = error.what();  // "[json.exception.parse_error.101] parse error at …"
    if (const auto end = what.find("] "); what.starts_with("[") && end != what.npos) {
      what.remove_prefix(end + 2);
    }
    return Error{Errc::kCorrupt, std::string(what)};
  }
}

}  // namespace az
