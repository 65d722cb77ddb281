#include "engine/play/search_thinker.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "engine/play/played_state.h"
#include "engine/play/progress_timer.h"
#include "engine/play/thought_of_search.h"
#include "games/registry.h"
#include "mcts/eval_cache.h"
#include "mcts/search.h"

namespace az {
namespace {

constexpr std::uint32_t kMostNodes = 8u << 20;  // the most nodes of a tree: 256 MiB
constexpr auto kPatience = std::chrono::milliseconds(50);

template <GameState S>
class SearchThinker final : public Thinker {
 public:
  explicit SearchThinker(const SearchThinkerSetup& setup) : s_(setup) {}

  Result<void> NewGame(const StartOptions& start) override {
    AZ_ASSIGN_OR_RETURN(start_, StartOf<S>(start));
    Forget();
    // When several leaves are evaluated at a time, a cached answer arrives earlier than a fresh one
    // and changes the tree. So each game begins without a cache.
    search_.reset();
    return {};
  }

  Result<Thought> Think(std::span<const Action> moves, const ThinkLimits& limits,
                        const OnProgress& on_progress) override {
    AZ_ASSIGN_OR_RETURN(const S state, PositionToThinkAbout(start_, moves));
    ProgressTimer timer(limits, on_progress, s_.clock);
    MakeSearch(limits);
    SetRoot(state, moves);
    const auto so_far = [&] {
      Thought thought = Conclude();
      thought.seconds = timer.seconds();
      return thought;
    };
    while (!search_->Done()) {
      const Result<void> step = Step();
      if (!step) {
        search_->Abandon();
        Forget();
        return step.error();
      }
      // The first answer is always awaited, as there is nothing to report without it.
      if (search_->tree().root().is_expanded() && !timer.GoesOn(so_far)) break;
    }
    if (search_->Failed()) {
      Forget();
      return Error{Errc::kNotFinite, "the network answered with a number that is not finite"};
    }
    return so_far();
  }

 private:
  void Forget() {
    if (search_) search_->Clear();
    thought_about_.reset();
  }

  void MakeSearch(const ThinkLimits& limits) {
    const bool timed = !limits.simulations && limits.time;
    const int visits =
        std::clamp(limits.simulations.value_or(timed ? kMostSimulations : s_.search.visits), 1,
                   kMostSimulations);
    if (search_ && visits == visits_ && timed == timed_) return;
    visits_ = visits;
    timed_ = timed;
    SearchOptions options = s_.search;
    // A Gumbel root must know the number of simulations it distributes.
    if (timed) options.root = RootRule::kPuct;
    if (options.max_in_flight == 1) options.max_in_flight = LeavesAtATime(visits);
    const std::uint32_t nodes = Search<S>::NodesFor(options.MostVisits(visits, SearchMode::kPlay));
    Forget();
    search_.reset();
    cache_.reset();
    if (s_.search.cache > Bytes(0)) {
      constexpr int kMost = S::kNumActions;
      cache_.emplace(s_.search.cache, std::min(kMost, s_.search.cache_max_legal.value_or(kMost)));
    }
    search_.emplace(options, SearchMode::kPlay, visits, s_.seed,
                    SearchResources{.cache = cache_ ? &*cache_ : nullptr,
                                    .scratch = &scratch_,
                                    .max_nodes = std::min(nodes, kMostNodes)});
    search_->SetModel(s_.model.value(), s_.version);
    rows_.clear();
    in_flight_ = options.max_in_flight;
  }

  // Moves the root. If the position is a later one of the same game the tree is kept, otherwise it
  // is forgotten.
  void SetRoot(const S& state, std::span<const Action> moves) {
    std::span<const Action> played;
    const bool goes_on = thought_about_ && thought_about_->size() < moves.size() &&
                         std::ranges::equal(*thought_about_, moves.first(thought_about_->size()));
    if (goes_on) {
      played = moves.subspan(thought_about_->size());
    } else {
      search_->Clear();
    }
    search_->SetRoot(state, Rng(s_.seed).Fork(moves.size()),
                     {.ply = static_cast<int>(moves.size())}, played);
    thought_about_.emplace(moves.begin(), moves.end());
  }

  // Gathers leaves, has them evaluated, and absorbs them.
  Result<void> Step() {
    AZ_RETURN_IF_ERROR(ReserveRows());
    const auto gathered = static_cast<std::size_t>(search_->Gather(rows_));
    if (gathered == 0) return {};
    std::size_t left = gathered;
    std::size_t used = 0;
    while (left > 0) {
      EvalBatch& batch = batches_[used++];
      const std::size_t rows = std::min(left, static_cast<std::size_t>(batch.rows()));
      batch.Shrink(static_cast<int>(rows));
      AZ_RETURN_IF_ERROR(s_.evaluator.Submit(batch));
      left -= rows;
    }
    for (std::size_t i = 0; i < used; ++i) AZ_RETURN_IF_ERROR(Await(batches_[i]));
    search_->SetModel(s_.model.value(), batches_[0].version());
    search_->Absorb(std::span(rows_).first(gathered));
    batches_.clear();
    return {};
  }

  Result<void> ReserveRows() {
    batches_.clear();
    rows_.clear();
    int wanted = std::min(in_flight_, s_.evaluator.max_rows() * s_.evaluator.max_batches());
    while (wanted > 0) {
      const int rows = std::min(wanted, s_.evaluator.max_rows());
      AZ_ASSIGN_OR_RETURN(EvalBatch batch, s_.evaluator.Reserve(s_.model, rows, Deadline::Never()));
      for (int row = 0; row < rows; ++row) rows_.push_back(batch.row(row));
      batches_.push_back(std::move(batch));
      wanted -= rows;
    }
    return {};
  }

  Result<void> Await(EvalBatch& batch) {
    while (true) {
      const Result<void> answered = s_.evaluator.Wait(batch, Deadline::In(kPatience));
      if (answered || answered.error().code != Errc::kTimeout) return answered;
    }
  }

  Thought Conclude() const {
    Rng rng = Rng(s_.seed).Fork(thought_about_->size()).Fork(1);
    return ThoughtOf(*search_, search_->ChooseMove(s_.temperature, rng));
  }

  SearchThinkerSetup s_;
  std::optional<EvalCache> cache_;
  TreeScratch scratch_;
  S start_{};
  std::optional<Search<S>> search_;
  int visits_ = 0;  // the number that the search was made for
  bool timed_ = false;
  int in_flight_ = 1;
  std::optional<std::vector<Action>> thought_about_;
  std::vector<EvalBatch> batches_;
  std::vector<EvalRow> rows_;
};

}  // namespace

int LeavesAtATime(int simulations) { return std::clamp(simulations / 25, 1, 16); }

std::unique_ptr<Thinker> MakeSearchThinker(const GameOps& game, const SearchThinkerSetup& setup) {
  auto made = WithGame(game.info().entry, [&]<GameState S>() -> Result<std::unique_ptr<Thinker>> {
    return std::unique_ptr<Thinker>(std::make_unique<SearchThinker<S>>(setup));
  });
  return std::move(made).value();
}

}  // namespace az
