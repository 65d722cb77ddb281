#pragma once
// A dialogue in lines: a GTP controller or a person at one end (LinePort), the engine at the other
// (Dialogue). engine/play/line_runner.h connects the two over file descriptors.

#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace az {

// The end of the person or controller. Confined to one thread.
class LinePort {
 public:
  virtual ~LinePort() = default;
  // Writes all of the text at once. Returns false when nobody reads any more, so that the dialogue
  // should end.
  virtual bool Write(std::string_view text) = 0;
  // Whether a line, or the end of the input, can be read; waits up to `at_most` for that.
  virtual bool InputWaits(Duration at_most) = 0;
};

enum class DialogueNext : unsigned char { kGoOn, kQuit };

// The engine's end. Confined to one thread.
class Dialogue {
 public:
  virtual ~Dialogue() = default;
  // Called before the first line.
  virtual DialogueNext Begin(LinePort& port) = 0;
  // Answers a line, given without its line end; may take as long as a player thinks.
  virtual DialogueNext Handle(std::string_view line, LinePort& port) = 0;
  // Answers input that could not be read as a line.
  virtual DialogueNext Refuse(std::string_view why, LinePort& port) = 0;
  // Called a few times a second while there is no line. Must not block. An error ends the dialogue.
  virtual Result<void> Idle() = 0;
};

}  // namespace az
