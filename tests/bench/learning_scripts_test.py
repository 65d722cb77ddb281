#!/usr/bin/env python3
"""The pure parts of bench/learning: criteria, tables, labels, and the games of the judges with a made-up truth."""
import json
import pathlib
import random
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/learning"))

import common  # noqa: E402
import criteria  # noqa: E402
import judges  # noqa: E402
import plots  # noqa: E402
import report  # noqa: E402


class TakeAway:
    """A pile of `size`: a move takes 1 or 2, who takes the last one wins. Lost where the pile is a multiple of three."""

    def __init__(self, size: int):
        self.size = size
        self.asked = 0

    def left(self, line) -> int:
        return self.size - sum(int(move) for move in line)

    def values(self, line) -> dict[str, int]:
        pile = self.left(line)
        return {str(n): 1 if (pile - n) % 3 == 0 else -1 for n in (1, 2) if n <= pile}

    def ask(self, lines, **_):
        answers = []
        for line in lines:
            self.asked += 1
            values = self.values(line)
            answers.append({"moves": [{"move": move, "value": float(value)} for move, value in values.items()]}
                           if values else {"over": True})
        return answers


class TakeAwayPlayer(TakeAway):
    """Perfect, or always the worst move."""

    def __init__(self, size: int, perfect: bool = True):
        super().__init__(size)
        self.pick = max if perfect else min

    def ask(self, lines, **_):
        answers = []
        for line in lines:
            values = self.values(line)
            best = self.pick(values, key=values.get)
            answers.append({"best": best, "raw": {"policy": {best: 1.0}, "value": self.pick(values.values()) * 0.5}})
        return answers


def seats(size: int, perfect: bool):
    return judges.Player(TakeAwayPlayer(size, perfect), judges.as_played), judges.Truth(TakeAway(size), judges.as_played)


