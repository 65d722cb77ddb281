#include "games/game_ops.h"

#include "base/hash.h"
#include "base/strings.h"

namespace az {

std::uint64_t GameInfo::Hash() const {
  std::uint64_t hash = 0x67616D65U;
  const auto add = [&](std::uint64_t value) { hash = HashCombine(hash, value); };
  add(entry.size());
  for (const char letter : entry) add(static_cast<unsigned char>(letter));
  for (const int number : {num_actions, shape.planes, shape.rows, shape.cols}) {
    add(static_cast<std::uint64_t>(number));
  }
  return hash;
}

Result<std::unique_ptr<Position>> GameOps::Replay(std::span<const Action> actions) const {
  std::unique_ptr<Position> position = Start();
  for (std::size_t ply = 0; ply < actions.size(); ++ply) {
    if (auto applied = position->Apply(actions[ply]); !applied.has_value()) {
      return Error{Errc::kCorrupt, StrCat("ply ", ply, ": ", applied.error().message)};
    }
  }
  return position;
}

}  // namespace az
