#include "engine/process/control_channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/strings.h"

namespace az {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Ends {
  ControlChannel a;
  ControlChannel b;
};

Ends MakeEnds() {
  auto pair = ControlChannel::MakePair();
  AZ_CHECK(pair.has_value()) << pair.error().message;
  return {ControlChannel(std::move(pair->first)), ControlChannel(std::move(pair->second))};
}

// A message with a line of about `bytes` bytes.
ErrorMessage Long(std::size_t bytes) { return {"io", std::string(bytes, 'x'), false}; }

TEST(ControlChannel, GivesMessagesInOrder) {
  Ends ends = MakeEnds();
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(ends.a.Send(DrainMessage{i}));
  for (std::uint64_t i = 0; i < 100; ++i) {
    auto message = ends.b.Receive();
    ASSERT_TRUE(message && message->has_value());
    EXPECT_EQ(std::get<DrainMessage>(**message).phase, i);
  }
  auto nothing = ends.b.Receive();
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing->has_value());
}

TEST(ControlChannel, QueuesWhatTheSocketDoesNotTakeAndSendsItLater) {
  Ends ends = MakeEnds();
  int sent = 0;
  while (!ends.a.wants_write()) {
    ASSERT_TRUE(ends.a.Send(Long(30'000)));
    ++sent;
  }
  for (; sent < 30; ++sent) ASSERT_TRUE(ends.a.Send(Long(30'000)));
  int received = 0;
  while (received < sent) {
    auto message = ends.b.Receive();
    ASSERT_TRUE(message);
    if (*message) {
      EXPECT_EQ(std::get<ErrorMessage>(**message).message.size(), 30'000u);
      ++received;
    } else {
      ASSERT_TRUE(ends.a.Flush());
    }
  }
  ASSERT_TRUE(ends.a.Flush());
  EXPECT_FALSE(ends.a.wants_write());
}

TEST(ControlChannel, RefusesMoreThanItsQueueHolds) {
  Ends ends = MakeEnds();
  Result<void> sent;
  int count = 0;
  while (sent && count < 1000) {
    sent = ends.a.Send(Long(60'000));
    ++count;
  }
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Errc::kBusy);
  EXPECT_LT(count, 40);  // 1 MiB of ours and the socket's own buffer
}

TEST(ControlChannel, RefusesALineThatIsTooLong) {
  Ends ends = MakeEnds();
  const Result<void> sent = ends.a.Send(Long(kMaxLineBytes));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Errc::kInvalid);
  ASSERT_TRUE(ends.a.Send(StopMessage{}));
  auto message = ends.b.Await(Deadline::In(seconds(5)));
  ASSERT_TRUE(message);
  EXPECT_TRUE(std::holds_alternative<StopMessage>(*message));
}

TEST(ControlChannel, GivesWhatArrivedBeforeThePeerClosed) {
  Ends ends = MakeEnds();
  ASSERT_TRUE(
      ends.b.Send(StopMessage{}));  // unread at the other end: its close resets the connection
  ASSERT_TRUE(ends.a.Send(DrainMessage{1}));
  ASSERT_TRUE(ends.a.Send(DrainMessage{2}));
  { ControlChannel gone = std::move(ends.a); }
  for (std::uint64_t i = 1; i <= 2; ++i) {
    auto message = ends.b.Await(Deadline::In(seconds(5)));
    ASSERT_TRUE(message) << message.error().message;
    EXPECT_EQ(std::get<DrainMessage>(*message).phase, i);
  }
  for (int i = 0; i < 2; ++i) {
    auto end = ends.b.Receive();
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code, Errc::kPeerGone);
  }
  EXPECT_TRUE(ends.b.closed());
  const auto sent = ends.b.Send(StopMessage{});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Errc::kPeerGone);
}

TEST(ControlChannel, GoesOnAfterALineThatIsNoMessage) {
  Ends ends = MakeEnds();
  const std::string_view bytes = "junk\n{\"type\":\"stop\"}\n{\"type\":";
  ASSERT_EQ(::write(ends.a.fd(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  auto junk = ends.b.Receive();
  ASSERT_FALSE(junk);
  EXPECT_EQ(junk.error().code, Errc::kCorrupt);
  auto stop = ends.b.Receive();
  ASSERT_TRUE(stop && stop->has_value());
  auto part = ends.b.Receive();
  ASSERT_TRUE(part);
  EXPECT_FALSE(part->has_value());
  const std::string_view rest = "\"drain\",\"phase\":3}\n";
  ASSERT_EQ(::write(ends.a.fd(), rest.data(), rest.size()), static_cast<ssize_t>(rest.size()));
  auto drain = ends.b.Receive();
  ASSERT_TRUE(drain && drain->has_value());
  EXPECT_EQ(std::get<DrainMessage>(**drain).phase, 3u);
}

TEST(ControlChannel, ClosesOnALineWithoutEnd) {
  Ends ends = MakeEnds();
  const std::string bytes(2 * kMaxLineBytes, 'x');
  ASSERT_EQ(::write(ends.a.fd(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  auto received = ends.b.Receive();
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, Errc::kCorrupt);
  EXPECT_TRUE(ends.b.closed());
  received = ends.b.Receive();
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, Errc::kPeerGone);
}

TEST(ControlChannel, AwaitEndsAtItsDeadlineAndServesItsQueue) {
  Ends ends = MakeEnds();
  auto late = ends.b.Await(Deadline::In(milliseconds(5)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::kTimeout);
  while (!ends.a.wants_write()) ASSERT_TRUE(ends.a.Send(Long(60'000)));
  ASSERT_TRUE(ends.a.Send(StopMessage{}));  // behind what the socket could not take
  auto stuck = ends.a.FlushUntil(Deadline::In(milliseconds(5)));
  ASSERT_FALSE(stuck);
  EXPECT_EQ(stuck.error().code, Errc::kTimeout);
  std::thread reader([&ends] {
    while (true) {
      auto message = ends.b.Await(Deadline::In(seconds(5)));
      ASSERT_TRUE(message);
      if (std::holds_alternative<StopMessage>(*message)) break;
    }
    ASSERT_TRUE(ends.b.Send(DrainMessage{9}));
  });
  auto answer = ends.a.Await(Deadline::In(seconds(5)));
  reader.join();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(std::get<DrainMessage>(*answer).phase, 9u);
}

}  // namespace
}  // namespace az
