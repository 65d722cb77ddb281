#!/usr/bin/env python3
"""GNU Go plays `az_play gtp` at Go: every command is answered by the protocol, every move is accepted by both sides,
and both count the same points.

usage: gnugo_test.py BIN_DIR [GAMES]      by turns on 5x5 and 9x9, either side by turns; needs GNU Go, else exits with 77
"""
import os
import re
import shutil
import subprocess
import sys
import threading

BIN = os.path.abspath(sys.argv[1])
GAMES = int(sys.argv[2]) if len(sys.argv) > 2 else 20
GNUGO = shutil.which("gnugo") or "/usr/games/gnugo"
SIZES = {5: 0.5, 9: 7.5}
SECONDS = 60  # for an answer
SKIPPED = 77


class Program:
    """A GTP program; checks the form of every answer."""

    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.id = 0

    def ask(self, command):
        """(accepted, text) of the answer."""
        self.id += 1
        self.process.stdin.write(f"{self.id} {command}\n")
        self.process.stdin.flush()
        watchdog = threading.Timer(SECONDS, self.process.kill)
        watchdog.start()
        lines = []
        while not lines or lines[-1] != "\n":
            lines.append(self.process.stdout.readline())
            if lines[-1] == "":
                raise AssertionError(f"{self.name} ended within the answer to '{command}': {lines}")
        watchdog.cancel()
        answer = re.fullmatch(rf"([=?]){self.id}(?:[ \n](.*))?", "".join(lines).rstrip("\n"), re.DOTALL)
        if not answer:
            raise AssertionError(f"{self.name} answers '{command}' with {lines}")
        return answer.group(1) == "=", (answer.group(2) or "").strip()

    def tell(self, command):
        accepted, text = self.ask(command)
        if not accepted:
            raise AssertionError(f"{self.name} refuses '{command}': {text}")
        return text

    def quit(self):
        self.tell("quit")
        if self.process.wait(timeout=SECONDS) != 0:
            raise AssertionError(f"{self.name} exits with {self.process.returncode}")


def stones(program, text_is_ours):
    """{point: colour} of showboard; ours has x and o, GNU Go's X and O."""
    signs = {"x": "b", "o": "w"} if text_is_ours else {"X": "b", "O": "w"}
    found = {}
    for line in program.tell("showboard").splitlines():
        row = re.match(r"\s*(\d+)\s+(\S.*)", line)
        if row:
            for column, sign in zip("ABCDEFGHJ", row.group(2).split()):
                if sign in signs:
                    found[f"{column}{row.group(1)}"] = signs[sign]
    return found


def area(board, size):
    """Black's area less white's: stones and the empty regions that touch one colour only."""
    points = [f"{column}{row}" for column in "ABCDEFGHJ"[:size] for row in range(1, size + 1)]

    def around(point):
        column, row = "ABCDEFGHJ".index(point[0]), int(point[1:])
        for c, r in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
            if 0 <= c < size and 1 <= r <= size:
                yield f"{'ABCDEFGHJ'[c]}{r}"

    margin = sum(1 if colour == "b" else -1 for colour in board.values())
    seen = set(board)
    for start in points:
        if start in seen:
            continue
        region, borders, queue = 0, set(), [start]
        seen.add(start)
        while queue:
            point = queue.pop()
            region += 1
            for near in around(point):
                if near in board:
                    borders.add(board[near])
                elif near not in seen:
                    seen.add(near)
                    queue.append(near)
        margin += region * {("b",): 1, ("w",): -1}.get(tuple(sorted(borders)), 0)
    return margin


def points_of(score):
    return 0.0 if score == "0" else float(score[2:]) * (1 if score[0] == "B" else -1)


def play(size, players, number):
    """One game. Returns (moves, how it ended, our score, GNU Go's)."""
    komi = SIZES[size]
    ours, theirs = players["az"], players["gnugo"]
    for program in (ours, theirs):
        for command in (f"boardsize {size}", "clear_board", f"komi {komi}"):
            program.tell(command)
    movers = (ours, theirs) if number % 2 == 0 else (theirs, ours)
    passes, ply, end = 0, 0, "two passes"
    while passes < 2:
        if ply == 2 * size * size:
            end = "ply limit"  # of our rules: docs/az_play.md
            break
        color = "bw"[ply % 2]
        move = movers[ply % 2].tell(f"genmove {color}")
        if move.lower() == "resign":
            end = "resignation"
            break
        movers[1 - ply % 2].tell(f"play {color} {move}")
        passes = passes + 1 if move.lower() == "pass" else 0
        ply += 1
    board = stones(ours, True)
    if board != stones(theirs, False):
        raise AssertionError(f"game {number}: the boards differ")
    score = points_of(ours.tell("final_score"))
    if score != area(board, size) - komi:
        raise AssertionError(f"game {number}: final_score {score}, the board has {area(board, size) - komi}")
    return ply, end, score, points_of(theirs.tell("final_score"))


def main():
    if not os.path.exists(GNUGO):
        print("skipped: GNU Go is not installed (apt-get install gnugo)")
        return SKIPPED
    az = [os.path.join(BIN, "az_play"), "gtp", "--game", "go", "--board-size", "5", "--player", "mcts:sims=60"]
    gnugo = [GNUGO, "--mode", "gtp", "--level", "1", "--chinese-rules", "--positional-superko", "--never-resign",
             "--capture-all-dead", "--seed", "7"]
    players = {"az": Program("az_play", az), "gnugo": Program("gnugo", gnugo)}
    agreed = 0
    for number in range(GAMES):
        size = (5, 9)[number // 2 % 2]
        ply, end, score, other = play(size, players, number)
        agreed += score == other
        print(f"game {number}: {size}x{size}, az_play {'black' if number % 2 == 0 else 'white'}, {ply} plies, {end}, "
              f"margin {score:+g}, gnugo counts {other:+g}", flush=True)
    for program in players.values():
        program.quit()
    print(f"{GAMES} games without a protocol error; the same score in {agreed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
