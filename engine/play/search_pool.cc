#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "base/strings.h"
#include "engine/play/played_state.h"
#include "engine/play/position_pool.h"
#include "engine/play/thought_of_search.h"
#include "engine/worker/block_board.h"
#include "games/registry.h"
#include "mcts/eval_cache.h"
#include "mcts/search.h"

namespace az {
namespace {

// The least number of nodes for all trees, where the planned searches are small: 64 MiB.
constexpr std::int64_t kLeastNodes = 2 << 20;

bool IsFinite(const EvalRow& row) {
  return std::isfinite(*row.value) &&
         std::ranges::all_of(row.logits, [](float logit) { return std::isfinite(logit); });
}

template <GameState S>
class SearchPool final : public PositionPool {
 public:
  explicit SearchPool(const SearchPoolSetup& setup) : s_(setup), board_(setup.evaluator) {
    s_.search.max_in_flight = 1;
    if (s_.search.cache > Bytes(0)) {
      constexpr int kMost = S::kNumActions;
      cache_.emplace(s_.search.cache, std::min(kMost, s_.search.cache_max_legal.value_or(kMost)));
    }
    slots_.resize(static_cast<std::size_t>(s_.slots));
    for (int index = s_.slots - 1; index >= 0; --index) idle_.push_back(index);
    most_nodes_ = std::max(kLeastNodes, std::int64_t{s_.slots} * NodesOf(s_.search.visits));
  }

  bool HasRoomFor(int simulations) const override {
    if (is_empty()) return true;
    return !idle_.empty() && busy_nodes_ + NodesOf(simulations) <= most_nodes_;
  }
  bool is_empty() const override { return idle_.size() == slots_.size(); }

  void Add(PositionTask task) override {
    AZ_CHECK(HasRoomFor(task.simulations));
    const int index = idle_.back();
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    slot.start = s_.clock.Now();
    const Result<S> state = StateOf(task);
    if (!state) {
      done_.push_back({task.ticket, state.error()});
      return;
    }
    idle_.pop_back();
    slot.task = std::move(task);
    busy_nodes_ += NodesOf(slot.task.simulations);
    MakeSearch(slot);
    slot.search->Clear();
    slot.search->SetModel(s_.model.value(), s_.version);
    slot.search->SetRoot(*state, Rng(slot.task.seed),
                         {.ply = static_cast<int>(slot.task.moves.size())});
    runnable_.push_back(index);
  }

  Result<void> Run(Deadline deadline) override {
    while (done_.empty() && !is_empty()) {
      AZ_RETURN_IF_ERROR(TakeAnswers(Deadline::In(Duration::zero())));
      AZ_ASSIGN_OR_RETURN(const bool blocked, RunSlots());
      if (!done_.empty() || deadline.Passed()) break;
      if (!blocked && !runnable_.empty()) continue;
      // No search can go on, so partly filled blocks must be answered too.
      AZ_RETURN_IF_ERROR(board_.SubmitPartial());
      if (board_.any_in_flight()) {
        AZ_RETURN_IF_ERROR(TakeAnswers(deadline));
      } else if (blocked) {
        AZ_RETURN_IF_ERROR(board_.AwaitFreeBlock(deadline));
      }
    }
    return {};
  }

  std::vector<PositionAnswer> Take() override { return std::exchange(done_, {}); }

 private:
  struct Slot {
    PositionTask task;
    TimePoint start{};
    std::unique_ptr<Search<S>> search;
    int simulations = 0;  // the number that the search was made for
    std::uint64_t seed = 0;
  };

  std::int64_t NodesOf(int simulations) const {
    return Search<S>::NodesFor(simulations);  // each tree begins empty
  }

  static Result<S> StateOf(const PositionTask& task) {
    AZ_ASSIGN_OR_RETURN(const S start, StartOf<S>(task.start));
    return PositionToThinkAbout(start, std::span<const Action>(task.moves));
  }

  // Makes the slot's search; searches of other sizes give way if it needs their room.
  void MakeSearch(Slot& slot) {
    const PositionTask& task = slot.task;
    if (slot.search && slot.simulations == task.simulations && slot.seed == task.seed) return;
    nodes_ -= slot.search ? NodesOf(slot.simulations) : 0;
    slot.search.reset();
    const std::int64_t nodes = NodesOf(task.simulations);
    for (const int index : idle_) {
      if (nodes_ + nodes <= most_nodes_) break;
      Slot& other = slots_[static_cast<std::size_t>(index)];
      nodes_ -= other.search ? NodesOf(other.simulations) : 0;
      other.search.reset();
    }
    nodes_ += nodes;
    slot.simulations = task.simulations;
    slot.seed = task.seed;
    // The seed chooses the symmetry under which positions are evaluated, so answers for one seed
    // are no answers for another.
    EvalCache* const cache = cache_ && task.seed == 0 ? &*cache_ : nullptr;
    slot.search = std::make_unique<Search<S>>(
        s_.search, SearchMode::kPlay, task.simulations, task.seed,
        SearchResources{
            .cache = cache, .scratch = &scratch_, .max_nodes = static_cast<std::uint32_t>(nodes)});
  }

