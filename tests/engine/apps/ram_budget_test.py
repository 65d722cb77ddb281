"""The network of configs/5x5.yaml trained under memory budgets, watched from outside: the whole process tree stays
within the budget, says what it gave up, and refuses a budget that cannot do, naming the least that would.

  python3 ram_budget_test.py BIN [unittest arguments]"""
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
import unittest

import az_runs
from az_runs import ENVIRONMENT, OK, ROOT, RunCase

CONFIG = os.path.join(ROOT, "configs/5x5.yaml")
MIB = 1 << 20
# Between two looks at a run that has all processors busy: 99 of 100, and the longest.
USUAL_GAP_S = 0.25
LONGEST_GAP_S = 1.0
# The run is made short; the network, the batch and everything that holds memory stay as they are.
SHORT = ["loop.iterations=3", "self_play.games_per_iteration=24", "search.visits=8", "search.cache=16MiB",
         "train.min_positions=100", "train.samples_per_position=4", "arena.gate=fixed", "arena.games=4",
         "arena.final_games=0", "engine.device=cpu"]


def rss_anon(pid):
    try:
        with open(f"/proc/{pid}/status") as file:
            for line in file:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) << 10
    except (OSError, ValueError):
        pass  # ended meanwhile
    return 0


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def tree(pid):
    """The process and all below it."""
    return [pid] + [below for child in children(pid) for below in tree(child)]


def segment_bytes(pid):
    """Pages of the memory-backed files that the processes share: each once."""
    files = {}
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            path = f"/proc/{pid}/fd/{name}"
            if os.readlink(path).startswith("/memfd:"):
                file = os.stat(path)
                files[file.st_ino] = file.st_blocks * 512
    except OSError:
        pass  # ended, or closed meanwhile
    return sum(files.values())


class Watch(threading.Thread):
    """Samples the tree below a process: anonymous memory of all processes, and the segment once."""

    def __init__(self, root, period_s=0.03):
        super().__init__(daemon=True)
        self.root, self.period_s = root, period_s
        self.peak, self.parts, self.times = 0, {}, []
        self.done = threading.Event()

    def run(self):
        while not self.done.is_set():
            self.times.append(time.monotonic())
            parts = {pid: rss_anon(pid) for pid in tree(self.root)}
            total = sum(parts.values()) + segment_bytes(self.root)
            if total > self.peak:
                self.peak, self.parts = total, parts
            self.done.wait(self.period_s)

    def stop(self):
        self.done.set()
        self.join()
        gaps = [b - a for a, b in zip(self.times, self.times[1:])]
        self.hertz = 1 / statistics.mean(gaps) if gaps else 0
        self.usual_gap_s = sorted(gaps)[len(gaps) * 99 // 100] if gaps else 0
        self.longest_gap_s = max(gaps, default=0)


class RamBudgetTest(RunCase):
    def command(self, *more, config=CONFIG, run_dir=None):
        sets = [word for key in SHORT for word in ("--set", key)]
        return super().command(*sets, *more, config=config, run_dir=run_dir)

    def runs_within(self, budget):
        run_dir = os.path.join(self.folder, budget)
        process = self.start("--set", f"memory.ram_budget={budget}", run_dir=run_dir)
        watch = Watch(process.pid)
        watch.start()
        code = process.wait(timeout=240)
        watch.stop()
        output = self.output()
        parts = sorted(watch.parts.values(), reverse=True)
        print(f"{budget}: peak {watch.peak / MIB:.0f} MiB, by process {[round(p / MIB) for p in parts]}, "
              f"{watch.hertz:.0f} Hz, gaps p99 {watch.usual_gap_s * 1000:.0f} ms, "
              f"longest {watch.longest_gap_s * 1000:.0f} ms")
        self.assertEqual(code, OK, output)
        self.assertGreaterEqual(watch.hertz, 10)
        self.assertLessEqual(watch.usual_gap_s, USUAL_GAP_S, "peaks may have gone by unseen")
        self.assertLessEqual(watch.longest_gap_s, LONGEST_GAP_S, "a peak may have gone by unseen")
        limit = int(budget[:-3]) * (MIB if budget.endswith("MiB") else 1 << 30)
        self.assertLessEqual(watch.peak, limit, f"{budget}: {parts}")
        self.assertGreater(watch.peak, 100 * MIB)  # it was there to be seen
        self.assertEqual(len(re.findall(r'"kind":"iteration"', az_runs.read(os.path.join(run_dir, "metrics.jsonl")))), 3)
        return watch.peak, output

    def test_memory_of_grandchildren_is_seen(self):
        inner = "import time; kept = bytearray(50 << 20); print(flush=True); time.sleep(60)"
        outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
        process = subprocess.Popen([sys.executable, "-c", outer], stdout=subprocess.PIPE, start_new_session=True)
        try:
            process.stdout.readline()  # the memory is there
            watch = Watch(process.pid)
            watch.start()
            while len(watch.times) < 3:
                time.sleep(0.01)
            watch.stop()
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
        self.assertGreater(watch.peak, 50 * MIB)

    def test_2_gib(self):
        self.runs_within("2GiB")

    def test_1_gib(self):
        self.runs_within("1GiB")

    def test_512_mib(self):
        _, output = self.runs_within("512MiB")
        self.assertRegex(output, r"memory: .*instead of", "what was given up is said")
        self.inspects(os.path.join(self.folder, "512MiB"))

    def inspects(self, run_dir):
        """What az_inspect memory tells of the run agrees with what was seen from outside."""
        def inspect(*more):
            return subprocess.run([f"{az_runs.BIN}/az_inspect", "memory", run_dir, *more], capture_output=True,
                                  text=True, check=True).stdout
        facts = json.loads(inspect("--json"))
        self.assertEqual(facts["budget_bytes"], 512 * MIB)
        times = {phase["phase"]: phase["times"] for phase in facts["phases"]}
        self.assertEqual(times, {"self_play": 3, "train": 3, "arena": 3})
        for phase in facts["phases"]:
            self.assertLessEqual(phase["peak_bytes"], 512 * MIB, phase)
        self.assertIsNotNone(facts["allocator"]["peak_reserved_bytes"])
        self.assertRegex(inspect(), r"train +3 ")

    def test_impossible_budget_is_refused_with_the_least_that_would_do(self):
        begin = time.monotonic()
        result = self.train("--set", "memory.ram_budget=64MiB", config=CONFIG)
        seconds = time.monotonic() - begin
        self.fault(result, ENVIRONMENT, r"the least that would do is \d+(\.\d+)? MiB")
        self.assertLess(seconds, 2)
        self.assertFalse(os.path.exists(self.run_dir), "nothing was started")
        least = re.search(r"the least that would do is (\d+) MiB", result.stderr).group(1)
        self.runs_within(f"{least}MiB")


if __name__ == "__main__":
    az_runs.main()
