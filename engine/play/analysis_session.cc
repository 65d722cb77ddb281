#include "engine/play/analysis_session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/readable.h"
#include "base/strings.h"
#include "engine/play/analysis_answer.h"

namespace az {
namespace {

// The time that one pool searches while others have positions too.
constexpr auto kTurn = std::chrono::milliseconds(10);

struct Replayed {
  std::unique_ptr<Position> position;
  std::vector<Action> actions;
};

Result<Replayed> Replay(const GameOps& game, const AnalysisRequest& request) {
  Replayed replayed;
  AZ_ASSIGN_OR_RETURN(replayed.position, game.Start({.komi = request.komi}));
  for (const std::string& text : request.moves) {
    const std::size_t number = replayed.actions.size() + 1;
    const Result<Action> action = replayed.position->ParseMove(Shown(text));
    if (!action) return WithContext(StrCat("move ", number), action.error());
    AZ_RETURN_IF_ERROR(replayed.position->Apply(*action));
    replayed.actions.push_back(*action);
  }
  if (replayed.position->FinalOutcome()) {
    return Error{Errc::kInvalid,
                 StrCat("the game is over after these ", request.moves.size(), " moves")};
  }
  return replayed;
}

}  // namespace

void AnalysisSession::AddLine(std::string_view line) {
  if (Trim(line).empty()) return;
  AnalysisLine read = ParseAnalysisLine(line);
  const std::uint64_t ticket = first_ + pending_.size();
  pending_.push_back({std::move(read.id), nullptr, std::nullopt});
  if (read.request) {
    waiting_.push_back({ticket, std::move(read.request).value()});
    Start();
  } else {
    pending_.back().answer = FaultLine(pending_.back().id, read.request.error());
  }
}

void AnalysisSession::Start() {
  while (!waiting_.empty()) {
    const Result<bool> started = Start(waiting_.front());
    if (!started) {
      Entry& entry = EntryOf(waiting_.front().ticket);
      entry.answer = FaultLine(entry.id, started.error());
    } else if (!*started) {
      return;
    }
    waiting_.pop_front();
  }
}

Result<bool> AnalysisSession::Start(const Waiting& waiting) {
  const Result<OpenPool> open = source_.PoolFor(waiting.request);
  if (!open) {
    if (open.error().code == Errc::kBusy) return false;
    return open.error();
  }
  const int simulations = waiting.request.simulations.value_or(open->simulations);
  if (!open->pool->HasRoomFor(simulations)) return false;
  AZ_ASSIGN_OR_RETURN(Replayed replayed, Replay(*open->game, waiting.request));
  EntryOf(waiting.ticket).position = std::move(replayed.position);
  open->pool->Add({.ticket = waiting.ticket,
                   .start = {.komi = waiting.request.komi},
                   .moves = std::move(replayed.actions),
                   .simulations = simulations,
                   .seed = waiting.request.seed});
  return true;
}

Result<void> AnalysisSession::Run(Deadline deadline) {
  Start();
  const std::vector<PositionPool*> pools = source_.Pools();
  const auto busy =
      std::ranges::count_if(pools, [](const PositionPool* pool) { return !pool->is_empty(); });
  for (PositionPool* const pool : pools) {
    AZ_RETURN_IF_ERROR(pool->Run(busy == 1 ? deadline : Deadline::In(deadline.Left(kTurn))));
    Take(*pool);
  }
  Start();
  return {};
}

void AnalysisSession::Take(PositionPool& pool) {
  for (const PositionAnswer& answer : pool.Take()) {
    Entry& entry = EntryOf(answer.ticket);
    entry.answer = answer.thought ? AnswerLine(entry.id, *entry.position, *answer.thought)
                                  : FaultLine(entry.id, answer.thought.error());
    entry.position.reset();
  }
}

std::string AnalysisSession::TakeOutput() {
  std::string output;
  while (!pending_.empty() && pending_.front().answer) {
    output += *pending_.front().answer;
    output += '\n';
    pending_.pop_front();
    ++first_;
  }
  return output;
}

}  // namespace az
