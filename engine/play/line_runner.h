#pragma once
// LineRunner: a dialogue over two file descriptors. Longer lines than kMostLineBytes are refused
// and not kept; a last line without a line end counts.

#include <cstddef>
#include <string>

#include "base/result.h"
#include "engine/play/dialogue.h"

namespace az {

inline constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

enum class DialogueEnd : unsigned char { kInputEnded, kQuit, kNobodyReads };

// Confined to one thread. Does not own the descriptors. Whoever runs one ignores SIGPIPE, so that a
// reader who is gone is seen by Write.
class LineRunner final : public LinePort {
 public:
  LineRunner(int in, int out) : in_(in), out_(out) {}

  bool Write(std::string_view text) override;
  bool InputWaits(Duration at_most) override;

  // Until the input ends, the dialogue does, or nobody reads. Fails: kIo (the input), and what
  // Dialogue::Idle fails with.
  Result<DialogueEnd> Run(Dialogue& dialogue);

 private:
  enum class Got : unsigned char { kNothing, kLine, kTooLong, kEnd };

  Got Next();
  // Forgets the first bytes of `unread_` and the line end behind them.
  void Take(std::size_t size);
  // Reads what is there, waiting for it no longer than that.
  void Fill(Duration at_most);

  int in_;
  int out_;
  std::string unread_;        // what was read and not taken as a line yet
  std::size_t searched_ = 0;  // no line end before this
  std::string line_;          // the last one taken
  bool is_dropping_ = false;  // within a line that is too long
  bool has_ended_ = false;
  int read_error_ = 0;
  bool is_read_ = true;
};

}  // namespace az
