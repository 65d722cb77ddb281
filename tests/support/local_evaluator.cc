#include "tests/support/local_evaluator.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "base/strings.h"

namespace az {

LocalEvaluator::LocalEvaluator(const Options& options, BatchRunner& runner)
    : options_(options), runner_(runner), blocks_(static_cast<std::size_t>(options.batches)) {
  AZ_CHECK(options.rows >= 1 && options.batches >= 1 && options.actions >= 1);
  AZ_CHECK(options.bucket >= options.rows) << options.bucket << " < " << options.rows;
  const auto rows = static_cast<std::size_t>(options.rows);
  for (Block& block : blocks_) {
    block.planes.resize(rows * static_cast<std::size_t>(options.shape.words()));
    block.logits.resize(rows * static_cast<std::size_t>(options.actions));
    block.values.resize(rows);
  }
}

Result<EvalBatch> LocalEvaluator::Reserve(ModelId model, int rows, Deadline deadline) {
  (void)deadline;  // waiting cannot help
  if (rows < 1 || rows > options_.rows) {
    return Error{Errc::kInvalid,
                 StrCat("reserve ", rows, " rows: a block has 1 to ", options_.rows)};
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    Block& block = blocks_[i];
    if (block.state != State::kFree) continue;
    block.state = State::kReserved;
    block.model = model;
    return EvalBatch(this, static_cast<int>(i), model, rows,
                     {block.planes.data(), block.logits.data(), block.values.data(),
                      options_.shape.words(), options_.actions});
  }
  return Error{Errc::kTimeout, StrCat("reserve a block: all ", options_.batches, " are in use")};
}

Result<void> LocalEvaluator::Submit(EvalBatch& batch) {
  Block& block = BlockOf(batch);
  if (block.state != State::kReserved) {
    return Error{Errc::kInvalid,
                 StrCat("submit block ", batch.block(), ": it is submitted already")};
  }
  block.state = State::kSubmitted;
  block.rows = batch.rows();
  block.order = ++submitted_;
  batch.set_request(block.order);
  return {};
}

Result<void> LocalEvaluator::Wait(EvalBatch& batch, Deadline deadline) {
  (void)deadline;  // a forward that has begun is finished
  Block& block = BlockOf(batch);
  AZ_CHECK(block.state == State::kSubmitted || block.state == State::kAnswered) << "not submitted";
  if (block.state == State::kSubmitted) RunWith(block);
  batch.set_version(block.version);
  return block.result;
}

Result<int> LocalEvaluator::WaitAny(std::span<EvalBatch* const> batches, Deadline deadline) {
  AZ_CHECK(!batches.empty());
  const auto oldest = std::min_element(batches.begin(), batches.end(),
                                       [this](const EvalBatch* a, const EvalBatch* b) {
                                         return BlockOf(*a).order < BlockOf(*b).order;
                                       });
  (void)Wait(**oldest, deadline);  // its outcome is told again by Wait
  return static_cast<int>(oldest - batches.begin());
}

void LocalEvaluator::Release(int block) {
  blocks_[static_cast<std::size_t>(block)].state = State::kFree;
}

LocalEvaluator::Block& LocalEvaluator::BlockOf(const EvalBatch& batch) {
  AZ_CHECK(batch.valid() && batch.block() < options_.batches);
  return blocks_[static_cast<std::size_t>(batch.block())];
}

void LocalEvaluator::RunWith(Block& first) {
  std::vector<Block*> chosen = {&first};
  int rows = first.rows;
  for (Block& block : blocks_) {
    if (&block == &first || block.state != State::kSubmitted || block.model != first.model) {
      continue;
    }
    if (rows + block.rows > options_.bucket) continue;
    rows += block.rows;
    chosen.push_back(&block);
  }
  views_.clear();
  for (Block* block : chosen) {
    views_.push_back(
        {block->planes.data(), block->logits.data(), block->values.data(), block->rows});
  }
  const Result<WeightsVersion> version = Run(first.model, rows);
  for (Block* block : chosen) {
    block->state = State::kAnswered;
    block->version = version ? *version : 0;
    block->result = version ? Result<void>() : Result<void>(version.error());
  }
}

// Buckets are powers of two, so that few sizes are prepared.
Result<WeightsVersion> LocalEvaluator::Run(ModelId model, int rows) {
  const int bucket = std::min(
      options_.bucket, static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(rows, 8)))));
  AZ_ASSIGN_OR_RETURN(const WeightsVersion version,
                      runner_.Launch(model, std::max(bucket, rows), views_));
  AZ_RETURN_IF_ERROR(runner_.Finish());
  return version;
}

}  // namespace az
