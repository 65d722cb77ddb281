"""What the tests of the programs share: small runs that are started, watched, broken and looked into."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
BIN = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/bin")
TINY = os.path.join(ROOT, "tests/configs/tiny.yaml")
TINY_GAMES = [60, 60]  # that tiny.yaml asks for
ENDLESS = ["--set", "loop.iterations=100000"]

OK, FAILED, USAGE, ENVIRONMENT, INCOMPATIBLE, FORFEITS = 0, 1, 2, 3, 4, 5
LIMIT_S = 120  # of one program; a machine under load is slow, a hang is longer


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb" if isinstance(data, bytes) else "w") as file:
        file.write(data)


def wait_until(condition, what, limit_s=60):
    """The first true value of condition()."""
    deadline = time.monotonic() + limit_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {limit_s} s: {what}")
        time.sleep(0.01)


def processes_of(run_dir):
    """(pid, program) of every live process whose command line names the run."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
            with open(f"/proc/{name}/stat") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        program = os.path.basename(words[0])
        if state not in "ZX" and program.startswith("az_") and any(run_dir in word for word in words):
            found.append((int(name), program))
    return found


def inspect(run_dir):
    result = subprocess.run([f"{BIN}/az_inspect", "run", run_dir, "--json"], capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(f"az_inspect exits with {result.returncode}: {result.stderr}")
    return json.loads(result.stdout)


class RunCase(unittest.TestCase):
    """A test with a folder of its own, in which az_train runs; nothing may be left running at its end."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="az_apps_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)  # after any file system in it is unmounted
        self.run_dir = os.path.join(self.folder, "run")

    def tearDown(self):
        left = processes_of(self.folder)
        for pid, _ in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "processes left behind")

    def command(self, *more, config=TINY, run_dir=None):
        return [f"{BIN}/az_train", "--config", config, "--set", f"run.dir={run_dir or self.run_dir}", *more]

    def train(self, *more, config=TINY, run_dir=None, shell="", **options):
        """Runs az_train to its end. `shell`: what a shell does first, as "ulimit -n 16"."""
        words = self.command(*more, config=config, run_dir=run_dir)
        if shell:
            words = ["bash", "-c", f'{shell}; exec "$@"', "bash", *words]
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, **options)

    def start(self, *more, run_dir=None, **options):
        """Starts az_train in the background, output into a file."""
        output = open(os.path.join(self.folder, "output.txt"), "ab")
        options = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output, **options}
        process = subprocess.Popen(self.command(*more, run_dir=run_dir), **options)
        output.close()
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.wait()))
        return process

    def output(self):
        return read(os.path.join(self.folder, "output.txt"))

    def fault(self, result, code, *patterns, lines=1):
        """An error as a person should see it: `lines` lines that say `patterns`, the exit code, nothing else."""
        text = f"exit {result.returncode}, stdout:\n{result.stdout}\nstderr:\n{result.stderr}"
        self.assertEqual(result.returncode, code, text)
        said = result.stderr.strip().split("\n")
        if lines:
            self.assertEqual(len(said), lines, text)
        for pattern in patterns:
            self.assertRegex(result.stderr, pattern, text)
        for noise in ("terminate called", "what():", "Traceback", "backtrace", "Segmentation", "CHECK failed",
                      "frame #", "core dumped"):
            self.assertNotIn(noise, result.stderr, text)
        self.assertEqual(processes_of(self.folder), [], text)
        return result

    def completes(self, *more, run_dir=None, games=None):
        """The same command, once nothing stands in its way, ends with the games asked for."""
        result = self.train(*more, run_dir=run_dir)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        facts = inspect(run_dir or self.run_dir)
        games = games or TINY_GAMES
        self.assertEqual(facts["phase"], "complete")
        self.assertEqual(facts["self_play_games"][:len(games)], games, facts)
        for key in ("failed_games", "conflicting_moves", "games_with_gaps"):
            self.assertEqual(facts[key], 0, facts)
        return result

    def state(self):
        try:
            return json.loads(read(os.path.join(self.run_dir, "state.json")))
        except FileNotFoundError:
            return {}

    def wait_for_phase(self, iteration=0, phase="self_play"):
        """Until the run is in that phase or later; a run that is being made is in none."""
        order = ["self_play", "train", "arena", "publish", "final", "complete"]

        def reached():
            state = self.state()
            return state.get("best") and (state["iteration"], order.index(state["phase"])) >= \
                (iteration, order.index(phase))
        wait_until(reached, f"{phase} of iteration {iteration}")

    def journal(self, lane=0):
        return os.path.join(self.run_dir, "journal", f"lane_{lane:03d}.journal")

    def checkpoint(self, iteration):
        return os.path.join(self.run_dir, "checkpoints", f"iter_{iteration:06d}")


class PlayerCase(RunCase):
    """With a run of Hex 3x3 whose network is a player, and az_play."""
    PLAY = os.path.join(BIN, "az_play")

    def setUp(self):
        super().setUp()
        result = self.train("--set", "loop.iterations=1", "--set", "arena.games=2", "--set", "arena.final_games=0",
                            "--set", "game.name=hex", "--set", "game.board_size=3")
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
