"""Random games of OpenSpiel, told in this engine's conventions. Needs pyspiel (requirements/openspiel.txt).

Where the conventions differ, the difference is mapped here and nowhere skipped:

* Hex: OpenSpiel numbers the second player's cells on the board, we on the board transposed (whoever moves joins top and
  bottom): a becomes (a mod N) * N + a div N. The swap is action N * N in both.
* Breakthrough: OpenSpiel's action is ((row * cols + col) * 6 + direction) * 2 + capture, directions 0-2 the first
  player's and 3-5 the second's; ours is (row * cols + col) * 3 + direction mod 3 with rows counted from the mover's side.
  Below six rows OpenSpiel sets up one row of pieces a side, so our 5x5 (two rows) has no partner there.
* Go: OpenSpiel lets a play that repeats an earlier board happen and ends the game as a draw; we forbid it (positional
  superko). At half-point komi nothing else is a draw, so its legal actions without those that end the game drawn must be
  our legal actions, and the game goes on among them.
* Othello 6x6 is not in OpenSpiel; it shares its code with 8x8.
* At the end of a game OpenSpiel has no player to move (-4); ours is the one who would be next, and is not compared.
"""
import dataclasses
import random

import pyspiel

PASS_SHARE = 0.02  # of the plies in Go, if anything else is legal: superko needs full boards


@dataclasses.dataclass
class Ply:
    player: int
    legal: list  # rising, our numbers
    action: int  # the one played; None at the end


@dataclasses.dataclass
class Game:
    plies: list  # one more than actions
    result: int  # the first player's


def same(action, player):
    return action


def hex_cells(size):
    def ours(action, player):
        if player == 0 or action == size * size:
            return action
        return action % size * size + action // size

    return ours


def breakthrough_steps(size):
    def ours(action, player):
        cell, direction = action // 12, action // 2 % 6
        row, col = divmod(cell, size)
        if player == 1:
            row = size - 1 - row
        return (row * size + col) * 3 + direction % 3

    return ours


class Entry:
    """A registry entry and its partner in OpenSpiel."""

    def __init__(self, name, partner, ours=same, games=1000):
        self.name = name
        self.partner = partner
        self.ours = ours
        self.games = games  # of a short run
        self.is_go = partner.startswith("go(")

    def load(self):
        return pyspiel.load_game(self.partner)

    def legal(self, state):
        """OpenSpiel's legal actions, without those that our rules forbid."""
        if not self.is_go:
            return state.legal_actions()
        return [a for a in state.legal_actions() if not self.repeats(state, a)]

    @staticmethod
    def repeats(state, action):
        child = state.child(action)
        return child.is_terminal() and child.returns()[0] == 0

    def choose(self, legal, rng, area):
        if self.is_go and len(legal) > 1 and rng.random() >= PASS_SHARE:
            return rng.choice([a for a in legal if a != area])
        return rng.choice(legal)

    def play(self, game, rng):
        state = game.new_initial_state()
        area = game.num_distinct_actions() - 1
        plies = []
        while not state.is_terminal():
            player = state.current_player()
            legal = self.legal(state)
            action = self.choose(legal, rng, area)
            plies.append(Ply(player, sorted(self.ours(a, player) for a in legal), self.ours(action, player)))
            state.apply_action(action)
        plies.append(Ply(player=None, legal=[], action=None))
        return Game(plies, int(state.returns()[0]))


def entries():
    shared = [
        Entry("tic_tac_toe", "tic_tac_toe", games=2000),
        Entry("connect_four", "connect_four", games=1000),
        Entry("mnk_5_5_4", "mnk(m=5,n=5,k=4)", games=1000),
        Entry("gomoku9", "gomoku(size=9,connect=5)", games=200),
        Entry("gomoku15", "gomoku(size=15,connect=5)", games=100),
        Entry("hex5_swap", "hex(board_size=5,swap=True)", hex_cells(5)),
        Entry("hex11_swap", "hex(board_size=11,swap=True)", hex_cells(11), games=100),
        Entry("othello8", "othello", games=400),
        Entry("breakthrough6", "breakthrough(rows=6,columns=6)", breakthrough_steps(6)),
        Entry("breakthrough8", "breakthrough(rows=8,columns=8)", breakthrough_steps(8), games=300),
        Entry("go5", "go(board_size=5,komi=0.5)", games=300),
        Entry("go7", "go(board_size=7,komi=7.5)", games=100),
        Entry("go9", "go(board_size=9,komi=7.5)", games=30),
    ]
    for size in range(3, 12):
        games = 1000 if size <= 5 else 300 if size <= 8 else 100
        shared.append(Entry(f"hex{size}", f"hex(board_size={size})", hex_cells(size), games))
    return {entry.name: entry for entry in shared}


def random_games(entry, count, seed):
    rng = random.Random(f"{seed} {entry.name}")
    game = entry.load()
    for _ in range(count):
        yield entry.play(game, rng)
