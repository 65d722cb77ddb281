#include "engine/players/player_source.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/strings.h"
#include "games/registry.h"

namespace az {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStateFile = "state.json";
constexpr std::string_view kCheckpoints = "checkpoints";
constexpr std::string_view kIterationFolder = "iter_";

struct Found {
  fs::path weights;
  fs::path run;
};

bool IsFile(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}
bool IsRun(const fs::path& path) { return IsFile(path / kStateFile); }

// The run that a checkpoint folder belongs to; empty: none.
fs::path RunOf(const fs::path& checkpoint) {
  const fs::path folder = checkpoint.parent_path();
  return folder.filename() == kCheckpoints && IsRun(folder.parent_path()) ? folder.parent_path()
                                                                          : fs::path();
}

// The canonical form of a path: absolute, normal, without a slash at its end.
Result<fs::path> OnePath(const std::string& text) {
  std::error_code code;
  const fs::path path = fs::absolute(text, code).lexically_normal();
  if (code) return SystemError(StrCat("find the folder that ", text, " is in"), code.value());
  return path.has_filename() ? path : path.parent_path();
}

struct Checkpoint {
  std::uint32_t iteration = 0;
  fs::path weights;
};

// The run's checkpoints that hold weights, in rising order of their iterations.
std::vector<Checkpoint> CheckpointsOf(const fs::path& run) {
  std::vector<Checkpoint> found;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(run / kCheckpoints, code)) {
    const std::string name = entry.path().filename().string();
    std::uint64_t iteration = 0;
    if (!name.starts_with(kIterationFolder) ||
        !ParseUint(std::string_view(name).substr(kIterationFolder.size()), iteration)) {
      continue;
    }
    const fs::path weights = entry.path() / kWeightsFile;
    if (IsFile(weights)) found.push_back({static_cast<std::uint32_t>(iteration), weights});
  }
  std::ranges::sort(found, {}, &Checkpoint::iteration);
  return found;
}

// The iterations of the checkpoints, for a message: "0 to 3, 10, 12".
std::string IterationList(const std::vector<Checkpoint>& checkpoints) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < checkpoints.size();) {
    std::size_t last = i;
    while (last + 1 < checkpoints.size() &&
           checkpoints[last + 1].iteration == checkpoints[last].iteration + 1) {
      ++last;
    }
    const std::uint32_t first = checkpoints[i].iteration;
    const std::uint32_t end = checkpoints[last].iteration;
    parts.push_back(first == end ? StrCat(first) : StrCat(first, " to ", end));
    i = last + 1;
  }
  return Join(parts, ", ");
}

Result<Found> FindIteration(const fs::path& run, std::uint32_t iteration) {
  const std::vector<Checkpoint> checkpoints = CheckpointsOf(run);
  const auto at = std::ranges::find(checkpoints, iteration, &Checkpoint::iteration);
  if (at != checkpoints.end()) return Found{at->weights, run};
  return Error{Errc::kNotFound,
               StrCat("run ", run.string(), " has no checkpoint of iteration ", iteration,
                      checkpoints.empty() ? std::string("; it has none at all")
                                          : StrCat("; there are ", IterationList(checkpoints)))};
}

Result<Found> FindLatest(const fs::path& run) {
  const std::vector<Checkpoint> checkpoints = CheckpointsOf(run);
  if (!checkpoints.empty()) return Found{checkpoints.back().weights, run};
  return Error{Errc::kNotFound, StrCat("run ", run.string(), " has no checkpoint yet")};
}

Result<Found> FindBest(const fs::path& run) {
  const fs::path state_file = run / kStateFile;
  AZ_ASSIGN_OR_RETURN(const std::string text, ReadFile(state_file));
  const nlohmann::json state = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!state.is_object() || !state.contains("best") || !state["best"].is_string()) {
    return Error{Errc::kCorrupt, StrCat(state_file.string(), " does not say which is the best")};
  }
  const std::string best = state["best"].get<std::string>();
  if (best.empty()) {
    return Error{Errc::kNotFound, StrCat("run ", run.string(), " has no network yet")};
  }
  return Found{run / kCheckpoints / best / kWeightsFile, run};
}

// Names some of what is in the folder where the player was expected.
std::string Neighbours(const fs::path& missing) {
  constexpr std::size_t kShown = 8;
  const fs::path folder = missing.parent_path();
  std::vector<std::string> names;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    if (entry.is_directory(code)) names.push_back(entry.path().filename().string());
  }
  if (names.empty()) return "";
  std::ranges::sort(names);
  const bool is_cut = names.size() > kShown;
  if (is_cut) names.resize(kShown);
  return StrCat("; ", folder.string(), " has ", Join(names, ", "), is_cut ? ", ..." : "");
}

Result<Found> Find(const PlayerSpec& spec) {
  AZ_ASSIGN_OR_RETURN(const fs::path path, OnePath(spec.source));
  if (spec.iteration.has_value()) {
    if (IsRun(path)) return FindIteration(path, *spec.iteration);
    return Error{Errc::kNotFound,
                 StrCat(path.string(), " is no run, which @iter asks for", Neighbours(path))};
  }
  if (IsFile(path)) return Found{path, RunOf(path.parent_path())};
  if (IsFile(path / kWeightsFile)) return Found{path / kWeightsFile, RunOf(path)};
  if (IsRun(path)) return FindBest(path);
  if (IsRun(path.parent_path())) {
    if (path.filename() == "best") return FindBest(path.parent_path());
    if (path.filename() == "latest") return FindLatest(path.parent_path());
  }
  return Error{Errc::kNotFound, StrCat("no run, checkpoint folder or weights file at ",
                                       path.string(), Neighbours(path),
                                       " (other players: random, mcts:sims=1000, solver, "
                                       "gtp:COMMAND)")};
}

Result<PlayerSource> Read(const PlayerSpec& spec) {
  AZ_ASSIGN_OR_RETURN(Found found, Find(spec));
  PlayerSource source{.weights = std::move(found.weights), .run = std::move(found.run)};
  AZ_ASSIGN_OR_RETURN(source.info, ReadWeightsInfo(source.weights));
  const Result<const GameOps*> game = FindGame(source.info.game);
  if (!game) {
    return Error{Errc::kIncompatible, StrCat(source.weights.string(),
                                             " is of a game that this "
                                             "build does not have: ",
                                             game.error().message)};
  }
  source.game = *game;
  if (source.info.game_hash != source.game->info().Hash()) {
    return Error{Errc::kIncompatible,
                 StrCat(source.weights.string(), " is of ", source.info.game,
                        " with other planes or actions than this build's (use the build that "
                        "wrote it)")};
  }
  return source;
}

}  // namespace

fs::path PlayerSource::load_path() const {
  return weights.filename() == kWeightsFile ? weights.parent_path() : weights;
}

Result<PlayerSource> FindPlayer(const PlayerSpec& spec) {
  AZ_CHECK(spec.kind == PlayerKind::kCheckpoint) << spec.text;
  Result<PlayerSource> source = Read(spec);
  if (!source) return WithContext(StrCat("player '", spec.text, "'"), std::move(source).error());
  return source;
}

Result<void> CheckPlayerFor(const PlayerSpec& spec, const PlayerSource& source,
                            const GameInfo& game) {
  if (source.info.game == game.entry) return {};
  return Error{Errc::kIncompatible, StrCat("player '", spec.text, "': its network plays ",
                                           source.info.game, ", the match is of ", game.entry)};
}

}  // namespace az
