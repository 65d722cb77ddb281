#!/usr/bin/env python3
"""az_arena between trained networks: the checkpoints of a small run, killed and started again.

usage: arena_test.py BIN_DIR
"""
import json
import os
import random
import signal
import subprocess
import time

from az_runs import BIN, INCOMPATIBLE, LIMIT_S, OK, TINY, USAGE, RunCase, main, processes_of, read, read_bytes, \
    wait_until, write


class Networks(RunCase):
    def setUp(self):
        super().setUp()
        self.out = os.path.join(self.folder, "out")

    def words(self, *more, out=None):
        return [f"{BIN}/az_arena", *more, "--out", out or self.out]

    def arena(self, *more, out=None):
        return subprocess.run(self.words(*more, out=out), capture_output=True, text=True, timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL)

    def result(self, *more, out=None):
        done = self.arena(*more, "--json", out=out)
        self.assertEqual(done.returncode, OK, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_killed_ten_times_it_ends_with_every_pair_once(self):
        self.completes()
        rng = random.Random(5)
        players = ["--a", f"{self.run_dir}/best", "--b", f"{self.run_dir}@iter=0", "--sims", "60", "--mode", "cpu",
                   "--workers", "2"]
        kills = killed_at_work = games = 0
        while kills < 10:
            games += 1000  # so that each start has something to do, however fast the machine is
            self.assertLess(games, 100_000, "it always ends before it is killed")
            process = subprocess.Popen(self.words(*players, "--games", str(games), "--quiet"),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if kills % 4 != 3:  # at work, not at the start
                wait_until(lambda: len(processes_of(self.out)) >= 4 or process.poll() is not None, "it starts")
            time.sleep(rng.uniform(0, 0.2))
            if process.poll() is not None:
                self.assertEqual(process.returncode, OK)
                continue
            children = [pid for pid, program in processes_of(self.out) if program != "az_arena"]
            killed_at_work += len(children) >= 3
            if kills % 3 == 2 and children:  # a worker or the device first; then all
                os.kill(rng.choice(children), signal.SIGKILL)
                time.sleep(rng.uniform(0, 0.2))
            process.kill()
            process.wait()
            kills += 1
            wait_until(lambda: not processes_of(self.out), "the children end")
        self.assertGreaterEqual(killed_at_work, 5)
        result = self.result(*players, "--games", str(games))
        self.assertEqual(result["games"], games)
        self.assertEqual(result["given_up"], 0)
        self.assertEqual(sum(result["pairs"]), games // 2)
        for colour in ("first", "second"):
            self.assertEqual(sum(result["by_colour"][colour].values()), games // 2)

        # Players that do not fit; the run is there already.
        bad = ["--games", "2", "--mode", "cpu"]
        out = os.path.join(self.folder, "other")
        net, first = f"{self.run_dir}/best", f"{self.run_dir}@iter=0"
        self.fault(self.arena("--a", net, "--b", first, "--game", "hex", *bad, out=out), INCOMPATIBLE, "tic_tac_toe",
                   "hex", lines=0)
        self.fault(self.arena("--a", f"{self.run_dir}@iter=7", "--b", first, *bad, out=out), USAGE, "iter", lines=0)
        weights = os.path.join(self.checkpoint(0), "weights.safetensors")
        cut = os.path.join(self.folder, "cut.safetensors")
        write(cut, read_bytes(weights)[:-9])
        self.fault(self.arena("--a", cut, "--b", first, *bad, out=out), INCOMPATIBLE, "cut.safetensors", lines=0)
        self.assertFalse(os.path.exists(out))
        # A folder of the other program.
        self.fault(self.arena("--a", net, "--b", first, *bad, out=self.run_dir), USAGE, "training run")
        self.fault(self.train(config=TINY, run_dir=self.out), USAGE, "az_arena", lines=0)

    def test_networks_and_others_in_one_tournament(self):
        self.completes()
        players = f"{self.run_dir}/best,{self.run_dir}@iter=0?sims=2,random,mcts:sims=5"
        result = self.result("--players", players, "--games", "20", "--mode", "cpu")
        self.assertEqual(len(result["matches"]), 6)
        for match in result["matches"]:
            self.assertEqual(match["games"], 20)

    def test_networks_of_different_sizes_meet(self):
        once = ["--set", "loop.iterations=1", "--set", "arena.final_games=0"]
        self.assertEqual(self.train(*once).returncode, OK)
        wide = os.path.join(self.folder, "wide")
        sizes = ["--set", "net.num_filters=16", "--set", "net.num_res_blocks=3", "--set", "net.num_heads=2"]
        self.assertEqual(self.train(*once, *sizes, run_dir=wide).returncode, OK)
        nets = [self.run_dir, wide]
        for a, b in (nets, reversed(nets)):
            out = os.path.join(self.folder, "of_" + os.path.basename(a))
            result = self.result("--a", a, "--b", b, "--games", "20", "--mode", "cpu", out=out)
            self.assertEqual(result["games"], 20)
            self.assertEqual((result["given_up"], result["forfeits"]), (0, {"a": 0, "b": 0}))
            text = read(os.path.join(out, "log.txt"))
            self.assertNotIn("level=error", text)
        # Slots change size from match to match.
        for name in ("round_robin", "gauntlet"):
            players = [self.run_dir, wide, f"{wide}@iter=0", f"{self.run_dir}@iter=0?sims=2"]
            result = self.result("--players", ",".join(players), "--format", name, "--games", "4", "--mode", "cpu",
                                 out=os.path.join(self.folder, name))
            self.assertEqual([match["games"] for match in result["matches"]],
                             [4] * (6 if name == "round_robin" else 3))


if __name__ == "__main__":
    main()
