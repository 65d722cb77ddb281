#include "bench/command.h"

namespace az {

std::span<const BenchCommand> TorchCommands() { return {}; }

}  // namespace az
