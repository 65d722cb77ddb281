#!/usr/bin/env python3
"""Records random games of OpenSpiel 2.0.2 for tests/games/openspiel_games_test.cc.

    pip install open_spiel==2.0.2
    python3 tests/support/record_openspiel_games.py > tests/golden/games/openspiel_games.txt

A line is a game: entry, result in the first player's view, then for each ply player:legal:action, where legal is the set
of legal actions as a hexadecimal number and actions are in our numbering. Hex boards are transposed for the second player.
"""
import argparse
import random

import pyspiel

PYSPIEL_NAMES = {"tic_tac_toe": "tic_tac_toe", "connect_four": "connect_four"}


def load(entry):
    if entry.startswith("hex"):
        return pyspiel.load_game(f"hex(board_size={entry[3:]})")
    return pyspiel.load_game(PYSPIEL_NAMES[entry])


def our_action(entry, action, player):
    if entry.startswith("hex") and player == 1:
        size = int(entry[3:])
        return action % size * size + action // size
    return action


def record(entry, game, rng):
    state = game.new_initial_state()
    plies = []
    while not state.is_terminal():
        player = state.current_player()
        legal = sum(1 << our_action(entry, a, player) for a in state.legal_actions())
        action = rng.choice(state.legal_actions())
        plies.append(f"{player}:{legal:x}:{our_action(entry, action, player)}")
        state.apply_action(action)
    return f"{entry} {int(state.returns()[0])} {' '.join(plies)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--games", type=int, help="games an entry; default: few, fewer on large boards")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    counts = {"tic_tac_toe": 40, "connect_four": 30, "hex3": 30, "hex4": 20, "hex5": 20, "hex6": 5,
              "hex7": 4, "hex8": 3, "hex9": 2, "hex10": 2, "hex11": 2}
    for entry, count in counts.items():
        game = load(entry)
        for _ in range(args.games or count):
            print(record(entry, game, rng))


if __name__ == "__main__":
    main()
