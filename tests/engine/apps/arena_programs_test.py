#!/usr/bin/env python3
"""az_arena against other programs over GTP: GNU Go, and one of ours that does everything wrong.

usage: arena_programs_test.py BIN_DIR
"""
import csv
import json
import os
import subprocess
import time
import unittest

from az_runs import BIN, ENVIRONMENT, FORFEITS, LIMIT_S, OK, USAGE, RunCase, main, processes_of, wait_until

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

    def test_a_program_that_cannot_play_the_game_fails_the_match_before_it_begins(self):
        for command, game, why in (
                ("/no/such/program", "hex", "no such command"),
                (f"python3 {FAKE} die_at_start", "hex", "ended with exit|closed its"),
                (f"python3 {FAKE} version_3", "hex", "it speaks version '3' of GTP, not 2"),
                (f"python3 {FAKE} no_genmove", "hex", "it has no command genmove"),
                (f"python3 {FAKE} other_size", "hex", r"it answered 'boardsize 5' with \? unacceptable size"),
                (f"python3 {FAKE} hang_at_boardsize?timeout=0.5", "hex", "did not answer 'boardsize 5' in 0.5 s"),
                (f"python3 {FAKE} no_komi", "go", r"it answered 'komi [0-9.]+' with \? cannot set komi")):
            done = subprocess.run(self.words("--a", "random", "--b", f"gtp:{command}", "--game", game, "--board-size",
                                             "5", "--games", "10", "--json"),
                                  capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
            self.fault(done, ENVIRONMENT, "player gtp:", f"did not start a game of {game}5: ", why, lines=0)
            self.assertEqual(done.stdout, "")
            self.assertFalse(os.path.exists(self.out))

    def test_who_lost_for_causes_outside_of_the_game_is_told_by_the_exit_code(self):
        words = self.words("--a", f"gtp:python3 {FAKE} die_at_genmove", "--b", "random", "--game", "hex",
                           "--board-size", "3", "--games", "4", "--workers", "2", "--json")
        for _ in range(2):  # the games are there already: what they came to is the same
            done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
            self.fault(done, FORFEITS, "forfeited games for causes outside of the game: program_gone 4",
                       lines=0)
            self.assertEqual(json.loads(done.stdout)["forfeit_reasons"], {"a": {"program_gone": 4}, "b": {}})
        with open(os.path.join(self.out, "result.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual((rows[0]["forfeit_reasons_a"], rows[0]["forfeit_reasons_b"]), ("program_gone 4", ""))

    def test_a_program_that_is_stopped_on_its_clock_is_no_fallen_flag(self):
        for fault, code, reason in (("stop", FORFEITS, "no_answer"), ("late", OK, "timeout")):
            self.out = os.path.join(self.folder, fault)
            done = subprocess.run(self.words("--a", f"gtp:python3 {FAKE} {fault}?clock=0.5&timeout=4", "--b", "random",
                                             "--game", "hex", "--board-size", "3", "--games", "2", "--json"),
                                  capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertEqual(json.loads(done.stdout)["forfeit_reasons"], {"a": {reason: 2}, "b": {}})

    def test_a_solver_that_is_too_slow_is_told_by_the_exit_code(self):
        done = subprocess.run(self.words("--a", "solver", "--b", "random", "--game", "connect_four", "--games", "2",
                                         "--quiet"),
                              capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
        self.fault(done, FORFEITS, "player solver forfeited games for causes outside of the game: no_answer 2", lines=0)

    def test_a_program_with_commas_is_one_of_many_players(self):
        gtp = f"gtp:python3 {FAKE} none --letters abc,def"
        result = self.result("--player", gtp, "--player", "random", "--player", "mcts:sims=2", "--game", "hex",
                             "--board-size", "3", "--games", "2")
        self.assertEqual([player["name"] for player in result["players"]], [gtp, "random", "mcts:sims=2"])
        done = subprocess.run(self.words("--player", gtp, "--players", "random,mcts", "--game", "hex", "--games", "2"),
                              capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
        self.fault(done, USAGE, "give --a and --b, or --players, or --player for each")

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