  Result<bool> RunSlots() {
    for (std::size_t left = runnable_.size(); left > 0; --left) {
      const int index = runnable_.front();
      Slot& slot = slots_[static_cast<std::size_t>(index)];
      if (slot.search->Done()) {
        runnable_.pop_front();
        Finish(index);
        continue;
      }
      AZ_ASSIGN_OR_RETURN(std::optional<EvalRow> row, board_.NextRow(s_.model));
      if (!row) return true;
      runnable_.pop_front();
      if (slot.search->Gather(std::span(&*row, 1)) == 0) {
        runnable_.push_back(index);  // it is done, or lets the others go first
      } else {
        AZ_RETURN_IF_ERROR(board_.Use(s_.model, index));
      }
    }
    return false;
  }

  void Finish(int index) {
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    if (slot.search->Failed()) {
      Answer(index, NotFinite());
      return;
    }
    Rng rng(slot.task.seed);
    Thought thought = ThoughtOf(*slot.search, slot.search->ChooseMove(0.0f, rng));
    thought.seconds = Seconds(s_.clock.Now() - slot.start);
    Answer(index, std::move(thought));
  }

  void Answer(int index, Result<Thought> thought) {
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    slot.search->Abandon();
    busy_nodes_ -= NodesOf(slot.task.simulations);
    done_.push_back({slot.task.ticket, std::move(thought)});
    idle_.push_back(index);
  }

  static Error NotFinite() {
    return {Errc::kNotFinite, "the network answered with a number that is not finite"};
  }

  Result<void> TakeAnswers(Deadline deadline) {
    while (board_.any_in_flight()) {
      AZ_ASSIGN_OR_RETURN(const std::optional<BlockBoard::Answer> answer, board_.Wait(deadline));
      if (!answer) return {};
      AZ_RETURN_IF_ERROR(Absorb(*answer));
      deadline = Deadline::In(Duration::zero());
    }
    return {};
  }

  // Takes answers. A batch fails as a whole, so positions that are not to blame ask again.
  Result<void> Absorb(const BlockBoard::Answer& answer) {
    const bool has_numbers = !answer.error || answer.error->code == Errc::kNotFinite;
    if (!has_numbers && answer.error->code != Errc::kCorrupt) return *answer.error;
    bool any_bad = false;
    for (std::size_t row = 0; row < answer.slots.size(); ++row) {
      any_bad |= has_numbers && !IsFinite(answer.batch.row(static_cast<int>(row)));
    }
    for (std::size_t row = 0; row < answer.slots.size(); ++row) {
      const int index = answer.slots[row];
      Search<S>& search = *slots_[static_cast<std::size_t>(index)].search;
      const EvalRow evaluated = answer.batch.row(static_cast<int>(row));
      if (!answer.error) {
        search.SetModel(s_.model.value(), answer.batch.version());
        search.Absorb(std::span(&evaluated, 1));
      } else if (any_bad && IsFinite(evaluated)) {
        search.Abandon();
      } else {
        Answer(index, has_numbers ? NotFinite() : *answer.error);
        continue;
      }
      runnable_.push_back(index);
    }
    return {};
  }

  SearchPoolSetup s_;
  std::optional<EvalCache> cache_;
  TreeScratch scratch_;
  BlockBoard board_;
  std::vector<Slot> slots_;
  std::vector<int> idle_;
  std::deque<int> runnable_;
  std::vector<PositionAnswer> done_;
  std::int64_t most_nodes_ = 0;
  std::int64_t nodes_ = 0;       // nodes of all searches
  std::int64_t busy_nodes_ = 0;  // nodes of the searches that run
};

}  // namespace

std::unique_ptr<PositionPool> MakeSearchPool(const GameOps& game, const SearchPoolSetup& setup) {
  AZ_CHECK_GT(setup.slots, 0);
  auto made =
      WithGame(game.info().entry, [&]<GameState S>() -> Result<std::unique_ptr<PositionPool>> {
        return std::unique_ptr<PositionPool>(std::make_unique<SearchPool<S>>(setup));
      });
  return std::move(made).value();
}

}  // namespace az
