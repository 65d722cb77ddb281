#include "engine/players/gtp_player.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/files.h"
#include "base/rng.h"
#include "base/strings.h"
#include "engine/players/gtp_process.h"

namespace az {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string Fake(std::string_view arguments) {
  return StrCat("python3 ", AZ_FAKE_GTP, " ", arguments);
}

GtpReply Await(GtpPlayer& player) {
  const Deadline limit = Deadline::In(seconds(20));
  while (!limit.Passed()) {
    if (std::optional<GtpReply> reply = player.Poll()) return *reply;
    pollfd descriptor{.fd = player.output(), .events = POLLIN, .revents = 0};
    ::poll(&descriptor, 1, 10);
  }
  ADD_FAILURE() << "no reply";
  return {};
}

GtpReply Ask(std::string_view fault, Duration timeout = seconds(10)) {
  const SteadyClock clock;
  GtpPlayer player({.command = Fake(fault), .board_size = 3, .timeout = timeout}, clock);
  player.NewGame();
  player.TellMove(Player::kFirst, "a1");
  player.AskMove(Player::kSecond, nullptr);
  return Await(player);
}

// Whether a process of that group is left, after some time to end.
bool GroupLives(pid_t group) {
  const Deadline limit = Deadline::In(seconds(5));
  while (::kill(-group, 0) == 0) {
    if (limit.Passed()) return true;
    ::usleep(2000);
  }
  return false;
}

TEST(GtpAnswer, IsTakenWhole) {
  struct Case {
    std::string_view bytes;
    std::string_view text;
    bool ok = true;
    std::string_view rest;
  };
  const Case cases[] = {
      {"= D4\n\n", "D4", true, ""},
      {"=\n\n", "", true, ""},
      {"=12 a1\n\n= b2\n\n", "a1", true, "= b2\n\n"},
      {"?3 no\tsuch move\n\n", "no such move", false, ""},
      {"\n\r\n=\tx \r\n\r\n", "x", true, ""},
      {"= a\nb\n c\n\n", "a\nb\nc", true, ""},
      {std::string_view("= a\0b\x01\n\n", 8), "ab", true, ""},
  };
  for (const Case& c : cases) {
    std::string bytes(c.bytes);
    const auto answer = TakeGtpAnswer(bytes);
    ASSERT_TRUE(answer && answer->has_value()) << c.bytes;
    EXPECT_EQ((*answer)->text, c.text);
    EXPECT_EQ((*answer)->ok, c.ok);
    EXPECT_EQ(bytes, c.rest);
  }
  for (const std::string_view part : {"", "\n", "=", "= D4", "= D4\n", "?", "= a\nb\n"}) {
    std::string bytes(part);
    const auto answer = TakeGtpAnswer(bytes);
    ASSERT_TRUE(answer) << part;
    EXPECT_FALSE(answer->has_value()) << part;
  }
  for (const std::string_view junk : {"hello\n", "x", "\n\nGNU Go", "\x7f\x80="}) {
    std::string bytes(junk);
    EXPECT_FALSE(TakeGtpAnswer(bytes)) << junk;
  }
  std::string endless = "= " + std::string(kMaxGtpAnswer, 'x');
  EXPECT_FALSE(TakeGtpAnswer(endless));
}

TEST(GtpAnswer, JunkNeverEndsTheProcess) {
  Rng rng(5);
  constexpr std::string_view kBytes = "=?\n\n\r\t 1a\0\xff";
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (std::uint64_t n = rng.Below(20); n > 0; --n) bytes += kBytes[rng.Below(kBytes.size())];
    const std::size_t before = bytes.size();
    const auto answer = TakeGtpAnswer(bytes);
    const bool taken = answer && answer->has_value();
    EXPECT_EQ(bytes.size() < before, taken);
  }
}

TEST(GtpPlayer, PlaysGameAfterGameWithOneProcess) {
  const SteadyClock clock;
  GtpPlayer player({.command = Fake("none"), .board_size = 3, .timeout = seconds(10)}, clock);
  pid_t group = 0;
  for (int game = 0; game < 3; ++game) {
    player.NewGame();
    player.TellMove(Player::kFirst, "a1");
    player.AskMove(Player::kSecond, nullptr);
    EXPECT_EQ(Await(player).move, "b1");
    player.TellMove(Player::kFirst, "c1");
    player.AskMove(Player::kSecond, nullptr);
    EXPECT_EQ(Await(player).move, "a2");
    if (game == 0) group = player.process()->group();
    EXPECT_EQ(player.process()->group(), group);
  }
}

