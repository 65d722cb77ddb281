#!/usr/bin/env python3
"""The examples of docs/az_play.md are what az_play prints.

usage: play_docs_test.py BIN_DIR          with AZ_UPDATE_GOLDEN=1 it writes them anew
"""
import os
import re
import shlex
import subprocess
import sys

BIN = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
PAGE = os.path.join(ROOT, "docs/az_play.md")
EXAMPLE = re.compile(r"```\n\$ \./az play ([^\n]*) <<END\n(.*?)^END\n(.*?)```\n", re.DOTALL | re.MULTILINE)


def renewed(example):
    arguments, lines = example.group(1), example.group(2)
    done = subprocess.run([os.path.join(BIN, "az_play"), *shlex.split(arguments)], cwd=ROOT, input=lines,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    text = done.stdout
    text += "" if text.endswith("\n") else "\n"
    text += "" if done.returncode == 0 else f"[exit code {done.returncode}]\n"
    return f"```\n$ ./az play {arguments} <<END\n{lines}END\n{text}```\n"


def main():
    with open(PAGE) as file:
        text = file.read()
    now, count = EXAMPLE.subn(renewed, text)
    if count == 0:
        print("docs/az_play.md has no example that this test knows")
        return 1
    if now == text:
        return 0
    if os.environ.get("AZ_UPDATE_GOLDEN"):
        with open(PAGE, "w") as file:
            file.write(now)
        return 0
    for old, new in zip(text.splitlines(), now.splitlines()):
        if old != new:
            print(f"docs/az_play.md says\n  {old}\naz_play prints\n  {new}")
            break
    print(f"docs/az_play.md is out of date: AZ_UPDATE_GOLDEN=1 python3 tests/engine/apps/play_docs_test.py {sys.argv[1]}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
