#!/usr/bin/env python3
"""az_arena against other programs over GTP: GNU Go, and one of ours that does everything wrong.

usage: arena_programs_test.py BIN_DIR
"""
import json
import os
import subprocess
import time
import unittest

from az_runs import BIN, ENVIRONMENT, LIMIT_S, OK, RunCase, main, processes_of, wait_until

GNUGO = "/usr/games/gnugo"
FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "players", "fake_gtp.py")


def command_lines():
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    yield file.read().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                pass  # it has ended


class Programs(RunCase):
    def setUp(self):
        super().setUp()
        self.out = os.path.join(self.folder, "out")

    def words(self, *more):
        return [f"{BIN}/az_arena", *more, "--out", self.out]

    def result(self, *more):
        done = subprocess.run(self.words(*more, "--json"), capture_output=True, text=True, timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, OK, done.stdout + done.stderr)
        return json.loads(done.stdout)

    @unittest.skipUnless(os.access(GNUGO, os.X_OK), f"{GNUGO} is not installed (requirements/apt.txt)")
    def test_twenty_games_against_gnu_go_without_a_protocol_error(self):
        for size, opponent in ((5, "mcts:sims=100"), (9, "mcts:sims=20")):
            self.out = os.path.join(self.folder, f"go{size}")
            result = self.result("--a", "gtp:gnugo --mode gtp --level 1 --chinese-rules --positional-superko",
                                 "--b", opponent, "--game", "go", "--board-size", str(size), "--games", "20",
                                 "--workers", "2")
            self.assertEqual(result["games"], 20)
            self.assertEqual(result["forfeits"], {"a": 0, "b": 0})
            self.assertEqual(result["given_up"], 0)

    def test_a_faulty_program_forfeits_and_the_match_goes_on(self):
        result = self.result("--a", f"gtp:python3 {FAKE} illegal", "--b", "random", "--game", "hex",
                             "--board-size", "3", "--games", "10", "--workers", "2")
        self.assertEqual(result["games"], 10)
        self.assertEqual(result["losses"], 10)
        self.assertEqual(result["forfeits"], {"a": 10, "b": 0})

        self.assertEqual(result["forfeit_reasons"], {"a": {"illegal_move": 10}, "b": {}})

    def test_a_program_that_cannot_be_started_fails_the_match_before_it_begins(self):
        for command, why in (("/no/such/program", "no such command"),
                             (f"python3 {FAKE} die_at_start", "ended with exit|closed its"),
                             (f"python3 {FAKE} version_3", "answered protocol_version with '3', not 2")):
            done = subprocess.run(self.words("--a", "random", "--b", f"gtp:{command}", "--game", "hex", "--board-size",
                                             "3", "--games", "10", "--json"),
                                  capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
            self.fault(done, ENVIRONMENT, "player gtp:", "did not start: it", why, lines=0)
            self.assertEqual(done.stdout, "")
            self.assertFalse(os.path.exists(self.out))

    def test_no_program_outlives_a_killed_arena(self):
        mark = f"--letters abc --log {self.folder}/gtp.log"
        process = subprocess.Popen(
            self.words("--a", f"gtp:python3 {FAKE} hang {mark}", "--b", "random", "--game", "hex",
                       "--board-size", "3", "--games", "10", "--workers", "2", "--quiet"),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def programs():
            return [line for line in command_lines() if mark in line and "az_arena" not in line]

        wait_until(lambda: len(programs()) >= 2 or process.poll() is not None, "the programs start")
        time.sleep(0.3)
        process.kill()
        process.wait()
        wait_until(lambda: not processes_of(self.out), "the workers end")
        wait_until(lambda: not programs(), "the programs end")


if __name__ == "__main__":
    main()
