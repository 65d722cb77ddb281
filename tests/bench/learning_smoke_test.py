#!/usr/bin/env python3
"""An experiment of bench/learning as a person starts it, with a run of seconds: results, table, going on after a repeat.

usage: learning_smoke_test.py BIN_DIR
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = os.path.abspath(sys.argv[1])


class Smoke(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="az_learning_")
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "out"

    def experiment(self, *more, name="tictactoe"):
        return subprocess.run([sys.executable, ROOT / f"bench/learning/{name}.py", "--quick", "--no-plot", "--bin", BIN,
                               "--out", self.out, *more], capture_output=True, text=True, timeout=300)

    def options(self, positions):
        return subprocess.run([sys.executable, ROOT / "bench/learning/options.py", "--bin", BIN, "--out", self.out, "--only",
                               "heads", "--seeds", "1", "--iterations", "1", "--positions", str(positions)],
                              capture_output=True, text=True, timeout=300)

    def test_options_are_trained_and_judged(self):
        done = self.options(positions=10)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        look = json.loads((self.out / "heads/seed_1/result.json").read_text())["look"]
        self.assertEqual((look["openings"], look["positions"]), (25, 10))
        self.assertIn("| heads `train.opponent_weight=0.15`", (self.out / "options.md").read_text())
        self.assertIn("made with another judged_positions", self.options(positions=20).stderr)

    def test_every_other_experiment_is_trained_and_judged(self):
        found = {"hex5_small": ("openings", "won_openings", "yardstick"), "breakthrough5": ("random", "solver"),
                 "connect_four": ("labels",)}
        root = self.out
        for name, parts in found.items():
            self.out = root / name
            done = self.experiment(name=name)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            [repeat] = json.loads((self.out / "results.json").read_text())["repeats"]
            for part in parts:
                self.assertTrue(any(part in key for key in repeat["judged"]), f"{part} of {name}: {list(repeat['judged'])}")
            self.assertTrue(repeat["checks"] and repeat["curve"], name)

    def test_from_training_to_the_table(self):
        done = self.experiment()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = json.loads((self.out / "results.json").read_text())
        [repeat] = result["repeats"]
        self.assertEqual((repeat["seed"], repeat["iterations"], repeat["games"]), (1, 2, 200))
        self.assertGreater(repeat["evaluations"], 1000)
        self.assertGreater(repeat["wall_s"], 0.1)
        self.assertEqual(len(repeat["checks"]), 3)
        self.assertEqual([point["iteration"] for point in repeat["curve"]][-1], 2)
        for side in ("first", "second"):
            self.assertGreater(repeat["judged"]["search"][side]["ends"], 10)
        self.assertIn("| 1 |", (self.out / "results.md").read_text())

        kept = (self.out / "seed_1/result.json").read_text()
        self.assertEqual(self.experiment().returncode, 0)  # nothing is trained again
        self.assertEqual((self.out / "seed_1/result.json").read_text(), kept)
        (self.out / "seed_1/result.json").unlink()  # as when judging failed: the training stays
        self.assertEqual(self.experiment().returncode, 0)
        self.assertEqual(json.loads((self.out / "seed_1/result.json").read_text())["wall_s"], repeat["wall_s"])
        other = self.experiment("--set", "search.visits=20")
        self.assertNotEqual(other.returncode, 0)
        self.assertIn("choose another --out", other.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
