#include "engine/net/cpu_runner.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/strings.h"
#include "games/game.h"

namespace az {
namespace {

bool AllFinite(std::span<const float> numbers) {
  // 0 * x is 0 for numbers and NaN for NaN and infinities; one test at the end keeps the loop in
  // vectors.
  float sum[16] = {};
  std::size_t i = 0;
  for (; i + 16 <= numbers.size(); i += 16) {
    for (std::size_t lane = 0; lane < 16; ++lane) sum[lane] += 0.0f * numbers[i + lane];
  }
  for (; i < numbers.size(); ++i) sum[0] += 0.0f * numbers[i];
  return std::all_of(std::begin(sum), std::end(sum), [](float x) { return x == 0.0f; });
}

}  // namespace

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
  const auto rows = static_cast<std::size_t>(batch_.rows);
  const auto actions = static_cast<std::size_t>(model->net->shape().actions);
  if (!AllFinite(std::span(logits_.data(), rows * actions)) ||
      !AllFinite(std::span(values_.data(), rows))) {
    return Error{Errc::kNotFinite,
                 StrCat("weights version ", model->version, " answered NaN or infinity")};
  }
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
