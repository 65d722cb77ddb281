#include "bench/commands.h"

namespace az {

std::span<const BenchCommand> TorchCommands() { return {}; }

}  // namespace az
