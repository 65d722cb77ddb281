#include "engine/net/cpu_runner.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/strings.h"
#include "games/game.h"

namespace az {
void UseOneTorchThread() { at::set_num_threads(1); }

Result<WeightsVersion> CpuRunner::Launch(ModelId model, int bucket,
                                         std::span<const BlockView> blocks) {
  AZ_CHECK(model_ == nullptr) << "launch before the last batch is finished";
  if (!thread_ready_) UseOneTorchThread();
  thread_ready_ = true;

  int rows = 0;
  for (const BlockView& block : blocks) rows += block.rows;
  if (rows <= 0 || rows > bucket || bucket > max_rows_) {
    return Error{Errc::kInvalid, StrCat("run ", rows, " rows in a bucket of ", bucket,
                                        " on a runner of at most ", max_rows_, " rows")};
  }
  model_ = store_.Get(model);
  if (model_ == nullptr) {
    return Error{Errc::kNoModel, StrCat("model slot ", model.value(), " holds no weights")};
  }
  const NetShape& shape = model_->net->shape();
  const PlaneShape planes{shape.planes, shape.rows, shape.cols};
  const auto words = static_cast<std::size_t>(planes.words());
  const auto room = static_cast<std::size_t>(bucket);
  if (room > values_.size()) {
    planes_.resize(room * words);
    logits_.resize(room * static_cast<std::size_t>(shape.actions));
    values_.resize(room);
  }
  std::uint64_t* out = planes_.data();
  for (const BlockView& block : blocks) {
    out = std::copy_n(block.planes, static_cast<std::size_t>(block.rows) * words, out);
  }
  blocks_.assign(blocks.begin(), blocks.end());
  batch_ = {planes_.data(), logits_.data(), values_.data(), rows, bucket};
  return model_->version;
}

Result<void> CpuRunner::Finish() {
  AZ_CHECK(model_ != nullptr) << "finish without launch";
  const std::shared_ptr<const PublishedNet> model = std::exchange(model_, nullptr);
  AZ_RETURN_IF_ERROR(model->net->Forward(batch_, scratch_));
  const auto actions = static_cast<std::size_t>(model->net->shape().actions);
  const float* logits = logits_.data();
  const float* values = values_.data();
  for (const BlockView& block : blocks_) {
    const auto count = static_cast<std::size_t>(block.rows);
    std::copy_n(logits, count * actions, block.logits);
    std::copy_n(values, count, block.values);
    logits += count * actions;
    values += count;
  }
  return {};
}

}  // namespace az
