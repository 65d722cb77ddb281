#!/usr/bin/env python3
"""The examples of docs/az_arena.md are what az_arena prints, but for the numbers: games may change, words may not.

usage: arena_docs_test.py BIN_DIR          with AZ_UPDATE_GOLDEN=1 it writes them anew
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

BIN = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
PAGE = os.path.join(ROOT, "docs/az_arena.md")
EXAMPLE = re.compile(r"```\n\$ \./az arena ([^\n]*)\n.*?```\n", re.DOTALL)


def shape(text):
    """Without numbers and the spaces that align them."""
    return re.sub(r"[ #]+", " ", re.sub(r"[-+]?(\d+(\.\d+)?|inf)", "#", text))


def main():
    with open(PAGE) as file:
        page = file.read()
    with tempfile.TemporaryDirectory() as folder:
        def example(match):
            done = subprocess.run([os.path.join(BIN, "az_arena"), *shlex.split(match.group(1))], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
            code = "" if done.returncode == 0 else f"[exit code {done.returncode}]\n"
            return f"```\n$ ./az arena {match.group(1)}\n{done.stdout}{code}```\n"
        now, count = EXAMPLE.subn(example, page)
    if count == 0:
        print("docs/az_arena.md has no example that this test knows")
        return 1
    if os.environ.get("AZ_UPDATE_GOLDEN"):
        with open(PAGE, "w") as file:
            file.write(now)
        return 0
    if shape(now) == shape(page):
        return 0
    for old, new in zip(page.splitlines(), now.splitlines()):
        if shape(old) != shape(new):
            print(f"docs/az_arena.md says\n  {old}\naz_arena prints\n  {new}")
            break
    print(f"docs/az_arena.md is out of date: AZ_UPDATE_GOLDEN=1 python3 tests/engine/apps/arena_docs_test.py {sys.argv[1]}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
