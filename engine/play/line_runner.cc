#include "engine/play/line_runner.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/strings.h"

namespace az {
namespace {

constexpr Duration kIdleEvery = std::chrono::milliseconds(100);

}  // namespace

bool LineRunner::Write(std::string_view text) {
  is_read_ = is_read_ && WriteAll(out_, std::as_bytes(std::span(text)), "output").has_value();
  return is_read_;
}

void LineRunner::Read(Duration at_most) {
  if (has_ended_) return;
  pollfd ready{.fd = in_, .events = POLLIN, .revents = 0};
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(at_most).count();
  if (poll(&ready, 1, static_cast<int>(wait)) <= 0) return;
  std::array<char, 1 << 16> bytes;
  const ssize_t count = read(in_, bytes.data(), bytes.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count > 0) {
    splitter_.Add({bytes.data(), static_cast<std::size_t>(count)});
  } else {
    if (count < 0) read_error_ = errno;
    has_ended_ = true;
    splitter_.End();
  }
  while (std::optional<std::string> line = splitter_.Next()) lines_.push_back(*std::move(line));
}

bool LineRunner::InputWaits(Duration at_most) {
  if (lines_.empty()) Read(at_most);
  return !lines_.empty() || has_ended_;
}

Result<DialogueEnd> LineRunner::Run(Dialogue& dialogue) {
  DialogueNext next = dialogue.Begin(*this);
  while (next == DialogueNext::kGoOn) {
    if (is_stopped_ && is_stopped_()) return DialogueEnd::kStopped;
    if (!InputWaits(kIdleEvery)) {
      AZ_RETURN_IF_ERROR(dialogue.Idle());
      continue;
    }
    if (lines_.empty()) {
      if (read_error_ != 0) return SystemError("read input", read_error_);
      return DialogueEnd::kInputEnded;
    }
    const std::string line = std::move(lines_.front());
    lines_.pop_front();
    next = line.size() <= kMostLineBytes
               ? dialogue.Handle(line, *this)
               : dialogue.Refuse(StrCat("a line is longer than ", kMostLineBytes, " bytes"), *this);
  }
  return is_read_ ? DialogueEnd::kQuit : DialogueEnd::kNobodyReads;
}

}  // namespace az
