#pragma once
// LineRunner: a dialogue over two file descriptors. Longer lines than kMostLineBytes are refused
// and not kept; a last line without a line end counts.

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "base/result.h"
#include "engine/play/dialogue.h"
#include "engine/play/line_splitter.h"

namespace az {

inline constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

enum class DialogueEnd : unsigned char { kInputEnded, kQuit, kNobodyReads, kStopped };

// Confined to one thread. Does not own the descriptors. Whoever runs one ignores SIGPIPE, so that a
// reader who is gone is seen by Write.
class LineRunner final : public LinePort {
 public:
  // `is_stopped`: true once no further line is to be answered; may be empty.
  LineRunner(int in, int out, std::function<bool()> is_stopped = {})
      : in_(in), out_(out), is_stopped_(std::move(is_stopped)) {}

  bool Write(std::string_view text) override;
  bool InputWaits(Duration at_most) override;

  // Until the input ends, the dialogue does, nobody reads, or is_stopped. Fails: kIo (the input),
  // and what Dialogue::Idle fails with.
  Result<DialogueEnd> Run(Dialogue& dialogue);

 private:
  // Reads what is there, waiting for it no longer than that.
  void Read(Duration at_most);

  int in_;
  int out_;
  std::function<bool()> is_stopped_;
  LineSplitter splitter_{kMostLineBytes};
  std::deque<std::string> lines_;  // read and not answered yet
  bool has_ended_ = false;
  int read_error_ = 0;
  bool is_read_ = true;
};

}  // namespace az
