#pragma once
// Dialogues of lines: a GTP controller or a person on one end (LinePort), the engine on the other
// (Dialogue). engine/play/line_runner.h brings both together over file descriptors.

#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace az {

// The other end. Confined to one thread.
class LinePort {
 public:
  virtual ~LinePort() = default;
  // All of the text, at once. False: nobody reads any more; the dialogue is to end.
  virtual bool Write(std::string_view text) = 0;
  // Whether a line, or the end of the input, can be read; waits for that no longer than `at_most`.
  virtual bool InputWaits(Duration at_most) = 0;
};

enum class DialogueNext : unsigned char { kGoOn, kQuit };

// Our end. Confined to one thread.
class Dialogue {
 public:
  virtual ~Dialogue() = default;
  // Before the first line.
  virtual DialogueNext Begin(LinePort& port) = 0;
  // Answers a line, without its line end; may take as long as a player thinks.
  virtual DialogueNext Handle(std::string_view line, LinePort& port) = 0;
  // Answers what could not be read as a line.
  virtual DialogueNext Refuse(std::string_view why, LinePort& port) = 0;
  // Called a few times a second while no line comes. An error ends the dialogue.
  virtual Result<void> Idle() = 0;
};

}  // namespace az
