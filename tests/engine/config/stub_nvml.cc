// A libnvidia-ml.so.1 of our own, one GPU of 12 GiB, for tests of what real ones do. What it does
// is chosen by the environment variable AZ_STUB_NVML, read at nvmlInit_v2:
//   plain          as the documentation says
//   no_driver      nvmlInit_v2 fails
//   not_available  memory and processes are not supported; bytes of processes are N/A
//   no_bytes       the process list has host pids and no bytes, as in a container
//   some_bytes     of the first process the bytes are N/A
//   no_list        processes are not supported
//   many           forty processes: the list must be asked for with more room
//   growing        a co-tenant takes 100 MiB more with every look
//   odd            sizes beyond any card
//   two            a second GPU, with the UUID GPU-2b3c and at bus 17
//   old_driver     of CUDA 12.2
//   no_version     neither the driver's version nor MIG can be asked for
//   mig            MIG is enabled; one instance, MIG-77aa, of 4 GiB, whose capability is not told

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr unsigned long long kMiB = 1 << 20;
constexpr unsigned long long kTotal = 12288 * kMiB;
constexpr unsigned long long kReserved = 300 * kMiB;
constexpr int kNoDriver = 9;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;

std::string_view Mode() {
  const char* mode = std::getenv("AZ_STUB_NVML");
  return mode == nullptr ? "plain" : mode;
}

int g_looks = 0;  // of this library, which a test loads and unloads
char g_devices[2];
char g_instance = 0;
constexpr unsigned long long kInstanceTotal = 4096 * kMiB;

int Give(char& which, void** device) {
  *device = &which;
  return 0;
}

struct MemoryV1 {
  unsigned long long total, free, used;
};
struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};

unsigned long long Used() {
  return (Mode() == "growing" ? 1000 + 100 * static_cast<unsigned>(++g_looks) : 1000u) * kMiB;
}

}  // namespace

extern "C" {
int nvmlInit_v2() { return Mode() == "no_driver" ? kNoDriver : 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  return index < (Mode() == "two" ? 2 : 1) ? Give(g_devices[index], device) : kNotFound;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  if (std::string_view(id) == "00000000:65:00.0") return Give(g_devices[0], device);
  const bool is_second = Mode() == "two" && std::string_view(id) == "00000000:17:00.0";
  return is_second ? Give(g_devices[1], device) : kNotFound;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  const bool is_instance = Mode() == "mig" && std::string_view(uuid) == "MIG-77aa";
  return is_instance ? Give(g_instance, device) : kNotFound;
}
int nvmlDeviceGetPciInfo_v3(void* device, void* info) {
  const bool is_second = device == &g_devices[1];
  std::memset(info, 0, 68);
  std::strcpy(static_cast<char*>(info), is_second ? "0000:17:00.0" : "0000:65:00.0");
  std::strcpy(static_cast<char*>(info) + 36, is_second ? "00000000:17:00.0" : "00000000:65:00.0");
  return 0;
}
int nvmlDeviceGetName(void*, char* name, unsigned length) {
  std::strncpy(name, "Stub RTX 4070", length);
  return 0;
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) {
  if (Mode() == "not_available") return kNotSupported;
  const char* const whole = device == &g_devices[1] ? "GPU-2b3c" : "GPU-0f1e2d3c";
  std::strncpy(uuid, device == &g_instance ? "MIG-77aa" : whole, length);
  return 0;
}
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (Mode() == "no_version") return kNotFound;
  *version = Mode() == "old_driver" ? 12020 : 13000;
  return 0;
}
int nvmlDeviceGetMigMode(void*, unsigned* now, unsigned* pending) {
  if (Mode() != "mig") return kNotSupported;
  *now = *pending = 1;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void*, MemoryV1* memory) {
  if (Mode() == "not_available") return kNotSupported;
  const unsigned long long used = Used();
  *memory = {kTotal, kTotal - used, used};
  return 0;
}
int nvmlDeviceGetMemoryInfo_v2(void* device, MemoryV2* memory) {
  if (Mode() == "not_available" || memory->version != 0x02000028) return kNotSupported;
  if (Mode() == "odd") {
    *memory = {memory->version, ~0ull, ~0ull, ~0ull, ~0ull};
    return 0;
  }
  if (device == &g_instance) {
    *memory = {memory->version, kInstanceTotal, 0, kInstanceTotal, 0};
    return 0;
  }
  const unsigned long long used = Used();
  *memory = {memory->version, kTotal, kReserved, kTotal - used, used - kReserved};
  return 0;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  if (device == &g_instance) return kNotSupported;
  *major = 8;
  *minor = 9;
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* list) {
  if (Mode() == "not_available" || Mode() == "no_list") return kNotSupported;
  const unsigned there = Mode() == "many" ? 40 : 2;
  const unsigned room = *count;
  *count = there;
  if (room < there) return kInsufficientSize;
  for (unsigned i = 0; i < there; ++i) {
    const bool has_bytes = Mode() != "no_bytes" && (Mode() != "some_bytes" || i > 0);
    list[i] = {1000 + i, has_bytes ? (400 + i) * kMiB : ~0ull, ~0u, ~0u};
  }
  return 0;
}
}
