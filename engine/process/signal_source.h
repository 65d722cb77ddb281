#pragma once
// SIGINT, SIGTERM and SIGHUP as something to poll: no handler, no global.

#include <signal.h>

#include <utility>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace az {

// Thread-compatible. The mask it sets belongs to the thread that made it and to threads made later.
class SignalSource {
 public:
  // Blocks the signals and opens a descriptor for them. SIGHUP only when it is not ignored (nohup).
  // Also puts SIGCHLD back to its default: where it is ignored, children cannot be waited for.
  // Fails: kUnavailable, kIo.
  static Result<SignalSource> Open();
  SignalSource(SignalSource&&) = default;
  SignalSource& operator=(SignalSource&&) = delete;
  ~SignalSource();  // drops what is pending, puts the mask back

  int fd() const { return fd_.get(); }
  std::vector<int> Take();              // arrived since the last call, in order; never blocks
  int count() const { return count_; }  // taken so far

 private:
  SignalSource(UniqueFd fd, sigset_t old_mask) : fd_(std::move(fd)), old_mask_(old_mask) {}

  UniqueFd fd_;
  sigset_t old_mask_;
  int count_ = 0;
};

}  // namespace az
