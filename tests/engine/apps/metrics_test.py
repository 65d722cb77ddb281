#!/usr/bin/env python3
"""metrics.jsonl and yardstick.jsonl of a real run, held against its games and its config.

usage: metrics_test.py BIN_DIR
"""
import collections
import json
import math
import os
import re
import subprocess

from az_runs import BIN, OK, ROOT, RunCase, main, read

ITERATIONS, SIMS = 3, 16
SETTINGS = ("--set", f"loop.iterations={ITERATIONS}", "--set", "arena.gate=none", "--set", "arena.final_games=0",
            "--set", "loop.yardstick.every=1", "--set", f"loop.yardstick.sims={SIMS}",
            "--set", "loop.yardstick.positions=10", "--set", "train.lr_final_fraction=0.25")


class Metrics(RunCase):
    def lines(self, name, kind):
        lines = [json.loads(line) for line in read(os.path.join(self.run_dir, name)).splitlines()]
        return [line for line in lines if line["kind"] == kind]

    def games(self):
        """Of each iteration, as the journals have them."""
        words = [f"{BIN}/az_inspect", "games", self.run_dir, "--kind", "self_play", "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        by_iteration = collections.defaultdict(list)
        for game in json.loads(done.stdout)["games"]:
            by_iteration[game["iteration"]].append(game)
        return by_iteration

    def test_the_lines_are_those_of_the_games(self):
        result = self.train(*SETTINGS)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        lines, games = self.lines("metrics.jsonl", "iteration"), self.games()
        self.assertEqual([line["iteration"] for line in lines], list(range(ITERATIONS)))
        self.assertGreater(sum(game["result"] == "1/2-1/2" for of in games.values() for game in of), 0)
        for line, of in zip(lines, games.values()):
            self.check_games(line, of)
        self.check_rate(lines)
        self.check_yardstick()
        self.check_pages(lines)

    def check_pages(self, lines):
        """Every key is explained: by its name, or as `held_out_latest_…` by what it begins with."""
        pages = "".join(read(os.path.join(ROOT, "docs", name)) for name in ("learning.md", "formats/run_directory.md"))
        named = re.findall(r"`([a-z_0-9]+)(…?)`", pages)
        whole, begun = {name for name, more in named if not more}, tuple(name for name, more in named if more)
        keys = {key for line in lines for key in line}
        self.assertGreater(len(keys), 80)
        self.assertEqual(sorted(key for key in keys - whole if not key.startswith(begun)), [])

    def check_games(self, line, games):
        count = len(games)
        results = collections.Counter(game["result"] for game in games)
        draws, wins = results["1/2-1/2"], results["1-0"]
        self.assertEqual(draws + wins + results["0-1"], count, results)
        first = collections.Counter(game["moves"][0] for game in games)
        expected = {
            "games": count, "self_play_games": count, "self_play_games_from_start": count,
            "plies": sum(game["plies"] for game in games),
            "mean_plies": sum(game["plies"] for game in games) / count,
            "self_play_mean_plies": sum(game["plies"] for game in games) / count,
            "self_play_draws": draws, "draw_fraction": draws / count,
            "first_player_win_fraction": wins / count,
            "self_play_first_player_score_fraction": (wins + draws / 2) / count,
            "self_play_first_move_entropy_nats": -sum(n / count * math.log(n / count) for n in first.values()),
        }
        for key, value in expected.items():
            self.assertAlmostEqual(line[key], value, 9, f"{key} of iteration {line['iteration']}")
        shares = {"abc"[action % 3] + str(action // 3 + 1): share for action, share in line["self_play_first_moves"]}
        self.assertEqual(shares.keys(), first.keys())
        for move, share in shares.items():
            self.assertAlmostEqual(share, first[move] / count, 9, move)

    def check_rate(self, lines):
        """The cosine ends with the run, at the configured share."""
        rates = [line["lr"] for line in lines]
        self.assertEqual(rates, sorted(rates, reverse=True))
        self.assertAlmostEqual(rates[-1], 0.25 * 1e-3, 9)
        self.assertGreater(rates[0], 2 * rates[-1])

    def check_yardstick(self):
        looks = self.lines("yardstick.jsonl", "yardstick")
        self.assertEqual(looks[-1]["iteration"], ITERATIONS, "the last network is looked at")
        for look in looks:
            self.assertEqual(look["settings"]["sims"], SIMS)
            self.assertEqual((look["openings"], len(look["opening_table"]), look["positions"]), (9, 9, 10))
            self.assertTrue(all(row["value"] == 0 for row in look["opening_table"]), "each is a draw")


if __name__ == "__main__":
    main()
