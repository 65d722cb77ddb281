#!/usr/bin/env python3
"""The examples of docs/az_plan.md and the cards of docs/memory.md are what az_plan prints.

usage: plan_docs_test.py BIN_DIR          with AZ_UPDATE_GOLDEN=1 it writes them anew
"""
import os
import re
import shlex
import subprocess
import sys

BIN = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
PROMPT = "$ ./az plan "
CARDS = re.compile(r"(<!-- az_plan --cards -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def plan(arguments):
    """What a terminal shows."""
    done = subprocess.run([os.path.join(BIN, "az_plan"), *arguments], cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=20)
    text = done.stdout
    return text if done.returncode == 0 else f"{text}[exit code {done.returncode}]\n"


def example(block):
    command = block.group(1)
    return f"```\n{PROMPT}{command}\n{plan(shlex.split(command))}```\n"


def renewed(name, text):
    if name == "docs/az_plan.md":
        return re.sub(r"```\n" + re.escape(PROMPT) + r"([^\n]*)\n.*?```\n", example, text, flags=re.DOTALL)
    return CARDS.sub(lambda match: match.group(1) + plan(["--cards"]) + match.group(3), text)


def main():
    faults = 0
    for name in ("docs/az_plan.md", "docs/memory.md"):
        path = os.path.join(ROOT, name)
        with open(path) as file:
            text = file.read()
        now = renewed(name, text)
        if now == text:
            continue
        if os.environ.get("AZ_UPDATE_GOLDEN"):
            with open(path, "w") as file:
                file.write(now)
            continue
        faults += 1
        for old, new in zip(text.splitlines(), now.splitlines()):
            if old != new:
                print(f"{name} says\n  {old}\naz_plan prints\n  {new}")
                break
        print(f"{name} is out of date: AZ_UPDATE_GOLDEN=1 python3 tests/engine/apps/plan_docs_test.py {sys.argv[1]}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
