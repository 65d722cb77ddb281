#pragma once
// Search<S>: Monte-Carlo tree search of one game, driven from outside: Gather asks for network
// rows, Absorb takes the answers. Used by workers (many games as slots in one thread), tools and
// benchmarks. Knows no network, thread or clock. Instantiated per game in mcts/instances_*.cc; a
// game that is not there includes mcts/search_inl.h.

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/rng.h"
#include "games/game.h"
#include "mcts/eval_cache.h"
#include "mcts/eval_row.h"
#include "mcts/move_choice.h"
#include "mcts/report.h"
#include "mcts/search_options.h"
#include "mcts/select.h"
#include "mcts/softmax.h"
#include "mcts/tree.h"

namespace az {

enum class SearchMode : std::uint8_t {
  kSelfPlay,  // temperature and Dirichlet noise at the root
  kPlay,      // neither
};

// What the searches of one thread share. All outlive the searches.
struct SearchResources {
  EvalCache* cache = nullptr;      // nullable: no cache
  TreeScratch* scratch = nullptr;  // nullable: the search has a spare arena of its own
  std::uint32_t max_nodes = 0;     // of a tree; 0: as many as `visits` simulations can need
};

// One game's search. Thread-compatible. Same state, generator, model and answers => same tree,
// whatever the cache, the scratch and the other searches of the thread do.
//
//   search.SetRoot(state, rng);
//   while (!search.Done()) {
//     const int n = search.Gather(rows);
//     ...                                  // the network answers the first n rows
//     search.Absorb(rows.first(n));
//   }
//   if (!search.Failed()) action = search.ChooseMove(temperature, rng);
template <GameState S>
class Search {
 public:
  using Resources = SearchResources;
  // Simulations that need no row in one Gather, so that no game starves the others of its thread.
  static constexpr int kMaxFreeSimulations = 4096;

  // Allocates the tree, address space for NodesFor(visits). REQUIRES: visits > 0.
  Search(const SearchOptions& options, SearchMode mode, int visits, std::uint64_t run_seed,
         Resources resources);

  // Starts the search of a position. With tree_reuse the subtree is kept if `state` lies one or two
  // plies below the old root; its visits count. `rng`: the game's stream at this ply. REQUIRES: the
  // game is not over.
  void SetRoot(const S& state, Rng rng);

  // Whose answers the rows will hold. To be called before the answers of new weights are absorbed.
  // A change drops what is not proven at the next SetRoot. Never called: model 0, version 0.
  void SetModel(std::uint64_t model_key, std::uint64_t weights_version);

  // Forgets tree and root. To be called between games, so that no game sees the tree of another.
  void Clear();

  // Runs simulations until one needs the network, and writes that position's planes into rows[0].
  // Returns the rows filled, 0 or 1; 0 when Done, when a row is still out, or after
  // kMaxFreeSimulations. Allocates nothing.
  int Gather(std::span<EvalRow> rows);

  // Takes the answers to the rows of the last Gather: expands and backs up. A row that is not
  // finite fails the search. REQUIRES: rows.size() = what Gather returned.
  void Absorb(std::span<const EvalRow> rows);

  // The rows of the last Gather are lost: forgets them and counts nothing.
  void Abandon() { row_is_out_ = false; }

  // Nothing is left to gather: visits reached, root proven or with a single legal action, tree
  // full, or Failed().
  bool Done() const;
  // A row held NaN, infinity or a value outside [-1, 1]. Until SetRoot no more rows are asked for.
  bool Failed() const { return failed_; }

  // REQUIRES of the rest: a root that was evaluated (Done() and not Failed() is enough).
  SearchReport Report() const;
  // Visits to the power 1 / temperature; 0: the best. Proven moves first (mcts/move_choice.h).
  Action ChooseMove(float temperature, Rng& rng) const;

  const Tree& tree() const { return tree_; }
  std::uint64_t TreeHash() const { return tree_.Hash(); }
  Bytes memory() const { return Bytes(std::int64_t{tree_.capacity()} * kNodeBytes); }
  // Nodes that a search of `visits` simulations can need: one expansion a visit.
  static std::uint32_t NodesFor(int visits);

 private:
  static constexpr std::int64_t kNodeBytes = sizeof(Node);
  static constexpr std::size_t kMaxLegal = S::kNumActions;

  NodeId Descend();
  bool FinishIfOver(NodeId leaf);
  bool ExpandFromCache(NodeId leaf);
  void WriteRow(EvalRow& row);
  bool ReadRow(const EvalRow& row, float& value);
  void Expand(NodeId leaf, float value);
  void OrderByPrior();
  void PrepareRoot();
  NodeId FindBelowRoot(const S& state) const;
  int ProvenAtRoot() const { return ProvenForChooser(tree_.root(), RootChildren()); }
  std::span<const Node> RootChildren() const { return tree_.Children(tree_.root()); }
  float RootValue(int proven) const;
  float OwnValueOfRoot() const;

  SearchOptions options_;
  SearchMode mode_;
  std::uint32_t visits_;
  std::uint64_t run_seed_;
  Resources resources_;
  TreeScratch own_scratch_;  // used when resources_ has none
  PuctTable puct_;
  Tree tree_;

  S root_state_{};
  Rng rng_;
  bool has_root_ = false;
  float root_network_value_ = 0.0f;

  std::uint64_t model_key_ = 0;
  std::uint64_t weights_version_ = 0;
  std::uint64_t symmetry_salt_ = 0;
  bool has_model_ = false;
  bool model_changed_ = false;
  EvalCache::Model cache_model_;

  // The leaf at which the last descent ended; while row_is_out_ its answer is awaited.
  S leaf_state_{};
  NodeId leaf_ = kRootNode;
  std::uint64_t leaf_hash_ = 0;
  int leaf_symmetry_ = 0;
  bool row_is_out_ = false;

  // Of the leaf that is being expanded, by rising action, then by falling prior.
  std::size_t num_legal_ = 0;
  std::array<std::uint16_t, kMaxLegal> actions_;
  alignas(64) std::array<float, PaddedToLanes(kMaxLegal)> priors_;  // logits before the softmax

  std::uint32_t simulations_ = 0;
  std::uint32_t rows_ = 0;
  std::uint32_t cache_hits_ = 0;
  bool ran_out_of_nodes_ = false;
  bool failed_ = false;
};

}  // namespace az
