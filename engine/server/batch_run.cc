#include "engine/server/batch_run.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/strings.h"

namespace az {
namespace {

// A runner should not throw; one that does must not take the server's other batches along.
template <class F>
auto Guarded(F call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Error{Errc::kNoMemory, "the runner is out of host memory"};
  } catch (const std::exception& thrown) {
    return Error{Errc::kIo, StrCat("the runner threw: ", thrown.what())};
  } catch (...) {
    return Error{Errc::kIo, "the runner threw something that is no std::exception"};
  }
}

}  // namespace

Result<void> BatchRun::Launch() {
  first_row_ = 0;
  return LaunchSlice();
}

Result<void> BatchRun::LaunchSlice() {
  std::span<const BlockView> views = batch_.views;
  slice_rows_ = std::min(batch_.rows - first_row_, batch_.bucket);
  if (slice_rows_ < batch_.rows) {
    AZ_CHECK_EQ(batch_.views.size(), 1u);  // only a block alone can be larger than its bucket
    const BlockView& whole = batch_.views.front();
    const auto row = static_cast<std::size_t>(first_row_);
    slice_ = {.planes = whole.planes + row * shape_.in_words,
              .logits = whole.logits + row * shape_.num_actions,
              .values = whole.values + row,
              .rows = slice_rows_};
    views = {&slice_, 1};
  }
  AZ_ASSIGN_OR_RETURN(slice_version_,
                      Guarded([&] { return runner_.Launch(batch_.model, batch_.bucket, views); }));
  if (first_row_ == 0) version_ = slice_version_;
  return {};
}

Result<WeightsVersion> BatchRun::Finish() {
  while (true) {
    AZ_RETURN_IF_ERROR(Guarded([&] { return runner_.Finish(); }));
    if (slice_version_ != version_) {
      first_row_ = 0;  // weights were published between two slices: one block, one version
    } else if (IsLast()) {
      return version_;
    } else {
      first_row_ += slice_rows_;
    }
    AZ_RETURN_IF_ERROR(LaunchSlice());
  }
}

}  // namespace az
