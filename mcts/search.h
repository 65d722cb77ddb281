#pragma once
// Search<S>: Monte-Carlo tree search of one game, driven from outside: Gather asks for network
// rows, Absorb takes the answers. Used by workers (many games as slots in one thread), tools and
// benchmarks. Knows no network, thread or clock. Instantiated per game in mcts/instances_*.cc; a
// game that is not there includes mcts/search_inl.h.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/rng.h"
#include "games/game.h"
#include "mcts/eval_cache.h"
#include "mcts/eval_row.h"
#include "mcts/gumbel_root.h"
#include "mcts/move_choice.h"
#include "mcts/report.h"
#include "mcts/search_course.h"
#include "mcts/search_options.h"
#include "mcts/search_task.h"
#include "mcts/select.h"
#include "mcts/softmax.h"
#include "mcts/tree.h"

namespace az {

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
  // Legal actions that a position can have.
  static constexpr std::size_t kMaxLegal = MaxLegalOf<S>();

  // Allocates the tree, address space for NodesFor(options.MostVisits(visits, mode)). REQUIRES:
  // visits > 0.
  Search(const SearchOptions& options, SearchMode mode, int visits, std::uint64_t run_seed,
         Resources resources);

  // Starts the search of a position. `moves`: those played since the last root, in their order;
  // empty: unknown, and the position is looked for one and two plies below it. With tree_reuse the
  // subtree that is found is kept; a proven one is kept always. A Gumbel root starts afresh, unless
  // it is proven. `rng`: the game's stream at this ply. The task's visits are of this search alone;
  // whether root = auto is Gumbel's follows from those of the constructor. REQUIRES: the game is
  // not over, and the task has no more visits than the constructor.
  void SetRoot(const S& state, Rng rng, RootTask task = {}, std::span<const Action> moves = {});

  // Whose answers the rows will hold. To be called before the answers of new weights are absorbed.
  // A change drops what is not proven at the next SetRoot. Never called: model 0, version 0.
  void SetModel(std::uint64_t model_key, std::uint64_t weights_version);

  // Forgets tree and root. To be called between games, so that no game sees the tree of another.
  void Clear();

  // Runs simulations until the rows are full, options.max_in_flight leaves wait, or a leaf is
  // reached that waits already; writes the planes of the k-th leaf into rows[k]. Returns the rows
  // filled; 0 when Done, when rows are still out, or after kMaxFreeSimulations. Allocates nothing.
  int Gather(std::span<EvalRow> rows);
  // The position of that row of the last Gather. REQUIRES: its rows are still out, k is one of
  // them.
  const S& RowState(int k) const { return leaves_[static_cast<std::size_t>(k)].state; }

  // Takes the answers to the rows of the last Gather: expands and backs up. A row that is not
  // finite fails the search. REQUIRES: rows.size() = what Gather returned.
  void Absorb(std::span<const EvalRow> rows);

  // The rows of the last Gather are lost: forgets them and counts nothing.
  void Abandon();

  // Nothing is left to gather or absorb: visits reached, root proven or with a single legal action,
  // no other move can catch up (stop_when_decided), tree full, or Failed().
  bool Done() const;
  // A row held NaN, infinity or a value outside [-1, 1]. Until SetRoot no more rows are asked for.
  bool Failed() const { return failed_; }

  // REQUIRES of the rest: a root that was evaluated (Done() and not Failed() is enough). Only
  // Report allocates.
  SearchReport Report() const;
  // By the weights of the policy target to the power 1 / temperature; with a Gumbel root by visits.
  // 0: the best. Proven moves first (mcts/move_choice.h).
  Action ChooseMove(float temperature, Rng& rng) const;
  // In proportion to the network's own policy.
  Action DrawFromPolicy(Rng& rng) const;
  bool HasGumbelRoot() const { return course_.uses_gumbel; }

