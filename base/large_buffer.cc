#include "base/large_buffer.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace az {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

LargeBuffer::LargeBuffer(std::size_t size) : size_(size), mapped_(size) {
  AZ_CHECK_GT(size, 0u);
  const bool huge = size >= kHugePage;
  if (huge) mapped_ += kHugePage - 1;  // room to start on a huge page; untouched pages cost nothing
  void* const mapping =
      ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  AZ_CHECK(mapping != MAP_FAILED) << "map " << size << " bytes: errno " << errno;
  mapping_ = data_ = static_cast<std::byte*>(mapping);
  if (huge) {
    const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
    data_ += (kHugePage - address % kHugePage) % kHugePage;
    ::madvise(data_, size_, MADV_HUGEPAGE);  // advice: a system without huge pages ignores it
  }
  std::memset(data_, 0, size_);
}

LargeBuffer::LargeBuffer(LargeBuffer&& other) noexcept
    : size_(other.size_),
      mapped_(other.mapped_),
      mapping_(std::exchange(other.mapping_, nullptr)),
      data_(std::exchange(other.data_, nullptr)) {}

LargeBuffer::~LargeBuffer() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
}

}  // namespace az
