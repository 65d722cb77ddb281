#include "games/registry.h"

#include <memory>

#include "base/strings.h"
#include "games/game_ops_impl.h"

namespace az {
namespace {

// The default sizes of families whose default is not their smallest board.
struct DefaultSize {
  std::string_view family;
  int board_size;
};
constexpr DefaultSize kDefaultSizes[] = {
    {"hex", 5}, {"othello", 8}, {"breakthrough", 6}, {"go", 9}};

int DefaultBoardSize(const GameFamily& family) {
  for (const DefaultSize& known : kDefaultSizes) {
    if (known.family == family.name) return known.board_size;
  }
  return family.board_sizes.empty() ? 0 : family.board_sizes.front();
}

using OpsTable = std::vector<std::unique_ptr<const GameOps>>;

const OpsTable& AllOps() {
  static const OpsTable ops = [] {
    OpsTable table;
    ForEachGame([&]<RegisteredGame S>() {
      table.push_back(std::make_unique<GameOpsOf<S>>(MakeGameInfo<S>()));
    });
    return table;
  }();
  return ops;
}

std::string SizesText(const GameFamily& family) {
  std::vector<std::string> sizes;
  for (const int size : family.board_sizes) sizes.push_back(StrCat(size));
  return Join(sizes, " ");
}

std::string FamiliesText() {
  std::vector<std::string> names;
  for (const GameFamily& family : GameFamilies()) {
    names.push_back(family.board_sizes.empty()
                        ? family.name
                        : StrCat(family.name, " (board sizes ", SizesText(family), ")"));
  }
  return Join(names, ", ");
}

Error UnknownSize(const GameFamily& family, int board_size) {
  if (family.board_sizes.empty()) {
    return {Errc::kNotFound, StrCat("game '", family.name, "' has one board size only, not ",
                                    board_size, " (leave the size out)")};
  }
  return {Errc::kNotFound, StrCat("game '", family.name, "' has no board size ", board_size,
                                  "; there are ", SizesText(family))};
}

}  // namespace

std::vector<GameFamily> GameFamilies() {
  std::vector<GameFamily> families;
  for (const auto& ops : AllOps()) {
    const GameInfo& info = ops->info();
    if (families.empty() || families.back().name != info.family) {
      families.push_back({.name = info.family, .board_sizes = {}, .default_board_size = 0});
    }
    if (info.board_size != 0) families.back().board_sizes.push_back(info.board_size);
  }
  for (GameFamily& family : families) family.default_board_size = DefaultBoardSize(family);
  return families;
}

std::vector<std::string> GameEntries() {
  std::vector<std::string> entries;
  for (const auto& ops : AllOps()) entries.push_back(ops->info().entry);
  return entries;
}

Error UnknownGameEntry(std::string_view entry) {
  return {Errc::kNotFound,
          StrCat("no game is called '", entry, "'; there are ", Join(GameEntries(), ", "))};
}

Result<const GameOps*> FindGame(std::string_view name, int board_size) {
  for (const auto& ops : AllOps()) {
    const GameInfo& info = ops->info();
    if (info.entry != name || info.family == name) continue;
    if (board_size == 0 || board_size == info.board_size) return ops.get();
    return Error{Errc::kNotFound,
                 StrCat("game '", name, "' is played on size ", info.board_size, ", not ",
                        board_size, " (leave the size out, or ask for ", info.family, ")")};
  }
  for (const GameFamily& family : GameFamilies()) {
    if (family.name != name) continue;
    const int size = board_size == 0 ? family.default_board_size : board_size;
    for (const auto& ops : AllOps()) {
      if (ops->info().family == name && ops->info().board_size == size) return ops.get();
    }
    return UnknownSize(family, board_size);
  }
  return Error{Errc::kNotFound,
               StrCat("no game is called '", name, "'; there are ", FamiliesText())};
}

}  // namespace az
