#pragma once
// LineSplitter: lines out of the pieces in which a stream comes. Never holds more than one line of
// the largest size and one piece.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace az {

// Thread-compatible.
class LineSplitter {
 public:
  // Lines of more than `most` bytes come back cut to `most` + 1.
  explicit LineSplitter(std::size_t most) : most_(most) {}

  // REQUIRES: Next gave everything of the piece before.
  void Add(std::string_view piece);
  // The stream is over: what has no end of its own is the last line.
  void End() { ended_ = true; }
  // The next line, without its end ("\n" or "\r\n"); nothing: more must be added first.
  std::optional<std::string> Next();

 private:
  std::string Finish();

  std::size_t most_;
  std::string piece_;
  std::size_t at_ = 0;  // of the piece
  std::string line_;    // that has begun
  bool ended_ = false;
};

}  // namespace az
