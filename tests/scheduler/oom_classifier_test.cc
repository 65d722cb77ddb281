#include "scheduler/oom_classifier.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace az {
namespace {

constexpr MemoryRoom kPlenty{.free = GiB(4), .guard = MiB(128)};
constexpr MemoryRoom kShort{.free = MiB(20), .guard = MiB(128)};
constexpr MemoryRoom kUnknown{.free = std::nullopt, .guard = MiB(128)};

Failure OfText(std::string_view text, const MemoryRoom& room = kUnknown) {
  return Classify({.kind = ExceptionKind::kTorch, .code = 0, .text = text}, room);
}

TEST(OomClassifier, KnowsTheTypesThatSayIt) {
  EXPECT_EQ(Classify({.kind = ExceptionKind::kOutOfMemory, .code = 0, .text = "whatever"}, kPlenty),
            Failure::kDeviceMemory);
  EXPECT_EQ(
      Classify({.kind = ExceptionKind::kBadAlloc, .code = 0, .text = "std::bad_alloc"}, kPlenty),
      Failure::kHostMemory);
  EXPECT_EQ(
      Classify({.kind = ExceptionKind::kAccelerator, .code = 2, .text = "CUDA error"}, kPlenty),
      Failure::kDeviceMemory);
  EXPECT_EQ(
      Classify({.kind = ExceptionKind::kAccelerator, .code = 1, .text = "CUDA error: x"}, kShort),
      Failure::kOther);
}

// Texts as the libraries print them, with what surrounds them in a log.
TEST(OomClassifier, KnowsTheTextsOfADeviceWithoutMemory) {
  for (const char* text : {
           "CUDA out of memory. Tried to allocate 118.00 MiB. GPU 0 has a total capacity of 39.50 "
           "GiB of which 35.00 MiB is free.",
           "CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported at some "
           "other API call",
           "CUDA driver error: out of memory",
           "cudaMalloc failed (out of memory)",
           "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
           "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
       }) {
    EXPECT_EQ(OfText(text, kPlenty), Failure::kDeviceMemory) << text;
  }
}

TEST(OomClassifier, KnowsTheTextsOfAHostWithoutMemory) {
  for (const char* text : {
           "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate "
           "memory: you tried to allocate 549755813888 bytes. Error code 12 (Cannot allocate "
           "memory)",
           "DefaultCPUAllocator: not enough memory: you tried to allocate 4096 bytes.",
           "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED",
       }) {
    EXPECT_EQ(OfText(text), Failure::kHostMemory) << text;
  }
}

TEST(OomClassifier, DoubtfulTextsAreMemoryOnlyWhereItIsShort) {
  for (const char* text : {
           "GET was unable to find an engine to execute this computation",
           "Unable to find a valid cuDNN algorithm to run convolution",
           "Expected mha_graph.execute(handle, variant_pack, workspace_ptr.get()).is_good() to be "
           "true, but got false.",
           "cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a "
           "non-contiguous input.",
           "CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasGemmEx`",
           "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
       }) {
    EXPECT_EQ(OfText(text, kShort), Failure::kDeviceMemory) << text;
    EXPECT_EQ(OfText(text, kPlenty), Failure::kOther) << text;
    EXPECT_EQ(OfText(text, kUnknown), Failure::kOther) << text;
  }
}

// A card of 12 GiB of which 4 are used, 2 of them by our allocator.
MemorySnapshot Card(std::optional<Bytes> cap) {
  MemorySnapshot card;
  card.reserved = GiB(2);
  card.used = GiB(4);
  card.total = GiB(12);
  card.cap = cap;
  return card;
}

TEST(OomClassifier, TheRoomIsTheLeastOfDeviceAndCap) {
  EXPECT_EQ(RoomIn(Card(std::nullopt)).free, GiB(8));
  EXPECT_EQ(RoomIn(Card(std::nullopt)).guard, kShortOfMemory);
  EXPECT_EQ(RoomIn(Card(GiB(2) + MiB(20))).free, MiB(20));
  EXPECT_EQ(RoomIn(Card(GiB(11))).free, GiB(8));  // others have what it would allow
  MemorySnapshot blind = Card(GiB(11));
  blind.used = std::nullopt;
  EXPECT_EQ(RoomIn(blind).free, GiB(9));
  blind.reserved = std::nullopt;
  EXPECT_EQ(RoomIn(blind).free, std::nullopt);
}

// cuDNN hides the refusal of its workspaces, which the cap makes while the card has gigabytes.
TEST(OomClassifier, ACapThatIsNearMakesDoubtfulTextsMemory) {
  constexpr std::string_view kNoEngine =
      "GET was unable to find an engine to execute this computation";
  EXPECT_EQ(OfText(kNoEngine, RoomIn(Card(std::nullopt))), Failure::kOther);
  EXPECT_EQ(OfText(kNoEngine, RoomIn(Card(GiB(2) + MiB(20)))), Failure::kDeviceMemory);
}

TEST(OomClassifier, KnowsALostDeviceByCodeAndByText) {
  for (const int code : {214, 700, 702, 710, 715, 716, 719}) {
    EXPECT_EQ(
        Classify({.kind = ExceptionKind::kAccelerator, .code = code, .text = "CUDA error"}, kShort),
        Failure::kDeviceLost)
        << code;
  }
  for (const char* text : {
           "CUDA error: an illegal memory access was encountered",
           "CUDA error: unspecified launch failure",
           "CUDA error: uncorrectable ECC error encountered",
           "CUDA error: device-side assert triggered",
       }) {
    EXPECT_EQ(OfText(text, kShort), Failure::kDeviceLost) << text;
  }
}

// A lost device's later calls fail for every reason: what says both is lost.
TEST(OomClassifier, ALostDeviceIsNotOutOfMemory) {
  EXPECT_EQ(OfText("CUBLAS_STATUS_ALLOC_FAILED after CUDA error: an illegal memory access was "
                   "encountered",
                   kShort),
            Failure::kDeviceLost);
}

TEST(OomClassifier, OtherErrorsStayWhatTheyAre) {
  for (const char* text : {
           "mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)",
           "Expected all tensors to be on the same device",
           "CUDA error: invalid device function",
           "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
           "",
       }) {
    EXPECT_EQ(OfText(text, kShort), Failure::kOther) << text;
  }
}

}  // namespace
}  // namespace az
