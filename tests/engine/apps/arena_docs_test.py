#!/usr/bin/env python3
"""The examples of docs/az_arena.md are what az_arena prints, but for the numbers: games may change, words may not.

usage: arena_docs_test.py BIN_DIR          with AZ_UPDATE_GOLDEN=1 it writes them anew
"""
import re
import shlex
import sys
import tempfile

from doc_pages import BIN, faults, shown

EXAMPLE = re.compile(r"```\n\$ \./az arena ([^\n]*)\n.*?```\n", re.DOTALL)


def shape(text):
    """Without numbers and the spaces that align them."""
    return re.sub(r"[ #]+", " ", re.sub(r"[-+]?(\d+(\.\d+)?|inf)", "#", text))


def main():
    with tempfile.TemporaryDirectory() as folder:
        def renewed(match):
            command = match.group(1)
            return f"```\n$ ./az arena {command}\n{shown([f'{BIN}/az_arena', *shlex.split(command)], folder)}```\n"
        return faults("docs/az_arena.md", EXAMPLE, renewed, shape)


if __name__ == "__main__":
    sys.exit(main())
