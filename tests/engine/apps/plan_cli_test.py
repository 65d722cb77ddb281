#!/usr/bin/env python3
"""az_plan as a person meets it: what it prints, how it refuses, its exit codes.

usage: plan_cli_test.py BIN_DIR
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def plan(*arguments):
    return subprocess.run([os.path.join(BIN, "az_plan"), *arguments], cwd=ROOT, capture_output=True, text=True, timeout=20)


class PlanCli(unittest.TestCase):
    def refused(self, code, text, *arguments):
        done = plan(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertNotIn("terminate", done.stderr)

    def test_prints_a_labelled_bill(self):
        done = plan("--config", "5x5", "--ram", "8GiB", "--cores", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("host memory of all processes, MiB", "self_play", "optimizer", "2.67 M parameters", "chosen  workers 2"):
            self.assertIn(text, done.stdout)

    def test_json_adds_up(self):
        done = plan("--config", "5x5.yaml", "--simulate", "rtx4070-12GB", "--ram", "16GiB", "--cores", "8", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        data = json.loads(done.stdout)
        self.assertTrue(data["device"]["simulated"])
        for kind in ("host_memory", "device_memory"):
            for phase in data[kind]["phases"]:
                self.assertEqual(sum(term["bytes"] for term in phase["terms"]), phase["total_bytes"])
                self.assertLessEqual(phase["total_bytes"] + data[kind]["guard_bytes"], data[kind]["budget_bytes"])

    def test_a_simulated_card_says_so(self):
        done = plan("--config", "5x5", "--simulate", "12GiB", "--ram", "8GiB", "--cores", "4")
        self.assertIn("SIMULATED", done.stdout)

    def test_a_printed_config_is_a_config(self):
        done = plan("--config", "hex5_small", "--set", "search.visits=33", "--print-config")
        self.assertEqual(done.returncode, 0, done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "again.yaml")
            with open(path, "w") as file:
                file.write(done.stdout)
            again = plan("--config", path, "--print-config")
        strip = lambda text: [line.split("#")[0].rstrip() for line in text.splitlines()]
        self.assertEqual(strip(again.stdout), strip(done.stdout))
        self.assertIn("  visits: 33", strip(done.stdout))

    def test_usage_errors_end_with_2(self):
        self.refused(2, "--config is missing")
        self.refused(2, "5x5.yaml, connect_four.yaml", "--config", "6x6")
        self.refused(2, "search.vists", "--config", "5x5", "--set", "search.vists=3")
        self.refused(2, "out of range [1, 1000000]", "--config", "5x5", "--set", "search.visits=0")
        self.refused(2, "neither a size", "--config", "5x5", "--simulate", "abc")
        self.refused(2, "has no unit", "--config", "5x5", "--ram", "4096")
        self.refused(2, "is more than the", "--config", "5x5", "--ram", "4GiB", "--budget", "5GiB")
        self.assertEqual(plan("--nonsense").returncode, 2)
        self.assertEqual(plan("--help").returncode, 0)

    def test_an_environment_that_cannot_do_ends_with_3(self):
        self.refused(3, "the least that would do is", "--config", "5x5", "--ram", "100MiB")
        self.refused(3, "set engine.device: cpu", "--config", "5x5", "--set", "engine.device=cuda:0")

    def test_the_least_that_would_do_does(self):
        message = plan("--config", "5x5", "--ram", "100MiB", "--cores", "2").stderr
        least = message.split("the least that would do is ")[1].split(" (free")[0]
        done = plan("--config", "5x5", "--ram", "8GiB", "--budget", least, "--cores", "2")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