  const Tree& tree() const { return tree_; }
  std::uint64_t TreeHash() const { return tree_.Hash(); }
  Bytes memory() const { return Bytes(std::int64_t{tree_.capacity()} * node_bytes_); }
  // Nodes that a search of `visits` simulations can need: one expansion a visit.
  static std::uint32_t NodesFor(int visits);

 private:
  // Where a descent ended, and while its row is out what the answer needs.
  struct Leaf {
    S state{};
    NodeId node = kRootNode;
    int depth = 0;
    std::uint64_t key = 0;  // hash of the position, or of its smallest image
    int symmetry = 0;       // in which it is evaluated
    bool canonical = false;
    std::size_t candidate = 0;  // child of a Gumbel root that the leaf is below
  };

  // mcts/search_inl.h. Cold: beside the path of plain PUCT, and kept out of its code.
  bool MayStart() const;
  bool FinishIfOver(const Leaf& leaf);
  void EndSimulation(NodeId leaf, double value);
  [[gnu::cold]] void EndRound();
  [[gnu::cold]] bool BackUpIfProven(NodeId leaf);

  // mcts/search_reuse_inl.h
  void BeginTree(const S& state, std::span<const Action> moves);
  NodeId FindBelowRoot(const S& state) const;
  NodeId FollowMoves(const S& state, std::span<const Action> moves) const;

  // mcts/search_descent_inl.h
  void Descend(Leaf& leaf);
  [[gnu::cold]] bool DescendBySpecialRules(Leaf& leaf);
  [[gnu::cold]] int SelectSpecially(NodeId id, std::span<const Node> children);
  float Exploration(NodeId id) const;

  // mcts/search_leaf_inl.h
  void ChooseImage(Leaf& leaf);
  [[gnu::cold]] void ChooseCanonicalImage(Leaf& leaf);
  void ListLegal(const Leaf& leaf);
  bool ExpandFromCache(const Leaf& leaf);
  void WriteRow(const Leaf& leaf, EvalRow& row);
  bool ReadRow(const Leaf& leaf, const EvalRow& row, float& value);
  void Expand(const Leaf& leaf, float value);
  void OrderChildren(const Leaf& leaf);

  // mcts/search_root_inl.h
  [[gnu::noinline]] void PrepareRoot();
  void AddExploration(std::span<float> priors);
  int ProvenAtRoot() const { return ProvenForChooser(tree_.root(), RootChildren()); }
  std::span<const Node> RootChildren() const { return tree_.Children(tree_.root()); }
  std::span<const float> RootPriors() const { return {root_priors_.data(), RootChildren().size()}; }
  void RootWeights(std::span<double> weights) const;
  float RootValue(int proven) const;
  std::optional<float> OwnValueOfRoot() const;

  SearchOptions options_;
  SearchMode mode_;
  int visits_;  // as RootTask::visits, where a task has none
  std::uint64_t run_seed_;
  Resources resources_;
  TreeScratch own_scratch_;  // used when resources_ has none
  PuctTable puct_;
  Tree tree_;
  std::int64_t node_bytes_;

  SearchCourse course_;
  S root_state_{};
  int root_ply_ = 0;  // in its game
  Rng rng_;
  bool has_root_ = false;
  std::optional<float> root_network_value_;   // nullopt: of a proven root that was kept
  std::array<float, kMaxLegal> root_priors_;  // the root children's, without noise
  GumbelRoot gumbel_;
  std::vector<float> improved_priors_;  // scratch of gumbel.full
  std::vector<double> improved_policy_;

  std::uint64_t model_key_ = 0;
  std::uint64_t weights_version_ = 0;
  std::uint64_t symmetry_salt_ = 0;
  bool has_model_ = false;
  bool model_changed_ = false;
  EvalCache::Model cache_model_;

  std::vector<Leaf> leaves_;  // max_in_flight of them; the first num_out_ wait for their rows
  std::size_t num_out_ = 0;

  // The leaf being expanded: its moves by rising action (or image of it), then by falling prior.
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
