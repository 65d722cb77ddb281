#!/usr/bin/env python3
"""az_play analyze with the checkpoints of a run: its server starts, dies, and leaves nothing behind.

usage: analyze_checkpoint_test.py BIN_DIR [unittest arguments]
"""
import json
import os
import signal
import subprocess
import tempfile
import time

import az_runs as runs

PLAY = os.path.join(runs.BIN, "az_play")


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def found(line):
    """What the search found out, without what it took."""
    answer = json.loads(line)
    return {key: value for key, value in answer.items() if key not in ("ms", "rows")}


class AnalyzeCheckpoint(runs.PlayerCase):
    def start(self, *arguments, **options):
        process = subprocess.Popen([PLAY, "analyze", "--player", self.run_dir, *arguments], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def analyze(self, requests, *arguments):
        done = subprocess.run([PLAY, "analyze", *arguments], input="".join(line + "\n" for line in requests), text=True,
                              capture_output=True, timeout=runs.LIMIT_S)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def test_a_run_and_its_checkpoints_are_players(self):
        requests = [json.dumps({"id": i, "moves": [["a1"], ["b2"], []][i % 3], "sims": 20, "seed": i % 2})
                    for i in range(60)]
        code, answers, error = self.analyze(requests, "--player", self.run_dir)
        self.assertEqual((code, error), (runs.OK, ""))
        self.assertEqual([json.loads(answer)["id"] for answer in answers], list(range(60)))
        for answer in map(json.loads, answers):
            self.assertTrue(answer["simulations"] == 20 or answer["proven"] is not None, answer)
            self.assertAlmostEqual(sum(answer["raw"]["policy"].values()), 1, places=3)
        # The same again, and each alone.
        code, again, _ = self.analyze(requests[::-1], "--player", self.run_dir)
        self.assertEqual(sorted(map(str, map(found, again))), sorted(map(str, map(found, answers))))
        # Two players and a game that is another one's.
        first = self.checkpoint(0)
        mixed = [json.dumps({"id": 1, "moves": [], "player": first, "sims": 5}),
                 json.dumps({"id": 2, "moves": [], "player": f"{self.run_dir}@iter=0", "sims": 5}),
                 json.dumps({"id": 3, "moves": [], "game": "hex", "board_size": 4}),
                 json.dumps({"id": 4, "moves": [], "player": "solver", "game": "hex3"}),
                 json.dumps({"id": 5, "moves": [], "player": f"{self.run_dir}@iter=77"})]
        code, answers, error = self.analyze(mixed, "--player", self.run_dir)
        answers = [json.loads(answer) for answer in answers]
        self.assertEqual((code, error), (runs.OK, ""))
        self.assertEqual(["error" in answer for answer in answers], [False, False, True, False, True])
        self.assertEqual({**answers[0], "id": 0, "ms": 0, "rows": 0}, {**answers[1], "id": 0, "ms": 0, "rows": 0})
        self.assertRegex(answers[2]["error"], "hex3.*hex4|hex4.*hex3")
        self.assertEqual(answers[3]["proven"], 1)
        code, _, error = self.analyze([], "--player", self.run_dir, "--game", "go")
        self.assertEqual(code, runs.INCOMPATIBLE, error)

    def test_a_player_by_time_is_refused(self):
        for setting in ("seconds=0.2", "clock=10", "sims=5&seconds=0.2"):
            timed = f"{self.run_dir}?{setting}"
            requests = [json.dumps({"id": 1, "moves": [], "player": timed}),
                        json.dumps({"id": 2, "moves": [], "player": f"mcts:{setting}", "game": "hex3"}),
                        json.dumps({"id": 3, "moves": [], "sims": 5})]
            code, answers, error = self.analyze(requests, "--player", self.run_dir)
            self.assertEqual((code, error), (runs.OK, ""))
            for answer in answers[:2]:
                self.assertRegex(json.loads(answer).get("error", ""), r"does not think by time.*sims")
            self.assertEqual(json.loads(answers[2])["simulations"], 5)
            for player in (timed, f"mcts:{setting}"):
                code, answers, error = self.analyze(requests, "--player", player)
                self.assertEqual((code, answers), (runs.USAGE, []))
                self.assertIn(f"player '{player}'", error)

    def test_a_server_that_dies_is_started_again(self):
        process = self.start()
        requests = [json.dumps({"id": i, "moves": [], "sims": 500, "seed": i}) for i in range(100)]
        process.stdin.write("".join(line + "\n" for line in requests[:1]).encode())
        process.stdin.flush()
        process.stdout.readline()
        process.stdin.write("".join(line + "\n" for line in requests[1:]).encode())
        process.stdin.close()
        process.stdin = None
        for _ in range(2):
            device = runs.wait_until(lambda: children_of(process.pid), "a device")
            os.kill(device[0], signal.SIGKILL)
            runs.wait_until(lambda: children_of(process.pid) not in ([], device), "another device")
        output, error = process.communicate(timeout=runs.LIMIT_S)
        self.assertEqual((process.returncode, error), (runs.OK, b""))
        self.assertEqual([json.loads(line)["id"] for line in output.splitlines()], list(range(1, 100)))

    def test_signals_and_closed_pipes_end_it(self):
        for ending in ("signal", "reader"):
            folder = tempfile.mkdtemp(dir=self.folder)
            process = self.start(env={**os.environ, "TMPDIR": folder})
            process.stdin.write(b'{"id":1,"moves":[],"sims":5}\n')
            process.stdin.flush()
            self.assertIn(b'"best"', process.stdout.readline())
            self.assertEqual(len(os.listdir(folder)), 1)
            if ending == "signal":
                process.send_signal(signal.SIGTERM)
            else:
                process.stdout.close()
                process.stdin.write(b'{"id":2,"moves":[],"sims":5}\n')
                process.stdin.flush()
            self.assertEqual(process.wait(timeout=runs.LIMIT_S), 128 + signal.SIGTERM if ending == "signal" else 0)
            self.assertEqual(process.stderr.read(), b"")
            self.assertEqual(os.listdir(folder), [], "nothing is left behind")
            process.stdin.close()
            process.stderr.close()

    def test_the_server_is_up_soon(self):
        begun = time.monotonic()
        code, answers, _ = self.analyze([json.dumps({"id": 1, "moves": [], "sims": 1})], "--player", self.run_dir)
        self.assertEqual((code, len(answers)), (runs.OK, 1))
        self.assertLess(time.monotonic() - begun, 20, "2 s on a machine that has time")


if __name__ == "__main__":
    runs.main()
