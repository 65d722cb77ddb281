// az_inspect: looks into things. `az_inspect run DIR [--json]`: where the run stands and what its
// journals hold. `az_inspect rules`: answers questions about the rules of the games.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/exit_codes.h"
#include "base/files.h"
#include "base/strings.h"
#include "engine/apps/inspect_rules.h"
#include "engine/config/config_reader.h"
#include "engine/ipc/run_id.h"
#include "engine/loop/lane_journals.h"
#include "engine/loop/run_state.h"
#include "games/registry.h"

namespace az {
namespace {

using Json = nlohmann::ordered_json;

struct Inspection {
  RunState state;
  std::unique_ptr<LaneJournals> journals;
};

Result<Inspection> Inspect(const std::filesystem::path& dir) {
  AZ_ASSIGN_OR_RETURN(const std::string state_text, ReadFile(dir / "state.json"));
  Inspection found;
  AZ_ASSIGN_OR_RETURN(found.state, RunStateFromJson(state_text));
  AZ_ASSIGN_OR_RETURN(const LoadedConfig loaded, LoadConfig((dir / "config.yaml").string()));
  AZ_ASSIGN_OR_RETURN(const GameOps* game,
                      FindGame(loaded.config.game.name, loaded.config.game.board_size.value_or(0)));
  AZ_ASSIGN_OR_RETURN(const RunId run_id, ParseRunId(found.state.run_id));
  const JournalIdentity identity{
      .run_id = run_id.bytes, .game_hash = game->info().Hash(), .entry = game->info().entry};
  AZ_ASSIGN_OR_RETURN(found.journals, LaneJournals::Open(dir / "journal", identity, 0));
  return found;
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

int Fail(const Error& error) {
  std::fprintf(stderr, "az_inspect: %s\n", error.message.c_str());
  return static_cast<int>(ExitCodeFor(error.code));
}

int RunCommand(const std::string& dir, bool json) {
  const Result<Inspection> found = Inspect(dir);
  if (!found) return Fail(WithContext(StrCat("inspect ", dir), found.error()));
  const Json facts = ToJson(*found);
  if (json) {
    std::printf("%s\n", facts.dump().c_str());
    return 0;
  }
  for (const auto& [key, value] : facts.items()) {
    std::printf("%-18s %s\n", key.c_str(),
                value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
  }
  return 0;
}

}  // namespace
}  // namespace az

int main(int argc, char** argv) {
  CLI::App app("Looks into run directories and rules.", "az_inspect");
  app.require_subcommand(1);
  std::string dir;
  bool json = false;
  CLI::App* run = app.add_subcommand("run", "where a run stands and what its journals hold");
  run->add_option("dir", dir, "run directory")->required();
  run->add_flag("--json", json, "one JSON object");
  CLI::App* rules = app.add_subcommand(
      "rules", "answers JSON lines on standard input, as engine/apps/inspect_rules.h has them");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(az::ExitCode::kUsage);
  }
  if (rules->parsed()) {
    std::ios::sync_with_stdio(false);
    az::AnswerRules(std::cin, std::cout);
    return static_cast<int>(std::cout ? az::ExitCode::kOk : az::ExitCode::kFailed);
  }
  return az::RunCommand(dir, json);
}
