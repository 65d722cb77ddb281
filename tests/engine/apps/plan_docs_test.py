#!/usr/bin/env python3
"""The examples of docs/az_plan.md and the cards of docs/memory.md are what az_plan prints.

usage: plan_docs_test.py BIN_DIR          with AZ_UPDATE_GOLDEN=1 it writes them anew
"""
import re
import shlex
import sys

from doc_pages import BIN, ROOT, faults, shown

EXAMPLE = re.compile(r"```\n\$ \./az plan ([^\n]*)\n.*?```\n", re.DOTALL)
CARDS = re.compile(r"(<!-- az_plan --cards -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def plan(arguments):
    return shown([f"{BIN}/az_plan", *arguments], ROOT)


def example(match):
    return f"```\n$ ./az plan {match.group(1)}\n{plan(shlex.split(match.group(1)))}```\n"


def cards(match):
    return match.group(1) + plan(["--cards"]) + match.group(3)


if __name__ == "__main__":
    sys.exit(min(1, faults("docs/az_plan.md", EXAMPLE, example) + faults("docs/memory.md", CARDS, cards)))
