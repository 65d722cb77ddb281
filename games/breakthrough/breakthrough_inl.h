#pragma once
// Bodies of Breakthrough<Rows, Cols, PieceRows>. Included by games/breakthrough/breakthrough.h.

namespace az {

namespace breakthrough_internal {

// Mask of the actions in word `word` of an action set that are steps of this kind.
constexpr std::uint64_t StepsInWord(int word, int step) {
  std::uint64_t mask = 0;
  for (int bit = 0; bit < 64; ++bit) {
    if ((word * 64 + bit) % 3 == step) mask |= std::uint64_t{1} << bit;
  }
  return mask;
}
// The number of steps of this kind in the words before this one.
constexpr int StepsBefore(int word, int step) { return (word * 64 + 2 - step) / 3; }

}  // namespace breakthrough_internal

template <int Rows, int Cols, int PieceRows>
template <int kStep>
void Breakthrough<Rows, Cols, PieceRows>::AddSteps(std::uint64_t cells, Actions& actions) {
#ifdef __BMI2__
  const auto add = [&]<int kWord>() {
    actions.words()[kWord] |=
        _pdep_u64(cells >> breakthrough_internal::StepsBefore(kWord, kStep),
                  std::integral_constant<std::uint64_t,
                                         breakthrough_internal::StepsInWord(kWord, kStep)>::value);
  };
  [&]<std::size_t... kWords>(std::index_sequence<kWords...>) {
    (add.template operator()<static_cast<int>(kWords)>(), ...);
  }
  (std::make_index_sequence<Actions::kWords>{});
#else
  for (; cells != 0; cells &= cells - 1) {
    actions.Add(static_cast<Action>(std::countr_zero(cells) * 3 + kStep));
  }
#endif
}

template <int Rows, int Cols, int PieceRows>
auto Breakthrough<Rows, Cols, PieceRows>::LegalActions() const -> ActionSet<kNumActions> {
  Actions legal;
  if (status_.over()) return legal;
  const View& view = ViewOf(to_move_);
  // A running game has no piece on the mover's last row, so no step leaves the board upwards.
  const std::uint64_t not_own = ~view.own;
  AddSteps<0>(view.own & ~kFirstColumn & not_own >> (Cols - 1), legal);
  AddSteps<1>(view.own & ~(view.own | view.opponent) >> Cols, legal);
  AddSteps<2>(view.own & ~kLastColumn & not_own >> (Cols + 1), legal);
  return legal;
}

template <int Rows, int Cols, int PieceRows>
void Breakthrough<Rows, Cols, PieceRows>::Apply(Action a) {
  AZ_DCHECK(LegalActions().Contains(a));
  const int from = Index(a) / 3;
  const int to = from + Cols + Index(a) % 3 - 1;
  View& mine = ViewOf(to_move_);
  mine.own ^= Bit(from) | Bit(to);
  mine.opponent &= ~Bit(to);
  View& theirs = ViewOf(Opponent(to_move_));
  theirs.opponent ^= Bit(Turned(from)) | Bit(Turned(to));
  theirs.own &= ~Bit(Turned(to));
  if (to >= (Rows - 1) * Cols || mine.opponent == 0) status_ = GameStatus::WonBy(to_move_);
  to_move_ = Opponent(to_move_);
}

template <int Rows, int Cols, int PieceRows>
std::string Breakthrough<Rows, Cols, PieceRows>::MoveText(Action a) const {
  const int from = Index(a) / 3;
  const int to = from + Cols + Index(a) % 3 - 1;
  const auto text = [&](int cell) {
    // Rank 1 is the last row of the board, row 0 of the second player's view.
    const int seen_from_below = to_move_ == Player::kFirst ? Turned(cell) : cell;
    return CellText({.row = seen_from_below / Cols, .col = seen_from_below % Cols});
  };
  return text(from) + text(to);
}

template <int Rows, int Cols, int PieceRows>
std::string Breakthrough<Rows, Cols, PieceRows>::ToString() const {
  std::string cells(Rows * Cols, kEmptyCell);
  const View& from_below = ViewOf(Player::kSecond);
  for (int cell = 0; cell < Rows * Cols; ++cell) {
    char& letter = cells[static_cast<std::size_t>(cell)];
    if ((from_below.own & Bit(cell)) != 0) letter = kSecondStone;
    if ((from_below.opponent & Bit(cell)) != 0) letter = kFirstStone;
  }
  return BoardText(cells, {.cols = Cols}) + StatusLine(to_move_, status_);
}

static_assert(GameState<Breakthrough<5, 5>>);

}  // namespace az
