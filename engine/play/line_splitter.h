#pragma once
// LineSplitter: makes lines out of the pieces in which a stream arrives. Never holds more than one
// line of the largest size and one piece.

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

  // Takes the next piece. REQUIRES: Next has returned nullopt for the previous one.
  void Add(std::string_view piece);
  // Ends the stream: a rest without a line end is the last line.
  void End() { ended_ = true; }
  // The next line, without its end ("\n" or "\r\n"); nullopt: more must be added first.
  std::optional<std::string> Next();

 private:
  std::string Finish();

  std::size_t most_;
  std::string piece_;
  std::size_t at_ = 0;  // the position in the piece
  std::string line_;    // the line that has begun
  bool ended_ = false;
};

}  // namespace az
