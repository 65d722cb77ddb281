#!/usr/bin/env python3
"""az_play analyze against the bare forwards of the same rows: random positions of Hex 5x5 with 5x5.yaml's first network.

usage: analysis_bench.py BIN_DIR [POSITIONS] [SIMULATIONS] [RUNS]
Prints a JSON object a run. The bare loop (az_bench inference) is measured right before each run, on as many runners as cores.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
BIN = os.path.abspath(sys.argv[1])
POSITIONS, SIMULATIONS, RUNS = (int(sys.argv[i]) if len(sys.argv) > i else default
                                for i, default in ((2, 1000), (3, 200), (4, 3)))


def requests():
    rng = random.Random(1)
    cells = [column + str(row) for column in "abcde" for row in range(1, 6)]
    for number in range(POSITIONS):
        yield json.dumps({"id": number, "moves": rng.sample(cells, rng.randrange(9)), "sims": SIMULATIONS}) + "\n"


def first_network(run):
    """A run of 5x5.yaml that is stopped as soon as it has its first network."""
    train = subprocess.Popen([f"{BIN}/az_train", "--config", f"{ROOT}/configs/5x5.yaml", "--set", f"run.dir={run}",
                              "--quiet"], stdout=subprocess.DEVNULL)
    while train.poll() is None and not os.path.exists(f"{run}/checkpoints/iter_000000/weights.safetensors"):
        time.sleep(0.1)
    while train.poll() is None and '"best": "iter_000000"' not in open(f"{run}/state.json", encoding="utf-8").read():
        time.sleep(0.1)
    train.send_signal(signal.SIGTERM)
    train.wait()


def bare_rows_per_s():
    done = subprocess.run([f"{BIN}/az_bench", "inference", "--nets", "128x8h8", "--milliseconds", "700", "--windows", "3",
                           "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["bare_rows_per_s"]


def main():
    with tempfile.TemporaryDirectory(prefix="az_bench_") as folder:
        run = f"{folder}/run"
        first_network(run)
        lines = "".join(requests())
        for _ in range(RUNS):
            bare = bare_rows_per_s()
            begun = time.monotonic()
            done = subprocess.run([f"{BIN}/az_play", "analyze", "--player", f"{run}?sims={SIMULATIONS}"], input=lines,
                                  capture_output=True, text=True, check=True)
            seconds = time.monotonic() - begun
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            rows = sum(answer.get("rows", 0) for answer in answers)
            print(json.dumps({"bench": "analysis", "positions": len(answers), "simulations": SIMULATIONS, "rows": rows,
                              "seconds": round(seconds, 2), "bare_seconds": round(rows / bare, 2),
                              "ratio": round(seconds * bare / rows, 3)}), flush=True)


if __name__ == "__main__":
    main()
