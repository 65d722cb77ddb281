#include "engine/train/shard_team.h"

#include <pthread.h>

#include <stdexcept>
#include <system_error>

#include "base/check.h"
#include "base/strings.h"
#include "engine/net/cpu_runner.h"

namespace az {

ShardTeam::ShardTeam(int shards) : start_(shards), finish_(shards) {
  AZ_CHECK_GE(shards, 1);
  UseOneTorchThread();
  threads_.reserve(static_cast<std::size_t>(shards) - 1);
  try {
    for (int shard = 1; shard < shards; ++shard) {
      threads_.emplace_back([this, shard] { Loop(shard); });
    }
  } catch (const std::system_error& refused) {
    const int missing = shards - static_cast<int>(threads_.size());  // this thread among them
    // Those that run wait for all to arrive; they end, since there is no work.
    for (int i = 0; i < missing; ++i) start_.arrive_and_drop();
    throw std::runtime_error(StrCat("start ", shards, " learner threads: only ",
                                    shards - missing + 1, " could be started: ", refused.what(),
                                    " (raise the limit of processes, ulimit -u or a container's "
                                    "pids.max, or of address space, ulimit -v)"));
  }
}

ShardTeam::~ShardTeam() {
  work_ = nullptr;
  start_.arrive_and_wait();
}

void ShardTeam::Run(const std::function<void(int)>& work) {
  work_ = &work;
  start_.arrive_and_wait();
  work(0);
  finish_.arrive_and_wait();
}

void ShardTeam::Loop(int shard) {
  pthread_setname_np(pthread_self(), StrCat("az_shard_", shard).c_str());
  UseOneTorchThread();
  while (true) {
    start_.arrive_and_wait();
    if (work_ == nullptr) return;
    (*work_)(shard);
    finish_.arrive_and_wait();
  }
}

}  // namespace az
