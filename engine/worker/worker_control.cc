#include "engine/worker/worker_control.h"

#include <poll.h>

#include <optional>
#include <utility>

namespace az {

Result<std::vector<ControlMessage>> ChildControl::Poll() {
  Segment::Beat(segment_.worker(static_cast<std::uint32_t>(context_.arguments().segment_lane)));
  if (context_.supervisor_gone()) return Error{Errc::kPeerGone, "the supervisor is gone"};
  ControlChannel& channel = context_.channel();
  if (channel.wants_write()) AZ_RETURN_IF_ERROR(channel.Flush());
  std::vector<ControlMessage> messages;
  while (true) {
    AZ_ASSIGN_OR_RETURN(std::optional<ControlMessage> message, channel.Receive());
    if (!message) return messages;
    messages.push_back(std::move(*message));
  }
}

bool ChildControl::StopAsked() {
  return context_.stop_asked() || segment_.stop() != StopWord::kRun;
}

Result<void> ChildControl::Send(const ControlMessage& message) {
  return context_.channel().Send(message);
}

WeightsVersion ChildControl::Published(ModelId model) {
  // A hint that may be a version behind; every answer carries its own.
  return segment_.header().models[model.value()].version.load(std::memory_order_acquire);
}

void ChildControl::Idle(Duration most) {
  pollfd descriptor{.fd = context_.channel().fd(), .events = POLLIN, .revents = 0};
  if (context_.channel().wants_write()) descriptor.events |= POLLOUT;
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(most);
  ::poll(&descriptor, 1, static_cast<int>(limit.count()));  // a signal or an error: look again
}

}  // namespace az
