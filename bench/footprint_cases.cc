#include <array>

#include "base/strings.h"
#include "bench/footprint_measure.h"
#include "engine/net/direct_net.h"
#include "engine/net/net_spec.h"

namespace az {
namespace {

struct Board {
  const char* name;
  int planes;
  int rows;
  int cols;
  int actions;
};
// Tic-tac-toe, Hex, Connect 4 and Go on two boards.
constexpr std::array kBoards = {Board{"3x3", 2, 3, 3, 9},        Board{"5x5", 2, 5, 5, 25},
                                Board{"6x7", 2, 6, 7, 7},        Board{"9x9", 17, 9, 9, 82},
                                Board{"19x19", 17, 19, 19, 362}, Board{"11x11", 2, 11, 11, 121}};

struct Trunk {
  int filters;
  int blocks;
  int heads;
  int pool_every = 0;
};

FootprintCase CaseOf(const Board& board, const Trunk& trunk) {
  FootprintCase result;
  result.name = StrCat(board.name, " ", trunk.filters, "x", trunk.blocks);
  if (trunk.pool_every > 0) result.name += StrCat("p", trunk.pool_every);
  if (trunk.heads > 0) result.name += StrCat("h", trunk.heads);
  result.shape = {.planes = board.planes,
                  .rows = board.rows,
                  .cols = board.cols,
                  .actions = board.actions,
                  .filters = trunk.filters,
                  .res_blocks = trunk.blocks,
                  .global_pool_every = trunk.pool_every,
                  .heads = trunk.heads,
                  .attention_blocks = trunk.heads > 0 ? 1 : 0};
  return result;
}

void AddTraining(const FootprintCase& base, std::span<const int> rows, std::span<const int> stages,
                 std::vector<FootprintCase>& cases) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    for (const int n : rows) {
      for (const int k : stages) {
        FootprintCase& c = cases.emplace_back(base);
        c.precision = precision;
        c.rows = n;
        c.checkpoint_blocks = k;
      }
    }
  }
}

void AddInference(const FootprintCase& base, std::span<const int> rows,
                  std::vector<FootprintCase>& cases) {
  const auto add = [&](Precision precision, NetKernels kernels) {
    for (const int n : rows) {
      FootprintCase& c = cases.emplace_back(base);
      c.trains = false;
      c.precision = precision;
      c.kernels = kernels;
      c.rows = n;
    }
  };
  add(Precision::kFp32, NetKernels::kOnednn);
  if (OnednnHasBf16()) add(Precision::kBf16, NetKernels::kOnednn);
  if (!DirectNetRuns(base.shape)) return;
  add(Precision::kBf16, NetKernels::kDirect);
  if (CpuHasTiles()) add(Precision::kBf16, NetKernels::kTiles);
}

// Few channels per head on larger boards, where the scores of attention outweigh the trunk.
void AddNarrowAttention(std::vector<FootprintCase>& cases) {
  for (const Trunk& trunk : {Trunk{32, 2, 4}, Trunk{32, 1, 2}, Trunk{64, 2, 8}}) {
    const FootprintCase eleven = CaseOf(kBoards[5], trunk);
    AddTraining(eleven, std::array{16, 64}, std::array{0, 1}, cases);
    AddInference(eleven, std::array{32}, cases);
    const FootprintCase nineteen = CaseOf(kBoards[4], trunk);
    AddTraining(nineteen, std::array{4, 12}, std::array{0}, cases);
    AddInference(nineteen, std::array{8}, cases);
  }
}

}  // namespace

std::vector<FootprintCase> FootprintCases(FootprintSet set) {
  std::vector<FootprintCase> cases;
  if (set == FootprintSet::kSmall) {
    for (const Trunk& trunk : {Trunk{16, 3, 0}, Trunk{32, 4, 4}}) {
      for (const Board& board : std::span(kBoards).first(4)) {
        const FootprintCase base = CaseOf(board, trunk);
        AddTraining(base, std::array{48}, std::array{0, 2}, cases);
        AddInference(base, std::array{64}, cases);
      }
    }
    // The heads that only training has: one, the other, both, where heads outweigh the trunk.
    for (const Trunk& trunk : {Trunk{16, 1, 0}, Trunk{32, 4, 4}}) {
      for (const Board& board : {kBoards[1], kBoards[3]}) {
        FootprintCase base = CaseOf(board, trunk);
        base.shape.opponent_head = true;
        base.name += "+o";
        AddTraining(base, std::array{48}, std::array{0, 2}, cases);
        base.shape.short_term_head = true;
        base.name += "s";
        AddTraining(base, std::array{48}, std::array{0, 2}, cases);
      }
    }
    for (const Board& board : {kBoards[1], kBoards[3]}) {
      const FootprintCase base = CaseOf(board, {32, 4, 0, 2});
      AddTraining(base, std::array{48}, std::array{0, 1}, cases);
      AddInference(base, std::array{64}, cases);
    }
    // The scores of attention outweigh the trunk.
    AddTraining(CaseOf(kBoards[5], {32, 2, 4}), std::array{16}, std::array{0}, cases);
    AddTraining(CaseOf(kBoards[4], {32, 1, 2}), std::array{4}, std::array{0}, cases);
    return cases;
  }
  for (const Trunk& trunk : {Trunk{32, 4, 0}, Trunk{64, 5, 4}, Trunk{128, 8, 8}}) {
    for (const Board& board : std::span(kBoards).first(4)) {
      const FootprintCase base = CaseOf(board, trunk);
      AddTraining(base, std::array{32, 96}, std::array{0, 1, 2}, cases);
      AddInference(base, std::array{8, 64, 256}, cases);
    }
  }
  for (const Trunk& trunk :
       {Trunk{48, 6, 0}, Trunk{96, 3, 4}}) {  // sizes that are not powers of two
    const FootprintCase base = CaseOf(kBoards[1], trunk);
    AddTraining(base, std::array{40}, std::array{0, 3}, cases);
    AddInference(base, std::array{100}, cases);
  }
  for (const Trunk& trunk : {Trunk{32, 4, 0, 1}, Trunk{64, 5, 4, 2}, Trunk{128, 8, 8, 3}}) {
    for (const Board& board : {kBoards[1], kBoards[3]}) {
      const FootprintCase base = CaseOf(board, trunk);
      AddTraining(base, std::array{96}, std::array{0, 1, 2}, cases);
      AddInference(base, std::array{8, 256}, cases);
    }
  }
  const FootprintCase large = CaseOf(kBoards[4], {64, 4, 0});
  AddTraining(large, std::array{16}, std::array{0, 2}, cases);
  AddInference(large, std::array{16}, cases);
  AddNarrowAttention(cases);
  return cases;
}

}  // namespace az
