#!/usr/bin/env python3
"""The examples of docs/az_play.md are what az_play prints.

usage: play_docs_test.py BIN_DIR          with AZ_UPDATE_GOLDEN=1 it writes them anew
"""
import re
import shlex
import sys

from doc_pages import BIN, ROOT, faults, shown

EXAMPLE = re.compile(r"```\n\$ \./az play ([^\n]*) <<END\n(.*?)^END\n(.*?)```\n", re.DOTALL | re.MULTILINE)


def renewed(match):
    arguments, lines = match.group(1), match.group(2)
    text = shown([f"{BIN}/az_play", *shlex.split(arguments)], ROOT, lines)
    return f"```\n$ ./az play {arguments} <<END\n{lines}END\n{text}```\n"


if __name__ == "__main__":
    sys.exit(faults("docs/az_play.md", EXAMPLE, renewed))
