#include "engine/play/line_splitter.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace az {

void LineSplitter::Add(std::string_view piece) {
  AZ_CHECK_EQ(at_, piece_.size()) << "the last piece has more lines";
  piece_ = piece;
  at_ = 0;
}

std::optional<std::string> LineSplitter::Next() {
  if (at_ < piece_.size()) {
    const std::size_t end = std::min(piece_.find('\n', at_), piece_.size());
    const std::size_t room = most_ + 1 - std::min(most_ + 1, line_.size());
    line_.append(piece_, at_, std::min(room, end - at_));
    const bool is_whole = end < piece_.size();
    at_ = is_whole ? end + 1 : end;
    if (is_whole) return Finish();
  }
  if (ended_ && !line_.empty()) return Finish();
  return std::nullopt;
}

std::string LineSplitter::Finish() {
  if (line_.ends_with('\r')) line_.pop_back();
  return std::exchange(line_, {});
}

}  // namespace az
