#include "engine/apps/inspect_run.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/strings.h"
#include "engine/apps/inspect_dir.h"
#include "engine/config/config_reader.h"
#include "engine/config/validate.h"
#include "engine/fleet/lane_journals.h"
#include "engine/ipc/run_id.h"
#include "engine/run/health.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

struct Inspection {
  RunState state;
  std::unique_ptr<LaneJournals> journals;
  std::vector<HealthRow> health;
};

Result<Inspection> Inspect(const std::filesystem::path& dir) {
  Inspection found;
  AZ_ASSIGN_OR_RETURN(found.state, ReadRunState(dir));
  AZ_ASSIGN_OR_RETURN(const LoadedConfig loaded, LoadConfig((dir / "config.yaml").string()));
  AZ_ASSIGN_OR_RETURN(const GameOps* game, GameOf(loaded.config.game));
  AZ_ASSIGN_OR_RETURN(const RunId run_id, ParseRunId(found.state.run_id));
  const JournalIdentity identity{
      .run_id = run_id.bytes, .game_hash = game->info().Hash(), .entry = game->info().entry};
  AZ_ASSIGN_OR_RETURN(found.journals, LaneJournals::Open(dir / "journal", identity, 0));
  if (std::filesystem::exists(dir / "metrics.jsonl")) {  // exists since the end of iteration 0
    AZ_ASSIGN_OR_RETURN(const std::string metrics, ReadFile(dir / "metrics.jsonl"));
    found.health = ReadHealth(metrics);
  }
  return found;
}

// The numbers of the last iteration and the current warnings.
Json HealthJson(std::span<const HealthRow> rows) {
  Json warnings = Json::array();
  for (const HealthWarning& warning : JudgeHealth(rows)) {
    warnings.push_back({{"name", std::string(warning.name)}, {"text", warning.text}});
  }
  Json numbers = Json::object();
  if (!rows.empty()) {
    for (const auto& [key, value] : rows.back().numbers) numbers[key] = value;
  }
  return {{"numbers", std::move(numbers)}, {"warnings", std::move(warnings)}};
}

Json GamesOf(const LaneJournals& journals, GameKind kind, std::uint32_t iterations) {
  Json counts = Json::array();
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
    counts.push_back(journals.log().FinishedGames(kind, iteration).size());
  }
  return counts;
}

Json ToJson(const Inspection& found) {
  const GameLogCounts& counts = found.journals->log().counts();
  const std::uint32_t iterations = found.state.iteration + 1;
  return {{"phase", std::string(PhaseName(found.state.phase))},
          {"iteration", found.state.iteration},
          {"best", found.state.best},
          {"promotions", found.state.promotions},
          {"self_play_games", GamesOf(*found.journals, GameKind::kSelfPlay, iterations)},
          {"gate_games", GamesOf(*found.journals, GameKind::kGate, iterations)},
          {"moves", counts.moves},
          {"finished_games", counts.finished},
          {"failed_games", counts.failed},
          {"repeated_moves", counts.repeated_moves},
          {"conflicting_moves", counts.conflicting_moves},
          {"repeated_ends", counts.repeated_ends},
          {"games_with_gaps", found.journals->log().GamesWithGaps().size()}};
}

}  // namespace

Result<std::string> InspectRun(const std::filesystem::path& dir, bool as_json) {
  AZ_ASSIGN_OR_RETURN(const Inspection found, Inspect(dir));
  Json facts = ToJson(found);
  const std::vector<std::string> notes = found.journals->Faults(found.state.train_reads);
  if (as_json) {
    facts["notes"] = notes;
    facts["health"] = HealthJson(found.health);
    // Paths are bytes and need not be text.
    return facts.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  std::string text;
  for (const auto& [key, value] : facts.items()) {
    char name[32];
    std::snprintf(name, sizeof name, "%-18s ", key.c_str());
    text += StrCat(name, value.is_string() ? value.get<std::string>() : value.dump(), "\n");
  }
  for (const std::string& note : notes) text += StrCat("note: ", note, "\n");
  return text + HealthText(found.health);
}

}  // namespace az
