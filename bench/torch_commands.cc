#include <array>

#include "bench/commands.h"

namespace az {
namespace {

constexpr std::array kCommands = {
    BenchCommand{"arena",
                 "matches of two networks beside self-play, with the same processes\n"
                 "          --config F [--set key=value]... [--games N] [--rounds N]",
                 RunArenaBench},
    BenchCommand{"footprint",
                 "bytes that networks take in training and inference, beside the formulas\n"
                 "          [--small] [--summary]",
                 RunFootprintBench},
    BenchCommand{"inference",
                 "the server's rows a second from worker processes, beside the bare loop\n"
                 "          [--nets a,b] [--workers N] [--blocks N] [--runners N] [--batch N]\n"
                 "          [--milliseconds N] [--windows N]",
                 RunInferenceBench},
    BenchCommand{"selfplay",
                 "self-play of a config with the real processes, beside the bare loop\n"
                 "          --config F [--set key=value]... [--seconds N] [--windows N]",
                 RunSelfplayBench},
    BenchCommand{
        "sharing",
        "one server for all workers beside a model and a process for each: memory, speed\n"
        "          [--config F] [--set key=value]... [--workers 1,2,4] [--games N] [--seconds N]",
        RunSharingBench},
    BenchCommand{"strength",
                 "two ways to search with one network, in colour-swapped games, on one core\n"
                 "          --checkpoint RUN|CHECKPOINT [--a OPTIONS] [--b OPTIONS]\n"
                 "          [--visits 16,32,64] [--games N] [--opening-plies N] [--seed N];\n"
                 "          OPTIONS: default, plain or key=value,key=value of the search section",
                 RunStrengthBench},
};

}  // namespace

std::span<const BenchCommand> TorchCommands() { return kCommands; }

}  // namespace az
