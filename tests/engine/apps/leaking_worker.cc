// Preloaded into a run by leaking_run_test.py: worker 0 loses AZ_LEAK_KIB each time that it was drained.
// Nothing of it is in the programs themselves.

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view kZero("\0", 1);

// A worker, and the one of lane 0.
bool IsVictim() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string words(std::istreambuf_iterator<char>(file), {});
  const std::string program = words.substr(0, words.find('\0'));
  const std::string lane = std::string("--lane") + std::string(kZero) + "0" + std::string(kZero);
  return program.ends_with("az_worker") && words.find(lane) != std::string::npos;
}

void Lose(std::size_t bytes) {
  void* lost = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (lost != MAP_FAILED) std::memset(lost, 1, bytes);
}

using Send = ssize_t (*)(int, const void*, std::size_t, int);

}  // namespace

// In place of the C library's: control messages go through it.
extern "C" ssize_t send(int socket, const void* data, std::size_t size, int flags) {
  static const auto real = reinterpret_cast<Send>(::dlsym(RTLD_NEXT, "send"));
  static const bool is_victim = IsVictim();
  const std::string_view text(static_cast<const char*>(data), size);
  const char* kib = std::getenv("AZ_LEAK_KIB");
  if (is_victim && kib != nullptr && text.find("\"drained\"") != std::string_view::npos) {
    Lose(std::strtoull(kib, nullptr, 10) << 10);
  }
  return real(socket, data, size, flags);
}
