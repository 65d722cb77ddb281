#!/usr/bin/env python3
"""az_arena between trained networks: the checkpoints of a small run, killed and started again.

usage: arena_test.py BIN_DIR
"""
import glob
import json
import os
import random
import signal
import struct
import subprocess
import time

from az_runs import BIN, INCOMPATIBLE, LIMIT_S, OK, TINY, USAGE, RunCase, main, processes_of, read, read_bytes, \
    wait_until, write


def match_games(folder):
    """{(match, index): {ply: (action, searched, network's value)}} of the journals (docs/formats/journal.md)."""
    games = {}
    for path in glob.glob(os.path.join(folder, "journal", "lane_*.journal")):
        data = read_bytes(path)
        at = 96
        while at < len(data):
            length, kind = struct.unpack_from("<IB", data, at)
            if kind == 2:
                game, _, ply, action, _, flags, _, visits, _, value = struct.unpack_from("<QQHHHBBIff", data, at + 5)
                key = (game >> 32 & 0xFFFFFF, game & 0xFFFFFFFF)
                searched = flags == 0 and visits > 0  # neither of the opening, nor proven, nor the only move
                games.setdefault(key, {})[ply] = (action, searched, value)
            at += length + 9
    return games


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

    def own_values(self, player, lines):
        """What the network of a player says of each position, without a match around it."""
        requests = "".join(json.dumps({"id": 1, "moves": list(line), "sims": 1}) + "\n" for line in lines)
        done = subprocess.run([f"{BIN}/az_play", "analyze", "--player", player], input=requests, text=True,
                              capture_output=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, OK, done.stderr)
        return [json.loads(answer)["raw"]["value"] for answer in done.stdout.splitlines()]

    def test_each_network_answers_for_its_own_side(self):
        """The networks' values in the journals are those of who moved, of whatever size and in whatever slot."""
        once = ["--set", "loop.iterations=1", "--set", "arena.final_games=0", "--set", "arena.gate=none"]
        self.assertEqual(self.train(*once).returncode, OK)
        wide = os.path.join(self.folder, "wide")
        self.assertEqual(self.train(*once, "--set", "net.num_filters=16", "--set", "net.num_res_blocks=2",
                                    run_dir=wide).returncode, OK)
        players = [f"{run}?symmetry=none&sims=4" for run in (self.run_dir, wide, f"{wide}@iter=0")]
        self.result("--players", ",".join(players), "--games", "12", "--mode", "cpu", "--workers", "2")
        meets = [(0, 1), (0, 2), (1, 2)]
        positions = [{}, {}, {}]  # by player: moves so far, and what the network said then
        for (match, index), moves in match_games(self.out).items():
            line = ()
            for ply, (action, searched, value) in sorted(moves.items()):
                mover = meets[match][(ply + index) % 2]
                if searched:
                    positions[mover][line] = value
                line += (f"{'abc'[action % 3]}{action // 3 + 1}",)
        lines = sorted(set().union(*positions))
        said = [dict(zip(lines, self.own_values(player, lines))) for player in players]
        for player, own in enumerate(positions):
            self.assertGreater(len(own), 10)
            for other in range(3):
                far = max(abs(value - said[other][line]) for line, value in own.items())
                if other == player:
                    self.assertLess(far, 0.002, players[player])
                else:
                    self.assertGreater(far, 0.01, "the networks differ, or this test could not tell")

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
