#include "engine/play/line_runner.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <span>

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

void LineRunner::Fill(Duration at_most) {
  if (has_ended_) return;
  pollfd ready{.fd = in_, .events = POLLIN, .revents = 0};
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(at_most).count();
  const int polled = poll(&ready, 1, static_cast<int>(wait));
  if (polled == 0 || (polled < 0 && errno == EINTR)) return;
  std::array<char, 1 << 16> bytes;
  const ssize_t count = read(in_, bytes.data(), bytes.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count < 0) read_error_ = errno;
  has_ended_ = count <= 0;
  if (count > 0) unread_.append(bytes.data(), static_cast<std::size_t>(count));
}

LineRunner::Got LineRunner::Next() {
  for (;;) {
    const std::size_t end = unread_.find('\n', searched_);
    const bool is_whole = end != std::string::npos || has_ended_;
    const std::size_t size = std::min(end, unread_.size());
    if (is_dropping_ || size > kMostLineBytes) {  // told at once, dropped as it comes
      const bool is_news = !is_dropping_;
      is_dropping_ = !is_whole;
      Take(size);
      if (is_news) return Got::kTooLong;
      if (!is_whole) return Got::kNothing;
      continue;
    }
    if (!is_whole) {
      searched_ = size;
      return Got::kNothing;
    }
    if (unread_.empty()) return Got::kEnd;
    line_ = unread_.substr(0, size);
    Take(size);
    return Got::kLine;
  }
}

void LineRunner::Take(std::size_t size) {
  unread_.erase(0, std::min(size + 1, unread_.size()));
  searched_ = 0;
}

bool LineRunner::InputWaits(Duration at_most) {
  const auto waits = [this] {
    return has_ended_ || unread_.size() > kMostLineBytes ||
           unread_.find('\n', searched_) != std::string::npos;
  };
  if (!waits()) Fill(at_most);
  return waits();
}

Result<DialogueEnd> LineRunner::Run(Dialogue& dialogue) {
  DialogueNext next = dialogue.Begin(*this);
  while (next == DialogueNext::kGoOn) {
    switch (Next()) {
      case Got::kNothing:
        Fill(kIdleEvery);
        AZ_RETURN_IF_ERROR(dialogue.Idle());
        break;
      case Got::kLine:
        next = dialogue.Handle(line_, *this);
        break;
      case Got::kTooLong:
        next = dialogue.Refuse(StrCat("a line is longer than ", kMostLineBytes, " bytes"), *this);
        break;
      case Got::kEnd:
        if (read_error_ != 0) return SystemError("read input", read_error_);
        return DialogueEnd::kInputEnded;
    }
  }
  return is_read_ ? DialogueEnd::kQuit : DialogueEnd::kNobodyReads;
}

}  // namespace az