TEST(GtpPlayer, EveryFaultIsToldApart) {
  struct Case {
    std::string_view fault;
    GtpFault expected;
    std::string_view part;
  };
  const Case cases[] = {
      {"die_at_start", GtpFault::kGone, "exit status 4"},
      {"die_at_genmove", GtpFault::kGone, "exit status 3"},
      {"close_output", GtpFault::kGone, ""},
      {"refuse_play", GtpFault::kRefused, "illegal move"},
      {"refuse_genmove", GtpFault::kRefused, "cannot think"},
      {"junk", GtpFault::kRefused, "begins neither"},
      {"long_line", GtpFault::kRefused, "longer than"},
      {"no_end", GtpFault::kRefused, "longer than"},
      {"version_3", GtpFault::kRefused, "version '3'"},
      {"no_genmove", GtpFault::kRefused, "no command genmove"},
  };
  for (const Case& c : cases) {
    const GtpReply reply = Ask(c.fault);
    ASSERT_TRUE(reply.fault.has_value()) << c.fault << " moved " << reply.move.substr(0, 20);
    EXPECT_EQ(*reply.fault, c.expected) << c.fault << ": " << reply.reason;
    EXPECT_NE(reply.reason.find(c.part), std::string::npos) << c.fault << ": " << reply.reason;
  }
  EXPECT_EQ(Ask("hang", milliseconds(1500)).fault, GtpFault::kNoAnswer);
  const SteadyClock clock;
  GtpPlayer missing({.command = "/no/such/program --x"}, clock);
  missing.NewGame();
  missing.AskMove(Player::kFirst, nullptr);
  const GtpReply reply = Await(missing);
  EXPECT_EQ(reply.fault, GtpFault::kGone);
  EXPECT_NE(reply.reason.find("no such command"), std::string::npos) << reply.reason;
}

TEST(GtpPlayer, WhatIsNoFaultIsTakenAsItIs) {
  EXPECT_EQ(Ask("noise").move, "b1");
  EXPECT_EQ(Ask("illegal").move, "z99");  // whoever knows the game judges it
  const GtpReply resigned = Ask("resign");
  EXPECT_FALSE(resigned.fault.has_value());
  EXPECT_TRUE(resigned.move.empty());
}

TEST(GtpPlayer, StartsAgainAfterAFault) {
  const SteadyClock clock;
  // Dies at its first start, plays at its second.
  const std::string mark = testing::TempDir() + StrCat("gtp_mark_", ::getpid());
  std::filesystem::remove(mark);
  GtpPlayer player({.command = StrCat("if [ -e ", mark, " ]; then exec ", Fake("none"),
                                      "; else touch ", mark, "; exit 9; fi"),
                    .board_size = 3,
                    .timeout = seconds(10)},
                   clock);
  player.NewGame();
  player.AskMove(Player::kFirst, nullptr);
  EXPECT_EQ(Await(player).fault, GtpFault::kGone);
  player.NewGame();
  player.AskMove(Player::kFirst, nullptr);
  EXPECT_EQ(Await(player).move, "a1");
  std::filesystem::remove(mark);
}

TEST(GtpPlayer, AGameLetGoInTheMiddleOfAQuestionDisturbsNoOther) {
  const SteadyClock clock;
  GtpPlayer player({.command = Fake("none"), .board_size = 3, .timeout = seconds(10)}, clock);
  player.NewGame();
  player.AskMove(Player::kFirst, nullptr);
  player.Poll();
  player.NewGame();
  player.TellMove(Player::kFirst, "a1");
  player.AskMove(Player::kSecond, nullptr);
  EXPECT_EQ(Await(player).move, "b1");
}

// The group holds a grandchild that would outlive its parent.
TEST(GtpProcess, NothingIsLeftWhenItIsDestroyed) {
  pid_t group = 0;
  {
    auto process = GtpProcess::Start("sleep 1000 & sleep 1000");
    ASSERT_TRUE(process) << process.error().message;
    group = process->group();
    EXPECT_EQ(::kill(-group, 0), 0);
  }
  EXPECT_FALSE(GroupLives(group));
}

TEST(GtpProcess, NothingIsLeftWhenItsOwnerIsKilled) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t owner = ::fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    auto process = GtpProcess::Start("sleep 1000 & sleep 1000");
    const pid_t group = process ? process->group() : -1;
    if (::write(pipe[1], &group, sizeof group) != sizeof group) ::_exit(1);
    while (true) ::pause();
  }
  pid_t group = -1;
  ASSERT_EQ(::read(pipe[0], &group, sizeof group), static_cast<ssize_t>(sizeof group));
  ASSERT_GT(group, 0);
  EXPECT_EQ(::kill(-group, 0), 0);
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_FALSE(GroupLives(group));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace az
