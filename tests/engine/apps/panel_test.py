#!/usr/bin/env python3
"""arena.panel of az_train: any player, and what is refused before anything starts.

usage: panel_test.py BIN_DIR
"""
import json
import os
import shutil
import sys

from az_runs import ENVIRONMENT, INCOMPATIBLE, OK, ROOT, USAGE, RunCase, main, read

FAKE = os.path.join(ROOT, "tests/engine/players/fake_gtp.py")
SHORT = ("--set", "loop.iterations=1", "--set", "arena.gate=none", "--set", "arena.final_games=0")


class Panel(RunCase):
    def panel(self, *players):
        return [*SHORT, "--set", "arena.panel=" + ",".join(players), "--set", "arena.panel_every=1",
                "--set", "arena.panel_games=4"]

    def other_run(self, *more):
        folder = os.path.join(self.folder, "other")
        result = self.train(*SHORT, *more, run_dir=folder)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        return folder

    def test_any_player_is_met(self):
        other = self.other_run("--set", "net.num_filters=6")  # a network of another size
        program = f"gtp:{sys.executable} {FAKE} none --letters abc"
        dying = f"gtp:{sys.executable} {FAKE} die_at_genmove --letters abc\\,def"
        relative = os.path.relpath(other)  # ratings know it by what the config calls it
        result = self.train(*self.panel("mcts:sims=50", "solver", f"{other}?sims=4", program, dying,
                                        "random", "mcts", f"{relative}/best"))
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        lines = [json.loads(line) for line in read(os.path.join(self.run_dir, "metrics.jsonl")).splitlines()]
        met = [line for line in lines if line["kind"] == "panel_match"]
        dying = dying.replace("\\,", ",")
        self.assertEqual([line["opponent"] for line in met],
                         ["mcts:sims=50", "solver", f"{other}@iter=1?sims=4", program, dying, "random",
                          "mcts:sims=10", f"{relative}@iter=1"])
        for line in met:
            self.assertEqual(line["wins"] + line["draws"] + line["losses"], 4, line)
        # An opening may be lost for one side; from no opening does the solver lose both games of a pair.
        self.assertLessEqual(met[1]["wins"], met[1]["losses"] + met[1]["draws"])
        self.assertEqual([line["wins"] for line in met if line["opponent"] == dying], [4])
        self.assertIn("forfeited games for causes outside of the game: program_gone 4", result.stdout)
        rated = [json.loads(line) for line in read(os.path.join(self.run_dir, "matches.jsonl")).splitlines()]
        self.assertTrue(any(match["b"] == "solver" for match in rated), rated)

    def test_what_cannot_play_is_refused_before_anything_starts(self):
        hexes = self.other_run("--set", "game.name=hex", "--set", "game.board_size=3")
        grammar = r"a run or checkpoint, random, mcts:sims=1000, solver, gtp:COMMAND"
        for player, code, why in (
                (hexes, INCOMPATIBLE, "its network plays hex3, the match is of tic_tac_toe"),
                ("bets", USAGE, "no run, checkpoint folder or weights file at /.*/bets"),
                ("runs/none@iter=12", USAGE, "is no run, which @iter asks for"),
                ("best", USAGE, "settings of its own"),
                ("mcts:sims=50,mcts:sims=50", USAGE, "'mcts:sims=50' comes twice"),
                ("random,", USAGE, "an empty word")):
            said = self.fault(self.train(*self.panel("first", player)), code, r"--set arena\.panel", why)
            self.assertRegex(said.stderr, grammar)
            self.assertFalse(os.path.exists(self.run_dir))
        self.fault(self.train(*self.panel("gtp:/no/such/program")), ENVIRONMENT, r"arena\.panel: player gtp:",
                   "no such command", grammar, lines=0)
        self.assertFalse(os.path.exists(self.run_dir))

    def test_a_complete_run_needs_its_panel_no_more(self):
        other = self.other_run()
        program = os.path.join(self.folder, "program.py")
        shutil.copy(FAKE, program)
        panel = self.panel(other, f"gtp:{sys.executable} {program} none --letters abc")
        result = self.train(*panel)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        shutil.rmtree(other)
        os.remove(program)
        again = self.train(*panel)
        self.assertEqual(again.returncode, OK, again.stderr)
        self.assertIn("nothing is left to do", again.stdout)
        self.fault(self.train(*panel, "--set", "loop.iterations=2"), USAGE, "other")


if __name__ == "__main__":
    main()
