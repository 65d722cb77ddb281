#!/usr/bin/env python3
"""A GTP program for tests: plays the first free point of the board, with one fault on demand.

  fake_gtp.py [FAULT] [--letters LETTERS] [--log FILE]

FAULT: none, die_at_start, die_at_genmove, hang, refuse_play, refuse_genmove, illegal, resign,
       junk, long_line, no_end, version_3, no_genmove, close_output, noise, late, stop, other_size, no_komi, hang_at_boardsize.
"""
import argparse
import os
import signal
import sys
import time

ALL = "abcdefghijklmnop"
SKIP_I = "abcdefghjklmnopq"


class Board:
    def __init__(self, letters):
        self.letters = letters
        self.size = 3
        self.taken = set()

    def next_free(self):
        for row in range(self.size):
            for col in range(self.size):
                point = f"{self.letters[col]}{row + 1}"
                if point not in self.taken:
                    return point
        return "pass"


def answer(text="", ok=True):
    sys.stdout.write(("= " if ok else "? ") + text + "\n\n")
    sys.stdout.flush()


def genmove(fault, board):
    if fault == "die_at_genmove":
        sys.exit(3)
    if fault == "hang":
        time.sleep(1000)
    if fault == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    if fault == "late":
        time.sleep(1.5)
    if fault == "refuse_genmove":
        return answer("cannot think", ok=False)
    if fault == "illegal":
        return answer("z99")
    if fault == "resign":
        return answer("resign")
    if fault == "junk":
        sys.stdout.buffer.write(bytes(range(256)) * 8 + b"\n\n")
        return sys.stdout.flush()
    if fault == "long_line":
        return answer("x" * (1 << 20))
    if fault == "no_end":
        sys.stdout.write("= " + "y\n" * (1 << 20))
        sys.stdout.flush()
        time.sleep(1000)
    if fault == "close_output":
        sys.stdout.close()
        sys.exit(0)
    point = board.next_free()
    board.taken.add(point)
    if fault == "noise":
        sys.stdout.write("\r\n\r\n")
        return answer("\t " + point.upper() + " \r")
    answer(point.upper())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fault", nargs="?", default="none")
    parser.add_argument("--letters", default=ALL)
    parser.add_argument("--log")
    arguments = parser.parse_args()
    fault = arguments.fault
    log = open(arguments.log, "a", buffering=1) if arguments.log else None
    if fault == "die_at_start":
        sys.exit(4)
    board = Board(SKIP_I if arguments.letters == "skip_i" else arguments.letters)
    commands = ["protocol_version", "list_commands", "boardsize", "clear_board", "play", "genmove",
                "quit"]
    if fault == "no_komi":
        commands.append("komi")
    if fault == "no_genmove":
        commands.remove("genmove")
    for line in sys.stdin:
        words = line.split()
        if log:
            log.write(line)
        if not words:
            continue
        if words[0] == "protocol_version":
            answer("3" if fault == "version_3" else "2")
        elif words[0] == "list_commands":
            answer("\n".join(commands))
        elif words[0] == "boardsize":
            if fault == "hang_at_boardsize":
                time.sleep(1000)
            if fault == "other_size" and words[1] != "19":
                answer("unacceptable size", ok=False)
                continue
            board.size = int(words[1])
            answer()
        elif words[0] == "komi" and "komi" in commands:
            answer("cannot set komi", ok=False)
        elif words[0] == "clear_board":
            board.taken.clear()
            answer()
        elif words[0] == "play":
            if fault == "refuse_play":
                answer("illegal move", ok=False)
                continue
            board.taken.add(words[2].lower())
            answer()
        elif words[0] == "genmove":
            genmove(fault, board)
        elif words[0] == "quit":
            answer()
            return
        else:
            answer("unknown command", ok=False)


if __name__ == "__main__":
    main()
