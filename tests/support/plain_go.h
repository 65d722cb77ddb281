#pragma once
// Go written the slow way, as a second opinion on games/go: a character a point, chains walked
// recursively, every earlier board kept as text. Shares no code with the bitboards.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace az::testing {

// Confined to one thread.
class PlainGo {
 public:
  PlainGo(int size, double komi)
      : size_(size), komi_(komi), board_(static_cast<std::size_t>(size * size), '.') {}

  char to_move() const { return plies_ % 2 == 0 ? 'x' : 'o'; }
  bool over() const { return passes_ == 2 || plies_ == 2 * size_ * size_; }
  const std::string& board() const { return board_; }
  int bans() const { return bans_; }              // plays that LegalMoves refused as repetitions
  int quiet_bans() const { return quiet_bans_; }  // of these, plays that take nothing

  // "a1", ..., "pass"; none when over.
  std::set<std::string> LegalMoves() {
    std::set<std::string> moves;
    if (over()) return moves;
    moves.insert("pass");
    for (int point = 0; point < size_ * size_; ++point) {
      if (At(point) != '.') continue;
      const std::string next = BoardAfter(point);
      if (next[static_cast<std::size_t>(point)] == '.') continue;  // suicide
      if (earlier_.contains(next)) {
        ++bans_;
        quiet_bans_ += Stones(next) == Stones(board_) + 1 ? 1 : 0;
        continue;
      }
      moves.insert(Name(point));
    }
    return moves;
  }

  void Play(const std::string& move) {
    if (move == "pass") {
      ++passes_;
    } else {
      passes_ = 0;
      for (int point = 0; point < size_ * size_; ++point) {
        if (Name(point) != move) continue;
        board_ = BoardAfter(point);
        earlier_.insert(board_);
        break;
      }
    }
    ++plies_;
  }

  // Points of x less those of o and komi: above 0, x is ahead.
  double Margin() {
    double margin = -komi_;
    for (int point = 0; point < size_ * size_; ++point) {
      char owner = At(point);
      if (owner == '.') {
        std::set<int> region;
        std::set<char> borders;
        Walk(board_, point, region, borders);
        owner = borders.size() == 1 ? *borders.begin() : '.';
      }
      if (owner != '.') margin += owner == 'x' ? 1 : -1;
    }
    return margin;
  }

 private:
  char At(int point) const { return board_[static_cast<std::size_t>(point)]; }
  static int Stones(const std::string& board) {
    int stones = 0;
    for (const char c : board) stones += c != '.' ? 1 : 0;
    return stones;
  }
  std::string Name(int point) const {
    return std::string(1, "abcdefghjklmnopqrst"[point % size_]) + std::to_string(point / size_ + 1);
  }
  std::vector<int> Neighbours(int point) const {
    const int row = point / size_;
    const int col = point % size_;
    std::vector<int> neighbours;
    if (row > 0) neighbours.push_back(point - size_);
    if (row + 1 < size_) neighbours.push_back(point + size_);
    if (col > 0) neighbours.push_back(point - 1);
    if (col + 1 < size_) neighbours.push_back(point + 1);
    return neighbours;
  }
  // Collects the points of one content joined to `point`, and what lies next to them.
  void Walk(const std::string& board, int point, std::set<int>& area, std::set<char>& borders) {
    if (!area.insert(point).second) return;
    const char kind = board[static_cast<std::size_t>(point)];
    for (const int next : Neighbours(point)) {
      const char there = board[static_cast<std::size_t>(next)];
      if (there == kind) {
        Walk(board, next, area, borders);
      } else {
        borders.insert(there);
      }
    }
  }
  // Takes the chain at `point` off the board if it has no liberty.
  void RemoveIfDead(std::string& board, int point) {
    std::set<int> chain;
    std::set<char> borders;
    Walk(board, point, chain, borders);
    if (borders.contains('.')) return;
    for (const int stone : chain) board[static_cast<std::size_t>(stone)] = '.';
  }
  // A suicide leaves `point` empty.
  std::string BoardAfter(int point) {
    std::string board = board_;
    board[static_cast<std::size_t>(point)] = to_move();
    const char opponent = to_move() == 'x' ? 'o' : 'x';
    for (const int next : Neighbours(point)) {
      if (board[static_cast<std::size_t>(next)] == opponent) RemoveIfDead(board, next);
    }
    RemoveIfDead(board, point);
    return board;
  }

  int size_;
  double komi_;
  std::string board_;
  std::set<std::string> earlier_;  // boards after each play
  int plies_ = 0;
  int passes_ = 0;  // in a row
  int bans_ = 0;
  int quiet_bans_ = 0;
};

}  // namespace az::testing
