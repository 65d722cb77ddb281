#include "engine/process/control_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>

#include "base/strings.h"

namespace az {
namespace {

Error PeerGone() {
  return Error{Errc::kPeerGone, "control channel: the process at the other end has gone"};
}

bool WouldBlock(int number) { return number == EAGAIN || number == EWOULDBLOCK; }

}  // namespace

Result<std::pair<UniqueFd, UniqueFd>> ControlChannel::MakePair() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return SystemError("create control socket pair", errno);
  }
  return std::pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

Result<void> ControlChannel::Send(const ControlMessage& message) {
  if (closed_) return PeerGone();
  const std::string line = ToLine(message);
  if (line.size() > kMaxLineBytes) {
    return Error{Errc::kInvalid, StrCat("send ", MessageName(message), " message: ", line.size(),
                                        " bytes, at most ", kMaxLineBytes, " fit a line")};
  }
  if (outgoing_.size() - sent_ + line.size() + 1 > kMaxQueuedBytes) {
    return Error{Errc::kBusy, StrCat("send ", MessageName(message), " message: ",
                                     outgoing_.size() - sent_, " bytes wait already, at most ",
                                     kMaxQueuedBytes, " may (the other process does not read)")};
  }
  outgoing_ += line;
  outgoing_ += '\n';
  return Flush();
}

Result<void> ControlChannel::Flush() {
  while (wants_write()) {
    const ssize_t count = ::send(socket_.get(), outgoing_.data() + sent_, outgoing_.size() - sent_,
                                 MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
      sent_ += static_cast<std::size_t>(count);
    } else if (WouldBlock(errno)) {
      if (sent_ > kMaxLineBytes) {  // keeps the buffer from growing behind a slow reader
        outgoing_.erase(0, sent_);
        sent_ = 0;
      }
      return {};
    } else if (errno != EINTR) {
      const int number = errno;
      outgoing_.clear();
      sent_ = 0;
      if (number == EPIPE || number == ECONNRESET) return PeerGone();
      return SystemError("send on control channel", number);
    }
  }
  outgoing_.clear();
  sent_ = 0;
  return {};
}

Result<void> ControlChannel::PollUntil(short events, Deadline deadline) const {
  while (true) {
    pollfd entry{socket_.get(), events, 0};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline.Left(std::chrono::seconds(60)));
    const int count = ::poll(&entry, 1, static_cast<int>(left.count()));
    if (count > 0) return {};
    if (count < 0 && errno != EINTR) return SystemError("poll control channel", errno);
    if (deadline.Passed()) return Error{Errc::kTimeout, "control channel: the deadline has passed"};
  }
}

Result<void> ControlChannel::FlushUntil(Deadline deadline) {
  AZ_RETURN_IF_ERROR(Flush());
  while (wants_write()) {
    AZ_RETURN_IF_ERROR(PollUntil(POLLOUT, deadline));
    AZ_RETURN_IF_ERROR(Flush());
  }
  return {};
}

std::optional<std::string> ControlChannel::TakeLine() {
  const std::size_t end = incoming_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = incoming_.size();
    return std::nullopt;
  }
  std::string line = incoming_.substr(taken_, end - taken_);
  taken_ = searched_ = end + 1;
  return line;
}

// Reads until a line is complete, or one that is too long has begun, or nothing more is there.
Result<void> ControlChannel::Fill() {
  incoming_.erase(0, taken_);
  searched_ -= taken_;
  taken_ = 0;
  char buffer[16 << 10];
  while (incoming_.size() <= kMaxLineBytes) {
    const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (count > 0) {
      const std::string_view piece(buffer, static_cast<std::size_t>(count));
      incoming_ += piece;
      if (piece.find('\n') != std::string_view::npos) break;
    } else if (count == 0 || errno == ECONNRESET) {
      closed_ = true;
      break;
    } else if (WouldBlock(errno)) {
      break;
    } else if (errno != EINTR) {
      return SystemError("receive on control channel", errno);
    }
  }
  return {};
}

Result<std::optional<ControlMessage>> ControlChannel::Receive() {
  std::optional<std::string> line = TakeLine();
  if (!line && !closed_) {
    AZ_RETURN_IF_ERROR(Fill());
    line = TakeLine();
  }
  if (line) {
    AZ_ASSIGN_OR_RETURN(ControlMessage message, ParseLine(*line));
    return std::optional(std::move(message));
  }
  if (incoming_.size() - taken_ > kMaxLineBytes) {
    closed_ = true;
    incoming_.clear();
    taken_ = searched_ = 0;
    return Error{Errc::kCorrupt, StrCat("control channel: a line of more than ", kMaxLineBytes,
                                        " bytes has arrived")};
  }
  if (closed_) return PeerGone();
  return std::optional<ControlMessage>();
}

Result<ControlMessage> ControlChannel::Await(Deadline deadline) {
  while (true) {
    const Result<void> flushed = Flush();  // a peer that has gone may have left lines to read
    if (!flushed && flushed.error().code != Errc::kPeerGone) return flushed.error();
    AZ_ASSIGN_OR_RETURN(std::optional<ControlMessage> message, Receive());
    if (message) return std::move(*message);
    AZ_RETURN_IF_ERROR(
        PollUntil(static_cast<short>(wants_write() ? POLLIN | POLLOUT : POLLIN), deadline));
  }
}

}  // namespace az
