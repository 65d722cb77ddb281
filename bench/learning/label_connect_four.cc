// label_connect_four: makes or checks the labelled positions of bench/learning (JSON lines).
//   label_connect_four [--positions N] [--seed N] [--table-mib N] > connect_four_labels.jsonl
//   label_connect_four --check < connect_four_labels.jsonl
// The positions are the same for every size of the table; a smaller one takes longer.

#include <cstdio>
#include <iostream>
#include <span>
#include <string>

#include "base/exit_codes.h"
#include "base/strings.h"
#include "bench/bench_args.h"
#include "bench/learning/connect_four_labels.h"

namespace {

az::Result<void> CheckAll(az::ConnectFourSolver& solver) {
  int lines = 0;
  for (std::string line; std::getline(std::cin, line); ++lines) {
    if (const az::Result<void> checked = az::CheckLabel(solver, line); !checked) {
      return az::WithContext(az::StrCat("line ", lines + 1), checked.error());
    }
  }
  std::printf("%d positions are as labelled\n", lines);
  return {};
}

az::Result<void> Run(az::BenchArgs args) {
  const bool check = args.TakeFlag("--check");
  AZ_ASSIGN_OR_RETURN(const int positions, args.TakeCount("--positions", 1000));
  AZ_ASSIGN_OR_RETURN(const int seed, args.TakeCount("--seed", 1));
  AZ_ASSIGN_OR_RETURN(const int table_mib, args.TakeCount("--table-mib", 256));
  AZ_RETURN_IF_ERROR(args.Finish());
  az::ConnectFourSolver solver({.table = az::MiB(table_mib), .max_positions = 100'000'000'000});
  if (check) return CheckAll(solver);
  return az::FindLabelled(solver, positions, static_cast<std::uint64_t>(seed),
                          [](const az::LabelledPosition& position) {
                            std::printf("%s\n", az::ToJson(position).c_str());
                            std::fflush(stdout);
                          });
}

}  // namespace

int main(int argc, char** argv) {
  const az::Result<void> result = Run(az::BenchArgs(std::span(argv + 1, argv + argc)));
  if (result) return 0;
  std::fprintf(stderr, "label_connect_four: %s\n", result.error().message.c_str());
  return static_cast<int>(az::ExitCodeFor(result.error().code));
}
