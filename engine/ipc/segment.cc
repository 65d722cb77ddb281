#include "engine/ipc/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/strings.h"

namespace az {
namespace {

namespace bip = boost::interprocess;

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// What mapped_region asks of a thing to map.
struct Mappable {
  int fd;
  bip::mapping_handle_t get_mapping_handle() const {
    return bip::ipcdetail::mapping_handle_from_file_handle(fd);
  }
};

Error Wrong(std::string_view what, std::string_view expected, std::string_view found) {
  return Error{Errc::kIncompatible,
               StrCat("open shared segment: ", what, ": expected ", expected, ", found ", found)};
}
Error Wrong(std::string_view what, std::uint64_t expected, std::uint64_t found) {
  return Wrong(what, StrCat(expected), StrCat(found));
}

// A sealed memfd with the caller's alone to read and write, every byte of it backed by memory.
Result<UniqueFd> MakeFile(Bytes bytes) {
  UniqueFd fd(::memfd_create("az-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return SystemError("create a memory file for the shared segment", errno);
  if (::fchmod(fd.get(), 0600) != 0) return SystemError("set the shared segment's mode", errno);
  // Its result is the error, errno is not set.
  if (const int failed = ::posix_fallocate(fd.get(), 0, bytes.count()); failed != 0) {
    return SystemError(StrCat("allocate a shared segment of ", FormatBytes(bytes)), failed);
  }
  return fd;
}

Result<void> CheckFile(int fd, std::uint64_t& bytes) {
  struct stat info {};
  if (::fstat(fd, &info) != 0)
    return SystemError(StrCat("open shared segment: fstat of fd ", fd), errno);
  if (info.st_uid != ::geteuid()) return Wrong("owner", ::geteuid(), info.st_uid);
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) {
    return Wrong("seals", static_cast<std::uint64_t>(kSeals), static_cast<std::uint64_t>(seals));
  }
  bytes = static_cast<std::uint64_t>(info.st_size);
  if (bytes < sizeof(Header))
    return Wrong("size", StrCat("at least ", sizeof(Header)), StrCat(bytes));
  return {};
}

// Everything but the run: what tells whether this build can read the segment at all.
Result<void> CheckLayout(const Header& header, std::uint64_t bytes) {
  if (header.magic != kSegmentMagic) return Wrong("magic", kSegmentMagic, header.magic);
  if (header.abi != kLayoutVersion) return Wrong("layout version", kLayoutVersion, header.abi);
  if (header.layout_hash != LayoutHash())
    return Wrong("layout hash", LayoutHash(), header.layout_hash);
  if (header.ready.load(std::memory_order_acquire) != 1) return Wrong("ready", "1", "0");
  const SegmentShape shape = header.shape;
  if (auto valid = CheckShape(shape); !valid)
    return Wrong("shape", "a valid one", valid.error().message);
  const std::uint64_t total = ComputeLayout(shape).total_bytes;
  if (header.total_bytes != total) return Wrong("total bytes", total, header.total_bytes);
  if (bytes != total) return Wrong("size", total, bytes);
  return {};
}

Result<void> CheckRun(const Header& header, const SegmentExpectation& expected) {
  if (header.run_id != expected.run_id) {
    return Wrong("run id", ToHex(expected.run_id), ToHex(header.run_id));
  }
  if (header.game_hash != expected.game_hash) {
    return Wrong("game hash", expected.game_hash, header.game_hash);
  }
  const SegmentShape& shape = header.shape;
  if (shape.in_words != expected.in_words) {
    return Wrong("words a row", expected.in_words, shape.in_words);
  }
  if (shape.num_actions != expected.num_actions) {
    return Wrong("actions", expected.num_actions, shape.num_actions);
  }
  if (expected.lane && *expected.lane >= shape.lanes) {
    return Wrong("lane", StrCat("below ", shape.lanes), StrCat(*expected.lane));
  }
  return {};
}

}  // namespace

std::uint64_t NowNs() { return ToNs(std::chrono::steady_clock::now()); }

struct Segment::Mapping {
  bip::mapped_region region;
};

Segment::Segment(UniqueFd fd, std::unique_ptr<Mapping> mapping, const SegmentShape& shape)
    : fd_(std::move(fd)),
      mapping_(std::move(mapping)),
      shape_(shape),
      layout_(ComputeLayout(shape)),
      base_(static_cast<std::byte*>(mapping_->region.get_address())) {}

Segment::~Segment() = default;

Result<std::unique_ptr<Segment::Mapping>> Segment::Map(int fd, std::uint64_t bytes) {
  try {
    return std::make_unique<Mapping>(Mapping{
        bip::mapped_region(Mappable{fd}, bip::read_write, 0, static_cast<std::size_t>(bytes))});
  } catch (const std::exception& failure) {
    return Error{Errc::kNoMemory, StrCat("map a shared segment of ",
                                         FormatBytes(Bytes(static_cast<std::int64_t>(bytes))), ": ",
                                         failure.what())};
  }
}

Result<std::unique_ptr<Segment>> Segment::Create(const SegmentSpec& spec,
                                                 const MemoryLimits& limits) {
  AZ_RETURN_IF_ERROR(CheckShape(spec.shape));
  const std::uint64_t total = ComputeLayout(spec.shape).total_bytes;
  const Bytes bytes(static_cast<std::int64_t>(total));
  AZ_RETURN_IF_ERROR(CheckFits(bytes, limits));
  AZ_ASSIGN_OR_RETURN(UniqueFd fd, MakeFile(bytes));
  AZ_ASSIGN_OR_RETURN(std::unique_ptr<Mapping> mapping, Map(fd.get(), total));
  auto segment = std::make_unique<Segment>(std::move(fd), std::move(mapping), spec.shape);

  // The file is zeroed; this starts the objects' lifetimes with all members zero.
  Header& header = *new (segment->base_) Header{};
  for (std::uint32_t i = 0; i < spec.shape.lanes; ++i) {
    new (segment->base_ + segment->layout_.lanes_at + i * segment->layout_.lane_bytes) LaneHeader{};
    for (std::uint32_t k = 0; k < spec.shape.blocks; ++k) new (&segment->block(i, k)) BlockLine{};
  }
  header.magic = kSegmentMagic;
  header.abi = kLayoutVersion;
  header.layout_hash = LayoutHash();
  header.total_bytes = total;
  header.game_hash = spec.game_hash;
  header.run_id = spec.run_id;
  header.shape = spec.shape;
  header.ready.store(1, std::memory_order_release);
  if (::fcntl(segment->fd(), F_ADD_SEALS, kSeals) != 0) {
    return SystemError("seal the shared segment", errno);
  }
  return segment;
}

Result<std::unique_ptr<Segment>> Segment::Open(UniqueFd fd, const SegmentExpectation& expected) {
  std::uint64_t bytes = 0;
  AZ_RETURN_IF_ERROR(CheckFile(fd.get(), bytes));
  AZ_ASSIGN_OR_RETURN(std::unique_ptr<Mapping> mapping, Map(fd.get(), bytes));
  const auto& header = *static_cast<const Header*>(mapping->region.get_address());
  AZ_RETURN_IF_ERROR(CheckLayout(header, bytes));
  AZ_RETURN_IF_ERROR(CheckRun(header, expected));
  const SegmentShape shape = header.shape;
  return std::make_unique<Segment>(std::move(fd), std::move(mapping), shape);
}

LaneHeader& Segment::lane(std::uint32_t lane) const {
  AZ_CHECK(lane < shape_.lanes) << "lane " << lane << " of " << shape_.lanes;
  return *reinterpret_cast<LaneHeader*>(base_ + layout_.lanes_at + lane * layout_.lane_bytes);
}

BlockLine& Segment::block(std::uint32_t lane, std::uint32_t block) const {
  AZ_CHECK(lane < shape_.lanes && block < shape_.blocks) << "block " << lane << "." << block;
  return *reinterpret_cast<BlockLine*>(base_ + layout_.lanes_at + lane * layout_.lane_bytes +
                                       layout_.blocks_at + block * sizeof(BlockLine));
}

template <class T>
std::span<T> Segment::Part(std::uint32_t lane, std::uint64_t at, std::uint64_t count) const {
  AZ_CHECK(lane < shape_.lanes) << "lane " << lane << " of " << shape_.lanes;
  std::byte* start = base_ + layout_.lanes_at + lane * layout_.lane_bytes + at;
  return {reinterpret_cast<T*>(start), static_cast<std::size_t>(count)};
}

std::span<std::uint64_t> Segment::planes(std::uint32_t lane, std::uint32_t block) const {
  return Part<std::uint64_t>(lane, layout_.planes_at + block * layout_.planes_stride,
                             std::uint64_t{shape_.rows} * shape_.in_words);
}
std::span<float> Segment::logits(std::uint32_t lane, std::uint32_t block) const {
  return Part<float>(lane, layout_.logits_at + block * layout_.logits_stride,
                     std::uint64_t{shape_.rows} * shape_.num_actions);
}
std::span<float> Segment::values(std::uint32_t lane, std::uint32_t block) const {
  return Part<float>(lane, layout_.values_at + block * layout_.values_stride, shape_.rows);
}

StopWord Segment::stop() const {
  return static_cast<StopWord>(header().stop.load(std::memory_order_acquire));
}

void Segment::SetStop(StopWord word) {
  header().stop.store(static_cast<std::uint32_t>(word), std::memory_order_release);
  NotifyAll();
}

void Segment::NotifyLane(std::uint32_t index) {
  LaneHeader& target = lane(index);
  target.notices.fetch_add(1, std::memory_order_release);
  target.bell.Ring();
}

void Segment::NotifyAll() {
  for (std::uint32_t i = 0; i < shape_.lanes; ++i) NotifyLane(i);
  header().bell.Ring();
}

void Segment::MarkPending(std::uint32_t lane) {
  header().pending[lane / 64].fetch_or(std::uint64_t{1} << lane % 64, std::memory_order_acq_rel);
}

int Segment::CountBlocks(BlockState state) const {
  int count = 0;
  for (std::uint32_t i = 0; i < shape_.lanes; ++i) {
    for (std::uint32_t k = 0; k < shape_.blocks; ++k) count += LoadState(block(i, k)) == state;
  }
  return count;
}

void Segment::Register(ProcessLine& line, std::uint32_t epoch, ProcessState state) {
  line.epoch.store(epoch, std::memory_order_relaxed);
  Beat(line);
  line.state.store(static_cast<std::uint32_t>(state), std::memory_order_relaxed);
  line.pid.store(static_cast<std::uint32_t>(::getpid()), std::memory_order_release);
}

void Segment::Beat(ProcessLine& line) {
  line.heartbeat_ns.store(NowNs(), std::memory_order_relaxed);
}

std::optional<Duration> Segment::SinceBeat(const ProcessLine& line, TimePoint now) {
  const std::uint64_t beat = line.heartbeat_ns.load(std::memory_order_relaxed);
  if (beat == 0) return std::nullopt;
  return std::max(now - FromNs(beat), Duration::zero());
}

void Segment::Count(ServerCounter counter, std::uint64_t by, int member) const {
  const auto index = static_cast<std::size_t>(counter) + static_cast<std::size_t>(member);
  AZ_CHECK(index < std::size(header().counters));
  header().counters[index].fetch_add(by, std::memory_order_relaxed);
}

std::uint64_t Segment::counter(ServerCounter counter, int member) const {
  const auto index = static_cast<std::size_t>(counter) + static_cast<std::size_t>(member);
  AZ_CHECK(index < std::size(header().counters));
  return header().counters[index].load(std::memory_order_relaxed);
}

void Segment::Count(std::uint32_t index, LaneCounter counter, std::uint64_t by) const {
  auto& value = lane(index).counters[static_cast<std::size_t>(counter)];
  value.store(value.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

std::uint64_t Segment::counter(std::uint32_t index, LaneCounter counter) const {
  return lane(index).counters[static_cast<std::size_t>(counter)].load(std::memory_order_relaxed);
}

}  // namespace az
