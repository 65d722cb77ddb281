#include "engine/worker/block_board.h"

#include <utility>

namespace az {

BlockBoard::Block* BlockBoard::Filling(ModelId model) {
  for (Block& block : filling_) {
    if (block.batch.model() == model) return &block;
  }
  return nullptr;
}

Result<std::optional<EvalRow>> BlockBoard::NextRow(ModelId model) {
  Block* block = Filling(model);
  if (block == nullptr) {
    Result<EvalBatch> batch =
        evaluator_.Reserve(model, evaluator_.max_rows(), Deadline::In(Duration::zero()));
    if (!batch) {
      if (batch.error().code == Errc::kTimeout) return std::optional<EvalRow>();
      return std::move(batch).error();
    }
    filling_.push_back({std::move(batch).value(), {}});
    block = &filling_.back();
  }
  return std::optional(block->batch.row(static_cast<int>(block->slots.size())));
}

Result<void> BlockBoard::Use(ModelId model, int slot) {
  Block* block = Filling(model);
  AZ_CHECK(block != nullptr) << "no row was given for model " << model.value();
  block->slots.push_back(slot);
  if (static_cast<int>(block->slots.size()) < block->batch.rows()) return {};
  Block full = std::move(*block);
  filling_.erase(filling_.begin() + (block - filling_.data()));
  return Submit(std::move(full));
}

Result<void> BlockBoard::SubmitPartial() {
  std::vector<Block> blocks = std::move(filling_);
  filling_.clear();
  for (Block& block : blocks) {
    if (block.slots.empty()) continue;  // dropping it gives the block back
    block.batch.Shrink(static_cast<int>(block.slots.size()));
    AZ_RETURN_IF_ERROR(Submit(std::move(block)));
  }
  return {};
}

Result<void> BlockBoard::Submit(Block block) {
  AZ_RETURN_IF_ERROR(evaluator_.Submit(block.batch));
  in_flight_.push_back(std::move(block));
  return {};
}

Result<std::optional<BlockBoard::Answer>> BlockBoard::Wait(Deadline deadline) {
  std::vector<EvalBatch*> batches;
  batches.reserve(in_flight_.size());
  for (Block& block : in_flight_) batches.push_back(&block.batch);
  const Result<int> index = evaluator_.WaitAny(batches, deadline);
  if (!index) {
    if (index.error().code == Errc::kTimeout) return std::optional<Answer>();
    return index.error();
  }
  const auto at = static_cast<std::size_t>(*index);
  Block block = std::move(in_flight_[at]);
  in_flight_.erase(in_flight_.begin() + *index);
  const Result<void> answered = evaluator_.Wait(block.batch, Deadline::In(Duration::zero()));
  Answer answer{std::move(block.batch), std::move(block.slots), std::nullopt};
  if (!answered) answer.error = answered.error();
  return std::optional(std::move(answer));
}

Result<void> BlockBoard::AwaitFreeBlock(Deadline deadline) {
  const Result<EvalBatch> batch = evaluator_.Reserve(kBestModel, 1, deadline);
  if (batch || batch.error().code == Errc::kTimeout) return {};
  return batch.error();
}

void BlockBoard::Clear() {
  filling_.clear();
  in_flight_.clear();
}

}  // namespace az
