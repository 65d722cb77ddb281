#!/usr/bin/env python3
"""The labelled positions of Connect Four: complete, distinct, and a sample of each class proved again by the solver.

usage: learning_labels_test.py BIN_DIR
"""
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/learning"))
BIN = os.path.abspath(sys.argv[1])

import judges  # noqa: E402

PER_CLASS = 1000
PROVED = {"begin-hard": 2, "begin-medium": 3}  # the others are cheap
PROVED_ELSE = 20
MIDDLE = 4


def prove(labels):
    lines = "".join(json.dumps(label, separators=(",", ":")) + "\n" for label in labels)
    return subprocess.run([f"{BIN}/label_connect_four", "--check"], input=lines, capture_output=True, text=True)


class Labels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.labels = judges.read_labels()

    def test_a_thousand_of_each_class(self):
        counts = collections.Counter(label["class"] for label in self.labels)
        self.assertEqual(counts, {name: PER_CLASS for name in judges.LABEL_CLASSES})

    def test_no_position_comes_twice_mirrored_or_not(self):
        def board(moves, mirror):
            columns = [[] for _ in range(8)]
            for ply, move in enumerate(moves):
                column = int(move)
                columns[2 * MIDDLE - column if mirror else column].append(ply % 2)
            return tuple(map(tuple, columns))
        boards = {min(board(label["moves"], False), board(label["moves"], True)) for label in self.labels}
        self.assertEqual(len(boards), len(self.labels))

    def test_a_sample_is_proved_again(self):
        rng = random.Random(1)
        for name in judges.LABEL_CLASSES:
            of_class = [label for label in self.labels if label["class"] == name]
            done = prove(rng.sample(of_class, PROVED.get(name, PROVED_ELSE)))
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_wrong_label_would_be_found(self):
        label = dict(next(label for label in self.labels if label["class"] == "end-easy"))
        label["values"] = [-value if value else value for value in label["values"]]
        label["plies_left"] += 1
        self.assertEqual(prove([label]).returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
