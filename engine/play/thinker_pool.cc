#include <utility>

#include "base/check.h"
#include "engine/play/position_pool.h"

namespace az {
namespace {

class ThinkerPool final : public PositionPool {
 public:
  explicit ThinkerPool(std::unique_ptr<Thinker> thinker) : thinker_(std::move(thinker)) {}

  bool HasRoomFor(int /*simulations*/) const override { return is_empty(); }
  bool is_empty() const override { return !task_.has_value(); }
  void Add(PositionTask task) override {
    AZ_CHECK(is_empty());
    task_ = std::move(task);
  }

  Result<void> Run(Deadline /*deadline*/) override {
    if (!task_) return {};
    PositionAnswer answer{task_->ticket, Think(*task_)};
    task_.reset();
    done_.push_back(std::move(answer));
    return {};
  }
  std::vector<PositionAnswer> Take() override { return std::exchange(done_, {}); }

 private:
  Result<Thought> Think(const PositionTask& task) {
    AZ_RETURN_IF_ERROR(thinker_->NewGame(task.start));
    return thinker_->Think(task.moves, {.simulations = task.simulations}, {});
  }

  std::unique_ptr<Thinker> thinker_;
  std::optional<PositionTask> task_;
  std::vector<PositionAnswer> done_;
};

}  // namespace

std::unique_ptr<PositionPool> MakeThinkerPool(std::unique_ptr<Thinker> thinker) {
  return std::make_unique<ThinkerPool>(std::move(thinker));
}

}  // namespace az
