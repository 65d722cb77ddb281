#!/usr/bin/env python3
"""self_play.first_visits in a real run: the journals hold searches as long as the iteration of their game says.

usage: visits_test.py BIN_DIR [unittest arguments]
"""
import glob
import os
import struct

import az_runs as runs

HEADER, MOVE, SELF_PLAY, FAST = 96, 2, 0, 4  # docs/formats/journal.md
RISING = ["--set", "search.visits=24", "--set", "self_play.first_visits=6", "--set", "search.tree_reuse=false",
          "--set", "search.solver=false", "--set", "arena.gate=none", "--set", "arena.final_games=0"]


class Visits(runs.RunCase):
    def visits(self):
        """{iteration: the different numbers of visits of its full searches}."""
        found = {}
        for path in glob.glob(os.path.join(self.run_dir, "journal", "lane_*.journal")):
            data = runs.read_bytes(path)
            at = HEADER
            while at < len(data):
                length, kind = struct.unpack_from("<IB", data, at)
                if kind == MOVE:
                    game, _, _, _, _, flags, _, visits = struct.unpack_from("<QQHHHBBI", data, at + 5)
                    searched_in_full = visits > 0 and not flags & FAST
                    if game >> 56 == SELF_PLAY and searched_in_full:
                        found.setdefault(game >> 32 & 0xFFFFFF, set()).add(visits)
                at += length + 9
        return found

    def test_they_rise_to_the_last_iteration_and_stay_in_a_longer_run(self):
        self.completes(*RISING, "--set", "loop.iterations=3", games=[60, 60, 60])
        self.assertEqual(self.visits(), {0: {6}, 1: {15}, 2: {24}})
        self.completes(*RISING, "--set", "loop.iterations=4", "--set", "self_play.full_visits_from=2",
                       games=[60, 60, 60, 60])
        self.assertEqual(self.visits(), {0: {6}, 1: {15}, 2: {24}, 3: {24}})


if __name__ == "__main__":
    runs.main()
