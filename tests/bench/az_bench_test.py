#!/usr/bin/env python3
"""az_bench's command line: what it says of itself, and how it refuses before it measures anything.

usage: az_bench_test.py BIN_DIR
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
LIMIT_S = 60


def bench(*arguments, limit_s=LIMIT_S):
    return subprocess.run([f"{BIN}/az_bench", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=limit_s)


def commands():
    return [line.split()[0] for line in bench("--help").stdout.splitlines()
            if line.startswith("  ") and not line.startswith("   ")]


class CommandLine(unittest.TestCase):
    def refused(self, *arguments, code=2, says=()):
        done = bench(*arguments, limit_s=10)  # no solver is set up in so short a time
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        for text in says:
            self.assertIn(text, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_every_command_has_help_of_its_own(self):
        names = commands()
        self.assertIn("search", names)
        for name in names:
            done = bench(name, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            said = done.stdout.splitlines()
            self.assertTrue(said[0].startswith("usage: az_bench"), said)
            self.assertEqual([line.split()[0] for line in said[1:] if not line.startswith("   ")], [name])
        self.assertIn("[--simulations N]", bench("search", "--json", "--help").stdout)

    def test_without_a_command_it_says_what_there_is(self):
        done = bench()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, bench("--help").stdout)

    def test_an_unknown_command_is_named(self):
        self.refused("foo", says=("no command 'foo'", "rules, search", "--help"))
        self.refused("--json", says=("no command '--json'",))

    def test_unknown_arguments_are_named(self):
        self.refused("rules", "--helps", says=("az_bench rules: ", "--helps"))

    def test_players_are_read_before_anything_is_solved(self):
        self.refused("yardstick", "--player", "nope", says=("player 'nope'", "random, mcts"))
        self.refused("yardstick", "--player", "random,mcts?sims=0", says=("mcts?sims=0",))


class Strength(unittest.TestCase):
    def setUp(self):
        if "strength" not in commands():
            self.skipTest("a build without LibTorch")

    def refused(self, *arguments, says):
        done = bench("strength", *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(says, done.stderr)

    def test_refuses_what_is_no_network(self):
        self.refused("--checkpoint", "runs/nowhere", says="player 'runs/nowhere': no run, checkpoint folder or weights")
        self.refused("--checkpoint", "random", says="--checkpoint random is not a run or a checkpoint")
        self.refused("--checkpoint", "runs/x?sims=3", says="--a and --b")
        self.refused(says="--checkpoint RUN or CHECKPOINT is needed")

    def test_takes_a_run_as_the_other_commands_do(self):
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run")
            subprocess.run([f"{BIN}/az_train", "--config", os.path.join(ROOT, "tests/configs/tiny.yaml"), "--quiet",
                            "--set", f"run.dir={run}", "--set", "loop.iterations=1", "--set", "arena.final_games=0"],
                           check=True, capture_output=True, timeout=LIMIT_S)
            self.refused("--checkpoint", run, "--visits", "2,x", says="--visits: 'x'")
            done = bench("strength", "--checkpoint", run, "--visits", "2", "--games", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["games"], 2)


if __name__ == "__main__":
    unittest.main()