class Judges(unittest.TestCase):
    def test_a_perfect_player_holds_every_won_opening(self):
        player, truth = seats(10, True)
        score = judges.won_openings(player, truth, seeds=8)
        self.assertEqual(score, {"games": 16, "won": 16, "lost": 0, "mistakes": 0})

    def test_a_bad_player_loses_them_and_its_mistakes_are_counted(self):
        player, truth = seats(10, False)
        score = judges.won_openings(player, truth, seeds=8)
        self.assertEqual((score["won"], score["lost"]), (0, 16))
        self.assertGreaterEqual(score["mistakes"], 16)

    def test_the_side_of_the_player_decides_whose_win_it_is(self):
        for size, winner in ((9, 1), (10, 0)):  # a multiple of three is lost for who begins
            player, truth = seats(size, True)
            for side in (0, 1):
                score = judges.side_games(player, truth, side, 5, judges.exact_reply)
                self.assertEqual(score["won"], 5 if side == winner else 0, (size, side))

    def test_every_line_meets_all_replies(self):
        player, truth = seats(9, True)
        self.assertEqual(judges.every_line(player, truth, 1, lambda o: o.best)["lost"], 0)
        self.assertGreater(judges.every_line(player, truth, 0, lambda o: o.best)["lost"], 0)
        player, truth = seats(9, False)
        counts = judges.every_line(player, truth, 1, lambda o: o.best)
        self.assertGreater(counts["lost"], 0)
        self.assertGreater(counts["mistakes"], 0)

    def test_the_exact_opponent_leaves_the_fewest_winning_moves(self):
        truth = judges.Truth(_Fixed({(): {"a": -1, "b": -1}, ("a",): {"x": 1, "y": 1}, ("b",): {"x": 1, "y": -1}}),
                             judges.as_played)
        replies = [judges.exact_reply([judges.Game((), 1, random.Random(seed))], truth)[0] for seed in range(200)]
        self.assertGreater(replies.count("b"), 120)  # b, or at random: three of four
        self.assertLess(replies.count("b"), 180)

    def test_the_exact_opponent_keeps_what_it_has(self):
        truth = judges.Truth(_Fixed({(): {"a": -1, "b": 0, "c": 1}}), judges.as_played)
        for seed in range(20):
            self.assertEqual(judges.exact_reply([judges.Game((), 1, random.Random(seed))], truth), ["c"])

    def test_openings_are_right_by_sign_and_draws_by_nearness(self):
        truth = judges.Truth(_Fixed({(): {"a": 1, "b": -1, "c": 0, "d": 1}}), judges.as_played)
        said = {("a",): -0.9, ("b",): 0.2, ("c",): 0.5, ("d",): 0.1}  # in the view of who answers
        table = judges.opening_table(judges.Player(_Says(said), judges.as_played), truth)
        self.assertEqual((table["openings"], table["right"], table["wrong"]), (4, 2, ["c", "d"]))
        self.assertAlmostEqual(table["smallest_margin"], 1 / 3 - 0.5)

    def test_a_position_is_asked_once(self):
        game = TakeAway(6)
        truth = judges.Truth(game, judges.as_played)
        truth.ask([("1",), ("1",), ("2",)])
        truth.ask([("2",)])
        self.assertEqual(game.asked, 2)

    def test_orders_of_the_same_stones_are_one(self):
        self.assertEqual(judges.as_placed(("c", "x", "a", "b")), judges.as_placed(("a", "b", "c", "x")))
        self.assertNotEqual(judges.as_placed(("c", "x")), judges.as_placed(("x", "c")))

    def test_label_mistakes(self):
        labels = [{"class": "end-easy", "values": [1, 0, None, None, None, None, -1]},
                  {"class": "end-easy", "values": [0, 0, 0, 0, 0, 0, 0]},
                  {"class": "begin-hard", "values": [-1, 0, -1, -1, -1, -1, -1]}]
        counts = judges.label_mistakes(labels, ["2", "1", "2"])
        self.assertEqual(counts["end-easy"], {"positions": 2, "decisive": 1, "mistakes": 1})
        self.assertEqual(counts["begin-hard"], {"positions": 1, "decisive": 1, "mistakes": 0})
        with self.assertRaises(ValueError):
            judges.label_mistakes(labels, ["2"])


class _Fixed:
    """Positions of a made-up game."""

    def __init__(self, positions):
        self.positions = positions

    def ask(self, lines, **_):
        return [{"moves": [{"move": m, "value": v} for m, v in self.positions[tuple(line)].items()]} for line in lines]


class _Says:
    def __init__(self, values):
        self.values = values

    def ask(self, lines, **_):
        return [{"best": "m", "raw": {"policy": {"m": 1.0}, "value": self.values[tuple(line)]}} for line in lines]


def failing(checks):
    return [check.name for check in checks if not check.passed]


