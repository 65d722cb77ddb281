#!/usr/bin/env python3
"""Kills workers, the device process and the supervisor of a run at random, each at least once, then lets it end.

usage: kill_test.py BIN_DIR KILLS SEED

Must hold: no committed game is ever lost, nothing hangs, no process stays behind, and the run ends with exactly the games
asked for, each once.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from az_runs import BIN, ROOT, inspect, processes_of

KILLS, SEED = int(sys.argv[2]), int(sys.argv[3])
CONFIG = os.path.join(ROOT, "tests/configs/kill.yaml")
STALL_LIMIT_S = 60


def fail(message):
    print(f"FAILED (seed {SEED}): {message}")
    sys.exit(1)


class Run:
    def __init__(self, folder):
        self.dir = os.path.join(folder, "run")
        self.log = open(os.path.join(folder, "output.txt"), "ab")
        self.most_games = 0
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [f"{BIN}/az_train", "--config", CONFIG, "--set", f"run.dir={self.dir}", "--quiet"],
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)

    def check_committed(self):
        if not os.path.exists(os.path.join(self.dir, "state.json")):
            return
        facts = inspect(self.dir)
        if facts["finished_games"] < self.most_games:
            fail(f"{self.most_games} finished games were committed, now there are {facts['finished_games']}")
        self.most_games = facts["finished_games"]

    def kill_supervisor(self):
        self.process.kill()
        self.process.wait()
        # A child that still loads its libraries notices only when it begins: seconds on a busy machine.
        deadline = time.monotonic() + 10.0
        while processes_of(self.dir):
            if time.monotonic() > deadline:
                fail(f"left behind by a dead supervisor: {processes_of(self.dir)}")
            time.sleep(0.01)
        self.check_committed()
        self.start()

    def kill_child(self, program):
        children = [pid for pid, name in processes_of(self.dir) if name == program]
        if not children:
            return False
        try:
            os.kill(random.choice(children), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True


def main():
    random.seed(SEED)
    folder = tempfile.mkdtemp(prefix="az_kill_")
    run = Run(folder)
    run.start()
    kills = {"az_worker": 0, "az_device": 0, "az_train": 0}
    while sum(kills.values()) < KILLS:
        time.sleep(random.uniform(0.0, 0.15))
        code = run.process.poll()
        if code is not None:
            fail(f"the run ended with {code} after {kills}; see {folder}/output.txt, {run.dir}/log.txt")
        spared = [program for program in kills if kills[program] == 0]
        if len(spared) < KILLS - sum(kills.values()):
            victim = random.choices(["az_worker", "az_device", "az_train"], [75, 20, 5])[0]
        else:
            victim = random.choice(spared)  # each program at least once
        if victim == "az_train":
            run.kill_supervisor()
            kills[victim] += 1
        elif run.kill_child(victim):
            kills[victim] += 1
    killed = inspect(run.dir)
    last, last_change = None, time.monotonic()
    while run.process.poll() is None:
        time.sleep(0.2)
        facts = inspect(run.dir)
        now = (facts["moves"], facts["phase"], facts["iteration"])
        if now != last:
            last, last_change = now, time.monotonic()
        if time.monotonic() - last_change > STALL_LIMIT_S:
            fail(f"no progress for {STALL_LIMIT_S} s at {now}; see {run.dir}/log.txt")
    if run.process.returncode != 0:
        fail(f"the run ended with {run.process.returncode}; see {folder}/output.txt and {run.dir}/log.txt")
    facts = inspect(run.dir)
    if killed["phase"] == "complete":
        fail("the run was complete before the last kill: it proves too little")
    iterations = facts["iteration"]
    if facts["phase"] != "complete" or facts["self_play_games"][:iterations] != [400] * iterations or iterations != 40:
        fail(f"not the games asked for: {facts}")
    for key in ("failed_games", "conflicting_moves", "games_with_gaps"):
        if facts[key] != 0:
            fail(f"{key} = {facts[key]}")
    if os.path.exists(os.path.join(run.dir, "journal", "repairs")):
        fail("a start found games with lost moves, though no byte of a journal was lost")
    if processes_of(run.dir):
        fail(f"left behind at the end: {processes_of(run.dir)}")
    print(f"passed: {kills}, {facts['finished_games']} games, {facts['moves']} moves, "
          f"{facts['repeated_moves']} repeated moves dropped; seed {SEED}")
    shutil.rmtree(folder)


main()
