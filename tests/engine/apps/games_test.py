#!/usr/bin/env python3
"""A short run of one game of every family that has something of its own: passes, a swap, captures, many actions.

usage: games_test.py BIN_DIR [unittest arguments]
"""
import az_runs as runs

ENTRIES = ["mnk_5_5_4", "gomoku15", "hex5_swap", "othello6", "breakthrough5", "go5"]
GAMES = 20


class Games(runs.RunCase):
    def test_every_family_goes_through_all_phases(self):
        for entry in ENTRIES:
            with self.subTest(entry):
                self.completes("--set", f"game.name={entry}", "--set", "loop.iterations=1",
                               "--set", f"self_play.games_per_iteration={GAMES}",
                               run_dir=f"{self.folder}/{entry}", games=[GAMES])

    def test_a_family_takes_a_board_size(self):
        self.completes("--set", "game.name=breakthrough", "--set", "game.board_size=5", "--set", "loop.iterations=1",
                       "--set", f"self_play.games_per_iteration={GAMES}", games=[GAMES])
        self.assertRegex(runs.read(f"{self.run_dir}/config.yaml"), r"board_size: +5")


if __name__ == "__main__":
    runs.main()
