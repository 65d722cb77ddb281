#pragma once
// Bodies of games/go/go.h.

#include "base/strings.h"

namespace az {

template <int N>
az::Result<Go<N>> Go<N>::WithKomi(double points) {
  const double half_points = 2 * points;
  const bool fits = half_points >= -2.0 * N * N && half_points <= 2.0 * N * N;
  if (!fits || half_points != static_cast<double>(static_cast<int>(half_points))) {
    return Error{Errc::kInvalid, StrCat("komi ", points, " in ", kName,
                                        " must be a multiple of 0.5 from ", -N * N, " to ", N * N)};
  }
  return Go(GoKomi{static_cast<std::int16_t>(half_points)});
}

template <int N>
void Go<N>::Store(Word set, std::span<std::uint64_t> words) {
  words[0] = static_cast<std::uint64_t>(set);
  if constexpr (kPlaneWords == 2) words[1] = static_cast<std::uint64_t>(set >> 64);
}

template <int N>
std::uint64_t Go<N>::KeysOf(Player player, Word stones) {
  std::uint64_t key = 0;
  Bits::ForEach(stones, [&](int cell) { key ^= Key(player, cell); });
  return key;
}

// The stones of `victims` that have no liberty left after a play on `cell`, which `empty` no longer
// holds.
template <int N>
typename Go<N>::Word Go<N>::Captures(int cell, Word victims, Word empty) {
  Word captured = 0;
  Word rest = go_internal::kNeighbours<N>[static_cast<std::size_t>(cell)] & victims;
  if (rest == 0) return 0;
  rest &= ~Bits::Around(empty);
  while (rest != 0) {
    const Word seed = rest & (0 - rest);
    const Word chain = Bits::DeadChain(seed, victims, empty);
    captured |= chain;
    rest &= ~(seed | chain);
  }
  return captured;
}

// Stones of chains that a single play might take: no stone of such a chain has two liberties of its
// own.
template <int N>
typename Go<N>::Word Go<N>::Frail(Player player) const {
  const Word stones = Stones(player);
  return stones & ~Bits::Flood(stones & Bits::TwiceAround(Empty()), stones);
}

// `frail`: the opponent's stones that one play might take (Frail).
template <int N>
bool Go<N>::IsSuicide(int cell, Word frail) const {
  const Word stone = Bits::Bit(cell);
  const Word empty = Empty() & ~stone;
  return Bits::DeadChain(stone, Stones(to_move_) | stone, empty) != 0 &&
         Captures(cell, frail, empty) == 0;
}

// The empty points where a play is neither suicide nor banned.
template <int N>
typename Go<N>::Word Go<N>::Playable() const {
  const Word empty = Empty();
  const Word own = Stones(to_move_);
  const Word open = empty & Bits::Around(empty);  // a stone there has a liberty of its own
  Word playable = open;
  if (Word closed = empty & ~open; closed != 0) {
    // A play is no suicide beside a chain of the mover that has another liberty. That is checked
    // first on the stones next to the point, then along the chains; the remaining points are
    // checked one by one.
    Word lenders = own & (Bits::Around(open) | Bits::TwiceAround(empty));
    closed &= ~Bits::Around(lenders);
    if (closed != 0) {
      lenders = Bits::Flood(lenders, own);
      closed &= ~Bits::Around(lenders);
    }
    playable = empty & ~closed;
    if (closed != 0) {
      const Word frail = Frail(Opponent(to_move_));
      Bits::ForEach(closed, [&](int cell) {
        if (!IsSuicide(cell, frail)) playable |= Bits::Bit(cell);
      });
    }
  }
  return playable & ~banned_;
}

template <int N>
ActionSet<Go<N>::kNumActions> Go<N>::LegalActions() const {
  ActionSet<kNumActions> legal;
  if (status_.over()) return legal;
  Store(Playable(), legal.words());
  legal.Add(kPass);
  return legal;
}

template <int N>
bool Go<N>::HasBeen(std::uint64_t position) const {
  if ((marks_[MarkWord(position)] & MarkBit(position)) == 0) return false;
  std::uint64_t same = 0;  // a sum without an early exit, so that the loop is vectorised
  for (std::size_t i = 0; i < plays_; ++i) same += history_[i] == position ? 1 : 0;
  return same != 0;
}

template <int N>
typename Go<N>::Word Go<N>::Repetitions() const {
  const Word candidates = Empty() & lost_[static_cast<std::size_t>(to_move_)];
  if (candidates == 0) return 0;
  const Player opponent = Opponent(to_move_);
  const Word empty = Empty();
  const Word frail = Frail(opponent);
  Word banned = 0;
  Bits::ForEach(candidates, [&](int cell) {
    std::uint64_t next = position_ ^ Key(to_move_, cell);
    if ((go_internal::kNeighbours<N>[static_cast<std::size_t>(cell)] & frail) != 0) {
      next ^= KeysOf(opponent, Captures(cell, frail, empty & ~Bits::Bit(cell)));
    }
    if (HasBeen(next)) banned |= Bits::Bit(cell);
  });
  return banned;
}

template <int N>
void Go<N>::Place(int cell) {
  const Player opponent = Opponent(to_move_);
  Word& victims = stones_[static_cast<std::size_t>(opponent)];
  stones_[static_cast<std::size_t>(to_move_)] |= Bits::Bit(cell);
  position_ ^= Key(to_move_, cell);
  if (const Word captured = Captures(cell, victims, Empty()); captured != 0) {
    victims &= ~captured;
    lost_[static_cast<std::size_t>(opponent)] |= captured;
    position_ ^= KeysOf(opponent, captured);
  }
  history_[plays_++] = position_;
  marks_[MarkWord(position_)] |= MarkBit(position_);
}

template <int N>
void Go<N>::Apply(Action a) {
  AZ_DCHECK(LegalActions().Contains(a));
  const bool second_pass = a == kPass && passed_;
  if (a != kPass) Place(Index(a));
  passed_ = a == kPass;
  to_move_ = Opponent(to_move_);
  ++ply_;
  if (second_pass || ply_ == kMaxPlies) {
    Finish();
  } else {
    banned_ = Repetitions();
  }
}

template <int N>
void Go<N>::Finish() {
  banned_ = 0;
  const int half_points = 2 * AreaMargin() - komi_.half_points;
  status_ = half_points == 0  ? GameStatus::Drawn()
            : half_points > 0 ? GameStatus::WonBy(Player::kFirst)
                              : GameStatus::WonBy(Player::kSecond);
}

template <int N>
int Go<N>::AreaMargin() const {
  const Word empty = Empty();
  std::array<Word, 2> reached;  // empty points joined to stones of each colour
  for (std::size_t player = 0; player < 2; ++player) {
    reached[player] = Bits::Flood(Bits::Around(stones_[player]) & empty, empty);
  }
  return Bits::Count(stones_[0] | (reached[0] & ~reached[1])) -
         Bits::Count(stones_[1] | (reached[1] & ~reached[0]));
}

template <int N>
std::uint64_t Go<N>::Hash() const {
  const std::uint64_t flags = static_cast<std::uint64_t>(to_move_) | std::uint64_t{passed_} << 1 |
                              std::uint64_t{status_.over()} << 2;
  const auto komi = static_cast<std::uint16_t>(komi_.half_points);
  std::uint64_t hash =
      HashCombine(0x676FU + N + (flags << 16) + (std::uint64_t{komi} << 24), position_);
  if (banned_ != 0) {
    hash = HashCombine(hash, static_cast<std::uint64_t>(banned_));
    if constexpr (kPlaneWords == 2) {
      hash = HashCombine(hash, static_cast<std::uint64_t>(banned_ >> 64));
    }
  }
  return hash;
}

template <int N>
void Go<N>::Encode(std::span<std::uint64_t> bits) const {
  const auto plane = [&](std::size_t p) { return bits.subspan(p * kPlaneWords, kPlaneWords); };
  Store(Stones(to_move_), plane(0));
  Store(Stones(Opponent(to_move_)), plane(1));
  Store(status_.over() ? Word{0} : Empty() & ~Playable(), plane(2));
  Store(passed_ ? Bits::kFull : Word{0}, plane(3));
  Store(to_move_ == Player::kSecond ? Bits::kFull : Word{0}, plane(4));
}

template <int N>
int Go<N>::MapCell(int cell, int symmetry) {
  int row = cell / N;
  int col = cell % N;
  if ((symmetry & 4) != 0) std::swap(row, col);
  for (int turn = 0; turn < (symmetry & 3); ++turn) {
    const int old_row = row;
    row = col;
    col = N - 1 - old_row;
  }
  return row * N + col;
}

template <int N>
std::string Go<N>::MoveText(Action a) const {
  return a == kPass ? "pass" : go_internal::PointText(Index(a), N);
}

template <int N>
std::string Go<N>::ToString() const {
  std::string cells(N * N, kEmptyCell);
  Bits::ForEach(stones_[0], [&](int cell) { cells[static_cast<std::size_t>(cell)] = kFirstStone; });
  Bits::ForEach(stones_[1],
                [&](int cell) { cells[static_cast<std::size_t>(cell)] = kSecondStone; });
  return go_internal::BoardText(cells, N) + StatusLine(to_move_, status_);
}

}  // namespace az
