#pragma once
// ShardTeam: the learner's threads. One piece of work a shard, all at the same time, each on one
// LibTorch thread: LibTorch's OpenMP loops lose a factor of ten as soon as another process shares a
// core (docs/performance.md).

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace az {

// Confined to the thread that made it, which works as shard 0 and has one LibTorch thread from then
// on.
class ShardTeam {
 public:
  // REQUIRES: shards >= 1. Throws std::runtime_error where the system gives no thread; those that
  // were started have ended.
  explicit ShardTeam(int shards);
  ~ShardTeam();
  ShardTeam(const ShardTeam&) = delete;
  ShardTeam& operator=(const ShardTeam&) = delete;

  int shards() const { return static_cast<int>(threads_.size()) + 1; }
  // Calls work(0) … work(shards() - 1), each on its own thread, and returns when all have returned.
  // REQUIRES: `work` does not throw.
  void Run(const std::function<void(int shard)>& work);

 private:
  void Loop(int shard);

  // Members below are written before `start_` and read after it, which orders them.
  const std::function<void(int)>* work_ = nullptr;  // nullptr: the threads end
  std::barrier<> start_;
  std::barrier<> finish_;
  std::vector<std::jthread> threads_;  // last: they use the members above
};

}  // namespace az
