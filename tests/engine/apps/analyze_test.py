#!/usr/bin/env python3
"""az_play analyze as a client uses it: docs/az_play.md's examples, bad input, pipes that close, many lines.

usage: analyze_test.py BIN_DIR
"""
import json
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
BIN = os.path.abspath(sys.argv[1])
LIMIT_S = 60


def analyze(requests, *arguments):
    """Exit code, answers, standard error."""
    data = requests if isinstance(requests, bytes) else "".join(line + "\n" for line in requests).encode()
    done = subprocess.run([os.path.join(BIN, "az_play"), "analyze", *arguments], input=data, cwd=ROOT,
                          capture_output=True, timeout=LIMIT_S)
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()


def request(number, moves=(), **fields):
    return json.dumps({"id": number, "moves": list(moves), **fields})


class Analyze(unittest.TestCase):
    def test_the_examples_of_the_page(self):
        with open(os.path.join(ROOT, "docs/az_play.md"), encoding="utf-8") as file:
            blocks = re.findall(r"```\n\$ \./az play analyze ([^\n]*)\n(> .*?)```\n", file.read(), re.DOTALL)
        self.assertTrue(blocks)
        for arguments, talk in blocks:
            lines = talk.splitlines()
            code, answers, _ = analyze([line[2:] for line in lines if line.startswith("> ")], *arguments.split())
            self.assertEqual(code, 0)
            wanted = [line[2:] for line in lines if line.startswith("< ")]
            self.assertEqual(len(answers), len(wanted))
            for answer, want in zip(answers, wanted):
                if want.endswith("..."):
                    self.assertEqual(answer[:len(want) - 3], want[:-3])
                else:
                    self.assertEqual(answer, want)

    def test_every_line_has_its_answer_in_order(self):
        lines = []
        for i in range(3000):
            lines.append(request(i, sims=1 + i % 7) if i % 5 else f'{{"id":{i},"moves":5}}')
        code, answers, _ = analyze(lines, "--player", "mcts", "--game", "hex", "--board-size", "4")
        self.assertEqual(code, 0)
        self.assertEqual([json.loads(answer)["id"] for answer in answers], list(range(3000)))
        for i, answer in enumerate(answers):
            self.assertEqual("error" in json.loads(answer), i % 5 == 0)

    def test_bad_lines_are_faults_of_their_own(self):
        data = b"\n".join([
            b"\x00\xff\xfe\x80junk", b"", b'{"id":1,"moves":[]}', b'"' + b"x" * (1 << 20) + b'"',
            b'{"id":2,"moves":["' + b"z" * 500_000 + b'"]}', b"[" * 100_000, b'{"id":3,"moves":[]} trailing',
            b'{"id":4,"moves":[],"player":"runs/nowhere"}', b'{"id":5,"moves":[],"player":"gtp:gnugo"}',
            b'{"id":6,"moves":[],"game":"chess"}', b'{"id":7,"moves":[],"game":"go","board_size":9,"player":"solver"}',
            b'{"id":8,"moves":[]}'])  # and no end of the last line
        code, answers, error = analyze(data, "--player", "random", "--game", "tic_tac_toe")
        self.assertEqual((code, error), (0, ""))
        answers = [json.loads(answer) for answer in answers]
        self.assertEqual([answer["id"] for answer in answers], [None, 1, None, 2, None, None, 4, 5, 6, 7, 8])
        self.assertEqual(["error" in answer for answer in answers], [True, False] + [True] * 8 + [False])
        self.assertIn("1048576", answers[2]["error"])
        for answer in answers:
            self.assertLess(len(answer.get("error", "")), 1000)

    def test_a_wrong_player_is_told_at_once(self):
        for player, code in (("runs/nowhere", 2), ("mcts:sims=x", 2), ("solver", 2), ("gtp:gnugo", 2)):
            have, answers, error = analyze([], "--player", player, "--game", "go", "--board-size", "9")
            self.assertEqual((have, answers), (code, []), player)
            self.assertTrue(error.startswith("az_play: "), error)

    def test_nothing_to_do_is_done(self):
        self.assertEqual(analyze([], "--player", "random"), (0, [], ""))
        self.assertEqual(analyze(b"\n\r\n", "--player", "random"), (0, [], ""))

    def test_a_client_that_leaves_ends_it_quietly(self):
        process = subprocess.Popen([os.path.join(BIN, "az_play"), "analyze", "--player", "mcts:sims=50", "--game", "hex5"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
        process.stdin.write(b'{"id":1,"moves":[]}\n' * 500)
        process.stdin.flush()
        self.assertIn(b'"best"', process.stdout.readline())
        process.stdout.close()
        self.assertEqual(process.wait(timeout=LIMIT_S), 0)
        self.assertEqual(process.stderr.read(), b"")
        process.stdin.close()
        process.stderr.close()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
