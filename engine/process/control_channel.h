#pragma once
// The control channel: JSON lines over one end of a socketpair, used by the supervisor and by each
// child. It never blocks (but for Await and FlushUntil, which have deadlines) and never raises
// SIGPIPE.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "engine/process/messages.h"

namespace az {

// Thread-compatible. Owns its socket.
class ControlChannel {
 public:
  static constexpr std::size_t kMaxQueuedBytes = 1 << 20;

  explicit ControlChannel(UniqueFd socket) : socket_(std::move(socket)) {}

  // Two connected ends, close-on-exec. Fails: kUnavailable (limit of open files), kIo.
  static Result<std::pair<UniqueFd, UniqueFd>> MakePair();

  // For poll: readable always, writable while wants_write(). The descriptor stays the channel's.
  int fd() const { return socket_.get(); }
  bool wants_write() const { return sent_ < outgoing_.size(); }
  // The peer closed its end, or broke the rules of the channel: Receive has nothing more to say.
  bool closed() const { return closed_; }

  // Queues the message and sends what the socket takes now; Flush sends the rest. Fails: kPeerGone;
  // kBusy when more than kMaxQueuedBytes would wait (the peer does not read); kInvalid when the
  // line is longer than kMaxLineBytes. A failed message is not queued.
  Result<void> Send(const ControlMessage& message);

  // Sends what is queued as far as the socket takes it. Fails: kPeerGone, kIo.
  Result<void> Flush();
  // Blocks until nothing is queued. Fails: kTimeout too.
  Result<void> FlushUntil(Deadline deadline);

  // The next message that has arrived in full, or nothing. Lines that arrived before the peer
  // closed are all given first. Fails: kPeerGone at the end; kCorrupt for a line that is no message
  // (the next call goes on after it) or for one that is too long (the channel is then closed).
  Result<std::optional<ControlMessage>> Receive();

  // Blocks for the next message; sends what is queued meanwhile. Fails: kTimeout, and as Receive.
  Result<ControlMessage> Await(Deadline deadline);

 private:
  std::optional<std::string> TakeLine();
  Result<void> Fill();
  Result<void> PollUntil(short events, Deadline deadline) const;

  UniqueFd socket_;
  std::string outgoing_;
  std::size_t sent_ = 0;  // of outgoing_
  std::string incoming_;
  std::size_t taken_ = 0;     // of incoming_: lines given out end here
  std::size_t searched_ = 0;  // of incoming_: no newline between taken_ and this
  bool closed_ = false;
};

}  // namespace az
