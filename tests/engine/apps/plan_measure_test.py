#!/usr/bin/env python3
"""az_plan --measure on this machine, and az_train with what it measured and wrote.

usage: plan_measure_test.py BIN_DIR
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
SHORT = ("loop.iterations=1", "self_play.games_per_iteration=30", "train.min_positions=20", "train.window_start=20",
         "arena.games=2", "arena.final_games=0")


class Measure(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = lambda name: os.path.join(self.folder.name, name)
        self.environment = {**os.environ, "XDG_CACHE_HOME": self.path("cache"), "TMPDIR": self.folder.name}

    def tearDown(self):
        self.folder.cleanup()

    def activations(self, data, phase):
        bill = next(bill for bill in data["host_memory"]["phases"] if bill["phase"] == phase)
        return next(term for term in bill["terms"] if term["term"] == "activations")

    def run_program(self, program, *arguments):
        done = subprocess.run([os.path.join(BIN, program), *arguments], cwd=ROOT, capture_output=True, text=True,
                              timeout=120, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_measures_keeps_and_uses(self):
        # As many runners at a time as are probed, however fast this machine happens to be.
        config = ("--config", "quick_demo", "--ram", "4GiB", "--cores", "2", "--set", "engine.runners=2")
        data = json.loads(self.run_program("az_plan", *config, "--measure", "--json"))
        sizes = data["measured"]["sizes"]
        self.assertEqual([(size["phase"], size["confirms"]) for size in sizes],
                         [("train", False)] * 2 + [("inference", False)] * 2 + [("train", True), ("inference", True)])
        seen = {phase: {size["rows"] for size in sizes if size["phase"] == phase} for phase in ("train", "inference")}
        for fit in data["calibration"]:
            self.assertEqual({size["rows"] for size in fit["measured"]}, seen[fit["phase"]])
        for size in sizes:
            self.assertFalse(size["out_of_memory"])
            self.assertGreater(size["measured_bytes"], 0)
            self.assertGreater(size["step_us"], 0)
            self.assertGreater(min(size["first_step_bytes"], size["later_steps_bytes"]), 0)
            self.assertEqual(size["measured_bytes"], max(size["first_step_bytes"], size["later_steps_bytes"]))
        self.check_prices(data)
        self.assertEqual(data["plan"]["rates_basis"], "predicted")
        for phase in ("train", "self_play"):
            self.assertEqual(self.activations(data, phase)["basis"], "measured", "the chosen sizes were confirmed")
        self.assertEqual(os.listdir(self.folder.name), ["cache"], "nothing else is left behind")

        start = time.monotonic()
        again = json.loads(self.run_program("az_plan", *config, "--json"))
        self.assertLess(time.monotonic() - start, 1.0)
        self.assertEqual(again["plan"], data["plan"])
        self.assertEqual(again["calibration"], data["calibration"])
        # A size that was not run has a fit, not a measurement.
        other = json.loads(self.run_program("az_plan", *config, "--set", "engine.max_batch=24", "--set",
                                            "train.batch=100", "--json"))
        for phase in ("train", "self_play"):
            self.assertEqual(self.activations(other, phase)["basis"], "predicted")
        self.assertRegex(self.run_program("az_plan", *config), r"measured: training in \w+ with \d+, \d+.* rows")
        never = json.loads(self.run_program("az_plan", *config, "--set", "memory.probe=never", "--json"))
        self.assertEqual(never["plan"]["rates_basis"], "assumed")

    def check_prices(self, data):
        """A rung of training was run beside the size of the plan; of inference both sizes were."""
        plan, measured = data["plan"], data["measured"]
        prices = {price["key"]: price for price in measured["prices"]}
        self.assertEqual(len(prices), len(measured["prices"]))
        for price in prices.values():
            self.assertFalse(price["out_of_memory"])
            self.assertGreater(price["time_ratio"], 0)
            self.assertEqual(price["basis"], "measured")
        peaks = lambda phase: [size["measured_bytes"] for size in measured["sizes"] if size["phase"] == phase]
        halved, checkpointed = prices["train.accumulate_grad_batches"], prices["train.gradient_checkpointing"]
        self.assertEqual((halved["from"], halved["to"], 2 * halved["rows"]), ("1", "2", plan["micro_batch"]))
        self.assertEqual((checkpointed["from"], checkpointed["to"], checkpointed["rows"]),
                         ("off", "on", plan["micro_batch"]))
        for price in (halved, checkpointed):
            self.assertGreater(price["bytes_saved"], 0)
            self.assertLess(price["bytes_saved"], max(peaks("train")) * plan["learner_shards"])
        smaller = prices["engine.max_batch"]
        self.assertEqual([size["rows"] for size in measured["sizes"] if size["phase"] == "inference"][:2],
                         [int(smaller["from"]), int(smaller["to"])])
        self.assertEqual(smaller["bytes_saved"], (peaks("inference")[0] - peaks("inference")[1]) * plan["runners"])

    def test_prints_prices_and_the_first_step(self):
        text = self.run_program("az_plan", "--config", "quick_demo", "--ram", "4GiB", "--cores", "2", "--measure")
        self.assertRegex(text, r"\nmeasured +rows +predicted MiB +first MiB +later MiB ")
        prices = text.split("what a rung of the ladder costs")[1]
        for rung in ("engine.max_batch: 128 -> 32", "train.accumulate_grad_batches: 1 -> 2",
                     "train.gradient_checkpointing: off -> on"):
            self.assertRegex(prices, rf"\n{rung} +\d+ +-?[\d.]+ m +x [\d.]+ m\n")
        plain = self.run_program("az_plan", "--config", "quick_demo", "--ram", "4GiB", "--cores", "2", "--measure",
                                 "--set", "net.num_res_blocks=0")
        self.assertNotIn("gradient_checkpointing: off -> on  ", plain)
        self.assertIn("train.accumulate_grad_batches: 1 -> 2  ", plain)

    def train(self, name, *sets):
        words = [part for key in (*SHORT, "run.dir=" + self.path(name), *sets) for part in ("--set", key)]
        return self.run_program("az_train", "--config", "quick_demo", *words)

    def seen(self, name):
        """The sizes that the plan of a run says were run."""
        with open(self.path(name + "/plan.json")) as file:
            return [(fit["phase"], size["rows"]) for fit in json.load(file)["calibration"] for size in fit["measured"]]

    def cache_file(self):
        folder = self.path("cache/alphazero")
        files = os.listdir(folder)
        self.assertEqual(len(files), 1, files)
        return os.path.join(folder, files[0])

    def test_trains_with_what_it_measures_first(self):
        measuring = "measuring what batches take of the device (memory.probe)"
        out = self.train("always", "memory.probe=always")
        self.assertIn(measuring, out)
        self.assertEqual({phase for phase, _ in self.seen("always")}, {"train", "inference"})
        with open(self.cache_file()) as file:
            good = file.read()
        # On a CPU `auto` takes what was kept, and does not measure by itself.
        out = self.train("auto", "memory.probe=auto")
        self.assertNotIn(measuring, out)
        self.assertEqual(self.seen("auto"), self.seen("always"))
        self.train("never", "memory.probe=never")
        self.assertEqual(self.seen("never"), [])
        for name, text, why in (("old", good.replace("az probe cache 2", "az probe cache 1", 1), "of another version"),
                                ("cut", good[:len(good) // 2], "is damaged"), ("empty", "", "is damaged")):
            with open(self.cache_file(), "w") as file:
                file.write(text)
            out = self.train(name, "memory.probe=auto")
            self.assertIn("memory: what was measured earlier is not used: ", out)
            self.assertIn(why, out)
            self.assertEqual(self.seen(name), [])
        out = self.train("again", "memory.probe=always")
        self.assertIn(measuring, out)
        self.assertNotIn("not used", self.train("mended", "memory.probe=auto"), "always wrote it anew")

    def test_trains_with_a_written_config(self):
        tuned = self.path("tuned.yaml")
        self.run_program("az_plan", "--config", "quick_demo", "--cores", "2", "--write", tuned)
        sets = [part for key in (*SHORT, "run.dir=" + self.path("run")) for part in ("--set", key)]
        out = self.run_program("az_train", "--config", tuned, *sets)
        self.assertIn("iteration", out)
        self.assertTrue(os.path.exists(self.path("run/checkpoints")))


if __name__ == "__main__":
    unittest.main()