class Criteria(unittest.TestCase):
    def test_tictactoe_never_loses(self):
        def judged(first, second):  # the raw policy alone loses, and is asked nothing
            return {"search": {"first": {"lost": first}, "second": {"lost": second}},
                    "raw_policy": {"first": {"lost": 7}, "second": {"lost": 7}}}
        self.assertEqual(failing(criteria.tictactoe(judged(0, 0))), [])
        self.assertEqual(len(failing(criteria.tictactoe(judged(0, 1)))), 1)
        self.assertEqual(len(failing(criteria.tictactoe(judged(2, 1)))), 2)

    def test_hex_needs_signs_and_games(self):
        def judged(right=25, won=500, yardstick_right=25, yardstick_lost=0):
            return {"openings": {"openings": 25, "right": right}, "won_openings": {"games": 500, "won": won},
                    "yardstick": {"openings": 25, "openings_right": yardstick_right, "exact_games_lost": yardstick_lost}}
        self.assertEqual(failing(criteria.hex5(judged())), [])
        for fault in ({"right": 24}, {"won": 499}, {"yardstick_right": 24}, {"yardstick_lost": 1}):
            self.assertEqual(len(failing(criteria.hex5(judged(**fault)))), 1, fault)

    def test_breakthrough_wins_all(self):
        def judged(a, b):
            return {"random": {"won": a, "games": 200}, "solver": {"won": b, "games": 50}}
        self.assertEqual(failing(criteria.breakthrough5(judged(200, 50))), [])
        self.assertEqual(failing(criteria.breakthrough5(judged(200, 49))), ["won as second against solver"])

    def test_connect_four_pools_easy_and_medium(self):
        def judged(**mistakes):
            counts = {name: {"positions": 1000, "mistakes": mistakes.get(name.replace("-", "_"), 0)}
                      for name in judges.LABEL_CLASSES}
            return {"labels": {"search": counts}}
        self.assertEqual(failing(criteria.connect_four(judged(end_easy=15, middle_medium=60, begin_hard=100))), [])
        self.assertEqual(len(failing(criteria.connect_four(judged(begin_easy=16)))), 1)
        self.assertEqual(len(failing(criteria.connect_four(judged(begin_medium=61)))), 1)
        self.assertEqual(len(failing(criteria.connect_four(judged(begin_hard=101)))), 1)

    def test_time_counts(self):
        self.assertTrue(criteria.in_time(60, 60).passed)
        self.assertFalse(criteria.in_time(60.1, 60).passed)

    def test_first_lasting_is_where_it_stays(self):
        curve = [{"at": 1, "ok": True}, {"at": 2, "ok": False}, {"at": 3, "ok": True}, {"at": 4, "ok": True}]
        self.assertEqual(criteria.first_lasting(curve, lambda point: point["ok"])["at"], 3)
        self.assertIsNone(criteria.first_lasting(curve[:2], lambda point: point["ok"]))
        self.assertIsNone(criteria.first_lasting([], lambda point: point["ok"]))


def made_up_result(walls):
    checks = [{"name": "lost", "found": "0", "wanted": "0", "passed": True},
              {"name": "wall-clock", "found": "1 s", "wanted": "<= 60 s", "passed": True}]
    repeats = [{"seed": seed, "wall_s": wall, "cpu_s": 2 * wall, "games": 1000 * seed, "evaluations": 5_000_000,
                "checks": checks, "passed": seed != 2, "load_before": 0.1, "curve": []}
               for seed, wall in enumerate(walls, 1)]
    return {"title": "T", "command": "c", "commit": "abc", "target": "t", "limit_s": 60, "repeats": repeats,
            "machine": {"cores": 2, "cpu": "X", "memory_gib": 4, "gpu": ""}}


class Report(unittest.TestCase):
    def test_every_repeat_and_the_median(self):
        lines = report.repeats_table(made_up_result([10, 30, 20])).splitlines()
        self.assertEqual(lines[0], "| seed | wall-clock | CPU | games | evaluations | lost | passed |")
        self.assertEqual(lines[1], "|---|--:|--:|--:|--:|--:|--:|")
        self.assertEqual(lines[2], "| 1 | 10.0 s | 20.0 s | 1 k | 5 M | 0 | yes |")
        self.assertEqual(lines[3].split("|")[-2], " no ")
        self.assertEqual(lines[5], "| median | 20.0 s | 40.0 s | 2 k | 5 M |  | 2 of 3 |")

    def test_one_repeat_has_no_median(self):
        self.assertNotIn("median", report.repeats_table(made_up_result([10])))

    def test_the_curve_says_from_when_on_it_was_perfect(self):
        result = made_up_result([10, 30])
        result["repeats"][0]["curve"] = [{"elapsed_s": at, "evaluations": 1e6 * at, "perfect": at > 3} for at in (2, 4, 6)]
        lines = report.repeats_table(result).splitlines()
        self.assertIn("| perfect from |", lines[0])
        self.assertIn("| 4.0 s, 4 M |", lines[2])
        self.assertEqual({line.count("|") for line in lines}, {lines[0].count("|")})
        result["repeats"][0]["curve"][-1]["perfect"] = False
        self.assertIn("| not |", report.repeats_table(result))

    def test_heading_says_command_machine_and_target(self):
        text = report.heading(made_up_result([1]))
        for part in ("`c`", "abc", "2 cores of X", "no GPU", "t in 60.0 s"):
            self.assertIn(part, text)

    def test_units(self):
        self.assertEqual([report.duration(s) for s in (3.14, 95, 1800, 7200)],
                         ["3.1 s", "1 min 35 s", "30 min 0 s", "2 h 0 min"])
        self.assertEqual([report.count(n) for n in (7, 1500, 2_510_000)], ["7", "1.5 k", "2.51 M"])


