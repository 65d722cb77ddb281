#include "scheduler/oom_figures.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace az {
namespace {

struct Text {
  std::string text;
  OomFigures figures;  // but for the rounding
  OomCause cause;
};

constexpr Bytes Parts(double number, Bytes unit) {
  return Bytes(static_cast<std::int64_t>(number * static_cast<double>(unit.count())));
}

// As LibTorch prints them, of 2.0 (in brackets), 2.1 (with its "capacty") and later.
std::vector<Text> Texts() {
  const std::string advice = " If reserved but unallocated memory is large try something else.";
  return {
      {"CUDA out of memory. Tried to allocate 118.00 MiB. GPU 0 has a total capacity of 39.50 GiB "
       "of which 35.00 MiB is free. Including non-PyTorch memory, this process has 39.46 GiB "
       "memory in use. Of the allocated memory 38.50 GiB is allocated by PyTorch, and 12.50 MiB is "
       "reserved by PyTorch but unallocated." +
           advice,
       {MiB(118), MiB(39424), Parts(12.5, MiB(1)), MiB(35), {}, {}},
       OomCause::kTooLarge},
      {"CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacty of 44.00 GiB of "
       "which 3.75 GiB is free. Process 4711 has 1.25 GiB memory in use. Of the allocated memory "
       "36.75 GiB is allocated by PyTorch, and 3.50 GiB is reserved by PyTorch but unallocated." +
           advice,
       {GiB(2), MiB(37632), MiB(3584), MiB(3840), {}, {}},
       OomCause::kFragmentation},
      {"CUDA out of memory. Tried to allocate 1.50 GiB (GPU 0; 6.00 GiB total capacity; 4.00 GiB "
       "already allocated; 512.00 MiB free; 4.25 GiB reserved in total by PyTorch) If reserved "
       "memory is >> allocated memory try something else.",
       {MiB(1536), GiB(4), MiB(256), MiB(512), {}, {}},
       OomCause::kTooLarge},
      {"CUDA out of memory. Tried to allocate 1.50 GiB (GPU 1; 24.00 GiB total capacity; 4.00 GiB "
       "already allocated; 16.00 GiB free; 5.00 GiB allowed; 4.25 GiB reserved in total by "
       "PyTorch)",
       {MiB(1536), GiB(4), MiB(256), GiB(16), MiB(768), {}},
       OomCause::kTooLarge},
      {"CUDA out of memory. Tried to allocate 76.00 MiB. GPU 0 has a total capacity of 255.50 GiB "
       "of which 252.75 GiB is free. 1.25 GiB allowed; Of the allocated memory 1.00 GiB is "
       "allocated by PyTorch, with 17.00 MiB allocated in private pools (e.g., CUDA Graphs), and "
       "192.00 MiB is reserved by PyTorch but unallocated." +
           advice,
       {MiB(76), GiB(1), MiB(192), MiB(258816), MiB(64), {}},
       OomCause::kFragmentation},
      {"CUDA out of memory. Tried to allocate 996.00 MiB. GPU 0 has a total capacity of 191.50 GiB "
       "of which 0 bytes is free. 50.00 GiB allowed; Of the allocated memory 9.50 GiB is allocated "
       "by PyTorch, and 8.00 MiB is reserved by PyTorch but unallocated.",
       {MiB(996), MiB(9728), MiB(8), Bytes(), MiB(51200 - 9728 - 8), {}},
       OomCause::kCoTenants},
      {"make a tensor: CPU out of memory: tried to allocate 576 KiB; 2.50 MiB is allocated, 0 B is "
       "cached, 240 KiB is left below the cap of 2.73 MiB",
       {KiB(576), KiB(2560), Bytes(), {}, KiB(240), {}},
       OomCause::kTooLarge},
      {"CPU out of memory: tried to allocate 2 GiB; 1 GiB is allocated, 3 GiB is cached, there is "
       "no cap",
       {GiB(2), GiB(1), GiB(3), {}, {}, {}},
       OomCause::kUnknown},
      {"DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes. Error code "
       "12",
       {Bytes(4096), {}, {}, {}, {}, {}},
       OomCause::kUnknown},
  };
}

TEST(OomFigures, AreReadFromTheTextsThatHaveThem) {
  for (const Text& one : Texts()) {
    OomFigures read = FiguresOf(one.text);
    EXPECT_EQ(CauseOfOom(read), one.cause) << one.text;
    read.rounding = {};
    EXPECT_EQ(read, one.figures) << one.text;
  }
}

TEST(OomFigures, OtherTextsHaveNone) {
  for (const char* text :
       {"", "CUDA error: out of memory", "Tried to allocate ", "Tried to allocate much",
        "Tried to allocate 1.5 parsecs",
        "CUDA out of memory. Tried to allocate more than 1EB memory.", " is free.", "x is free.",
        "(GPU 0; free; allowed; )", "out of host memory",
        "CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"}) {
    EXPECT_EQ(FiguresOf(text), OomFigures()) << text;
    EXPECT_EQ(CauseOfOom(FiguresOf(text)), OomCause::kUnknown) << text;
  }
}

// 1.00 GiB may be 5 MiB less: too close to call is unknown, not a guess.
TEST(OomFigures, WhatPrintingRoundedAwayDecidesNothing) {
  const auto cause = [](const char* free) {
    return CauseOfOom(
        FiguresOf(std::string("Tried to allocate 1.00 GiB. GPU 0 has a total capacity "
                              "of 8.00 GiB of which ") +
                  free +
                  " is free. Of the allocated memory 6.00 GiB is allocated by "
                  "PyTorch, and 0 bytes is reserved by PyTorch but unallocated."));
  };
  EXPECT_EQ(cause("1.00 GiB"), OomCause::kUnknown);
  EXPECT_EQ(cause("1020.00 MiB"), OomCause::kUnknown);
  EXPECT_EQ(cause("1010.00 MiB"), OomCause::kTooLarge);
  EXPECT_EQ(cause("1.02 GiB"), OomCause::kFragmentation);
}

TEST(OomFigures, AreThoseThatTheAllocatorKeptIfTheyAreOfThisText) {
  const std::string text = Texts()[0].text;
  MemoryRefusal kept{.requested = MiB(118), .layers = {}};
  kept.layers.allocated = MiB(39425);
  kept.layers.reserved = MiB(39445);
  kept.layers.total = GiB(40);
  kept.layers.used = GiB(40) - MiB(36);
  kept.layers.cap = MiB(39500);
  EXPECT_TRUE(IsOf(text, kept));
  const OomFigures expected{MiB(118), MiB(39425), MiB(20), MiB(36), MiB(55), {}};
  EXPECT_EQ(FiguresOf(text, kept), expected);
  kept.requested = MiB(118) + KiB(4);  // printed alike
  EXPECT_TRUE(IsOf(text, kept));
  kept.requested = MiB(120);
  EXPECT_FALSE(IsOf(text, kept));
  EXPECT_EQ(FiguresOf(text, kept), FiguresOf(text));
  EXPECT_EQ(FiguresOf(text, std::nullopt), FiguresOf(text));
  EXPECT_FALSE(IsOf("CUDA error: out of memory", kept));
}

TEST(OomCause, IsWhatTheFiguresProveAndNoMore) {
  const auto cause = [](std::optional<Bytes> requested, std::optional<Bytes> cached,
                        std::optional<Bytes> free, std::optional<Bytes> below_cap = {}) {
    return CauseOfOom({.requested = requested,
                       .allocated = {},
                       .cached = cached,
                       .free = free,
                       .below_cap = below_cap,
                       .rounding = {}});
  };
  EXPECT_EQ(cause(MiB(118), MiB(3600), MiB(35)), OomCause::kFragmentation);
  EXPECT_EQ(cause(MiB(118), MiB(10), MiB(35)), OomCause::kTooLarge);
  EXPECT_EQ(cause({}, MiB(10), MiB(35)), OomCause::kUnknown);
  EXPECT_EQ(cause(MiB(1), {}, MiB(35)), OomCause::kUnknown);
  EXPECT_EQ(cause(MiB(1), MiB(10), {}), OomCause::kUnknown);
  // The cap alone settles it when it is short, and nothing when it is not.
  EXPECT_EQ(cause(MiB(118), MiB(10), {}, MiB(35)), OomCause::kTooLarge);
  EXPECT_EQ(cause(MiB(118), MiB(10), {}, MiB(350)), OomCause::kUnknown);
  EXPECT_EQ(cause(MiB(118), MiB(10), MiB(35), MiB(20)), OomCause::kTooLarge);
  EXPECT_EQ(cause(MiB(118), MiB(10), MiB(35), MiB(350)), OomCause::kCoTenants);
  EXPECT_EQ(cause(MiB(118), MiB(90), MiB(35), MiB(350)), OomCause::kFragmentation);
  EXPECT_EQ(OomCauseName(OomCause::kCoTenants), "co_tenants");
  EXPECT_EQ(OomCauseName(OomCause::kUnknown), "unknown");
}

}  // namespace
}  // namespace az
