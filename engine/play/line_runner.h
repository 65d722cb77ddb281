#pragma once
// LineRunner: runs a dialogue over two file descriptors. Lines longer than kMostLineBytes are
// refused and not kept. A last line without a line end counts.

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

// Does not own the descriptors. The program must ignore SIGPIPE, so that Write notices that the
// reader is gone. Confined to one thread.
class LineRunner final : public LinePort {
 public:
  // `is_stopped`: returns true once no further line is to be answered; may be empty.
  LineRunner(int in, int out, std::function<bool()> is_stopped = {})
      : in_(in), out_(out), is_stopped_(std::move(is_stopped)) {}

  bool Write(std::string_view text) override;
  bool InputWaits(Duration at_most) override;

  // Runs until the input ends, the dialogue ends, nobody reads, or is_stopped returns true. Fails
  // with kIo when the input cannot be read, and as Dialogue::Idle does.
  Result<DialogueEnd> Run(Dialogue& dialogue);

 private:
  // Reads what is there, waiting for it up to `at_most`.
  void Read(Duration at_most);

  int in_;
  int out_;
  std::function<bool()> is_stopped_;
  LineSplitter splitter_{kMostLineBytes};
  std::deque<std::string> lines_;  // lines not answered yet
  bool has_ended_ = false;
  int read_error_ = 0;
  bool is_read_ = true;
};

}  // namespace az