class Runs(unittest.TestCase):
    def setUp(self):
        import tempfile
        folder = tempfile.TemporaryDirectory(prefix="az_learning_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_clock_has_the_children_in_it(self):
        burn = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
        code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"
        timing = common.timed([sys.executable, "-c", code], self.folder / "log", 0)
        self.assertGreater(timing.cpu_s, 0.29)
        self.assertGreater(timing.wall_s, 0.29)
        self.assertFalse(timing.stopped)

    def test_a_run_is_told_to_stop_and_may_save(self):
        code = ("import signal, sys, time\n"
                "signal.signal(signal.SIGTERM, lambda *_: (print('saved'), sys.exit(143)))\n"
                "time.sleep(60)")
        timing = common.timed([sys.executable, "-c", code], self.folder / "log", 1.0)
        self.assertTrue(timing.stopped)
        self.assertIn("saved", (self.folder / "log").read_text())

    def test_a_run_that_fails_ends_the_experiment(self):
        with self.assertRaisesRegex(SystemExit, "no such thing"):
            common.timed([sys.executable, "-c", "raise SystemExit('no such thing')"], self.folder / "log", 0)

    def test_totals_count_an_iteration_once_and_skip_torn_lines(self):
        (self.folder / "metrics.jsonl").write_text(
            '{"kind":"iteration","iteration":0,"games":5,"evaluations":7}\n{"kind":"memory"}\n'
            '{"kind":"iteration","iteration":0,"games":5,"evaluations":7}\n{"kind":"iteration","iteration":1,"games":6}\n'
            '{"kind":"iter')
        found = common.totals(self.folder)
        self.assertEqual((found["iterations"], found["games"], found["evaluations"]), (2, 11, 7))

    def test_a_curve_is_measured_in_one_way(self):
        own = {**common.YARDSTICK, "sims": 16}  # of loop.yardstick
        lines = [{"iteration": 3, "settings": own}, {"iteration": 4}, {"iteration": 9, "settings": common.YARDSTICK},
                 {"iteration": 2, "settings": common.YARDSTICK}]
        (self.folder / "yardstick.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        found = common.points_of(self.folder, common.YARDSTICK)
        self.assertEqual([point["iteration"] for point in found], [2, 9])
        with self.assertRaisesRegex(SystemExit, "no point with the settings"):
            common.points_of(self.folder, common.QUICK_YARDSTICK)


class Plots(unittest.TestCase):
    def test_only_what_the_curves_have_is_drawn(self):
        repeats = [{"curve": []}, {"curve": [{"raw_mistake_fraction": 0.5, "openings": 0, "openings_right": 0}]}]
        self.assertEqual(plots.series_of(repeats), ["mistakes, network alone"])

    def test_counts_become_shares(self):
        point = {"openings": 25, "openings_right": 20, "exact_games": 50, "exact_games_lost": 5}
        found = {title: number(point) for title, number in plots.STRENGTH.items()}
        self.assertEqual(list(found.values()), [0.8, None, None, 0.1])


if __name__ == "__main__":
    unittest.main()
