#include "engine/play/line_runner.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"

namespace az {
namespace {

struct Pipe {
  UniqueFd out;
  UniqueFd in;
};
Pipe MakePipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Says "<length>;" to a line, and the reason to what is none.
class Lengths final : public Dialogue {
 public:
  DialogueNext Begin(LinePort& port) override {
    port.Write("begin;");
    return DialogueNext::kGoOn;
  }
  DialogueNext Handle(std::string_view line, LinePort& port) override {
    if (line == "quit") return DialogueNext::kQuit;
    return port.Write(std::to_string(line.size()) + ";") ? DialogueNext::kGoOn
                                                         : DialogueNext::kQuit;
  }
  DialogueNext Refuse(std::string_view, LinePort& port) override {
    port.Write("refused;");
    return DialogueNext::kGoOn;
  }
  Result<void> Idle() override {
    if (fails_when_idle) return Error{Errc::kPeerGone, "gone"};
    return {};
  }
  bool fails_when_idle = false;
};

// What is said to `input` before it ends.
std::string SaidTo(const std::string& input) {
  Pipe to = MakePipe();
  Pipe from = MakePipe();
  std::jthread writer([&] {
    EXPECT_TRUE(WriteAll(to.in.get(), std::as_bytes(std::span(input)), "pipe"));
    to.in.Reset();
  });
  Lengths lengths;
  LineRunner runner(to.out.get(), from.in.get());
  EXPECT_EQ(runner.Run(lengths).value(), DialogueEnd::kInputEnded);
  from.in.Reset();
  std::string said;
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t count = read(from.out.get(), bytes.data(), bytes.size());
    if (count <= 0) return said;
    said.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

TEST(LineRunner, BringsEveryLineAndTheLastWithoutAnEnd) {
  EXPECT_EQ(SaidTo(""), "begin;");
  EXPECT_EQ(SaidTo("a\n\nbcd\r\n"), "begin;1;0;3;");
  EXPECT_EQ(SaidTo("a\nlast"), "begin;1;4;");
  EXPECT_EQ(SaidTo(std::string("\0\n\xff\n", 4)), "begin;1;1;");
}

TEST(LineRunner, RefusesLinesThatAreTooLongOnce) {
  const std::string longest(kMostLineBytes, 'x');
  EXPECT_EQ(SaidTo(longest + "\nab\n"), "begin;" + std::to_string(kMostLineBytes) + ";2;");
  EXPECT_EQ(SaidTo(longest + "x\nab\n"), "begin;refused;2;");
  EXPECT_EQ(SaidTo(longest + longest + longest + "\nab\ncd"), "begin;refused;2;2;");
  EXPECT_EQ(SaidTo(longest + longest), "begin;refused;");
}

TEST(LineRunner, StopsReadingAfterQuit) {
  Pipe to = MakePipe();
  Pipe from = MakePipe();
  const std::string input = "quit\nabc\n";
  ASSERT_TRUE(WriteAll(to.in.get(), std::as_bytes(std::span(input)), "pipe"));
  Lengths lengths;
  LineRunner runner(to.out.get(), from.in.get());
  EXPECT_EQ(runner.Run(lengths).value(), DialogueEnd::kQuit);  // although the input is still open
}

TEST(LineRunner, AnswersNoLineOnceItIsStopped) {
  Pipe to = MakePipe();
  Pipe from = MakePipe();
  const std::string input = "a\nb\nc\n";
  ASSERT_TRUE(WriteAll(to.in.get(), std::as_bytes(std::span(input)), "pipe"));
  Lengths lengths;
  int looks = 0;
  LineRunner runner(to.out.get(), from.in.get(), [&] { return ++looks > 2; });
  EXPECT_EQ(runner.Run(lengths).value(), DialogueEnd::kStopped);
  from.in.Reset();
  std::array<char, 64> bytes;
  const ssize_t count = read(from.out.get(), bytes.data(), bytes.size());
  EXPECT_EQ(std::string(bytes.data(), static_cast<std::size_t>(count)), "begin;1;1;");
}

TEST(LineRunner, SaysThatNobodyReads) {
  signal(SIGPIPE, SIG_IGN);
  Pipe to = MakePipe();
  Pipe from = MakePipe();
  from.out.Reset();
  const std::string input = "abc\n";
  ASSERT_TRUE(WriteAll(to.in.get(), std::as_bytes(std::span(input)), "pipe"));
  Lengths lengths;
  LineRunner runner(to.out.get(), from.in.get());
  EXPECT_EQ(runner.Run(lengths).value(), DialogueEnd::kNobodyReads);
}

TEST(LineRunner, LooksAfterThePlayerWhileNothingComes) {
  Pipe to = MakePipe();
  Pipe from = MakePipe();
  Lengths lengths;
  lengths.fails_when_idle = true;
  LineRunner runner(to.out.get(), from.in.get());
  const auto run = runner.Run(lengths);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message, "gone");
}

TEST(LineRunner, SeesInputOnceALineIsWhole) {
  Pipe to = MakePipe();
  LineRunner runner(to.out.get(), STDOUT_FILENO);
  EXPECT_FALSE(runner.InputWaits(Duration::zero()));
  const auto say = [&](std::string text) {
    ASSERT_TRUE(WriteAll(to.in.get(), std::as_bytes(std::span(text)), "pipe"));
  };
  say("ab");
  EXPECT_FALSE(runner.InputWaits(Duration::zero()));
  say("c\n");
  EXPECT_TRUE(runner.InputWaits(std::chrono::seconds(1)));
  EXPECT_TRUE(runner.InputWaits(Duration::zero()));
}

}  // namespace
}  // namespace az
