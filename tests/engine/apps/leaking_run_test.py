#!/usr/bin/env python3
"""Real processes that lose memory: the leak is found, told and ended by starting the process again; memory above the
threshold is told with what would help.

usage: leaking_run_test.py BIN_DIR LEAKING_WORKER_LIBRARY [unittest arguments]
"""
import json
import os
import subprocess
import sys

import az_runs as runs

LIBRARY = os.path.abspath(sys.argv.pop(2))
MIB = 1 << 20


class LeakTest(runs.RunCase):
    def run_losing(self, kib, *more):
        """A run whose worker 0 loses `kib` in each phase that it plays: two an iteration."""
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "AZ_LEAK_KIB": str(kib)}
        result = self.train("--set", "arena.final_games=0", "--set", "memory.sample_hz=10", *more, env=environment)
        self.assertEqual(result.returncode, runs.OK, result.stdout + result.stderr)
        lines = runs.read(os.path.join(self.run_dir, "metrics.jsonl")).splitlines()
        return result.stdout, [json.loads(line) for line in lines]

    @staticmethod
    def events(lines, name):
        return [line for line in lines if line["kind"] == "memory_event" and line["event"] == name]

    def test_a_leak_of_a_mib_an_iteration_is_found_within_seven(self):
        out, lines = self.run_losing(512, "--set", "loop.iterations=8")
        leaks = self.events(lines, "leak")
        self.assertEqual([leak["series"] for leak in leaks], ["worker_0_ram"], "that one, once, and no other")
        iterations = [line for line in lines[:lines.index(leaks[0])] if line["kind"] == "iteration"]
        self.assertLessEqual(len(iterations), 7)
        self.assertAlmostEqual(leaks[0]["bytes_per_iteration"] / MIB, 1, delta=0.25)
        self.assertEqual(leaks[0]["remedy"], "its process is started again")
        self.assertRegex(out, r"memory: worker_0_ram grows by .* an iteration.*its process is started again")
        workers = [line["after_workers_bytes"] for line in lines if line["kind"] == "memory"]
        self.assertGreater(max(one[0] for one in workers) - workers[-1][0], 4 * MIB, "the new process has none of it")

    def test_memory_above_the_threshold_is_told_with_what_would_help(self):
        budget = 256 * MIB
        out, lines = self.run_losing(64 << 10, "--set", f"memory.ram_budget={budget}B")
        steps = self.events(lines, "threshold")
        self.assertIn("ram", {step["what"] for step in steps})
        crossed = next(step for step in steps if step["what"] == "ram")
        self.assertGreater(crossed["used_bytes"], crossed["threshold_bytes"])
        self.assertGreaterEqual(crossed["threshold_bytes"], 0.8 * budget)
        self.assertRegex(out, r"memory: .* in use, above .*; (what would help: |largest in the plan: )")
        told = subprocess.run([f"{runs.BIN}/az_inspect", "memory", self.run_dir], capture_output=True, text=True)
        self.assertRegex(told.stdout, r"event +threshold in .*what ram", told.stderr)
        # Each phase tells how broken up the cached memory is; on a CPU every mapping can go back.
        phases = [line for line in lines if line["kind"] == "memory"]
        self.assertTrue(phases)
        self.assertEqual({line["fragmentation_fraction"] for line in phases}, {0.0})

    def test_a_healthy_run_tells_nothing(self):
        _, lines = self.run_losing(0, "--set", "loop.iterations=8")
        for event in ("leak", "threshold", "fragmentation"):
            self.assertEqual(self.events(lines, event), [], event)


if __name__ == "__main__":
    runs.main()
