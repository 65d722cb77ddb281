#!/usr/bin/env python3
"""The examples of docs/az_train.md and docs/az_inspect.md, on one run: the programs print what the pages say, but for numbers.

usage: run_docs_test.py BIN_DIR          with AZ_UPDATE_GOLDEN=1 it writes them anew
"""
import os
import re
import subprocess
import sys
import tempfile

BIN = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
PAGES = ("docs/az_train.md", "docs/az_inspect.md")  # in this order: the second looks at the run of the first
EXAMPLE = re.compile(r"```\n\$ ([^\n]*\./az (?:train|inspect) [^\n]*)\n(.*?)```\n", re.DOTALL)


def shape(text):
    """Without numbers, their units, results, moves, what each line of health has to say, and the spaces that align them."""
    text = re.sub(r"  (no warnings stand|warning[^\n]*)\n", "", text)
    text = re.sub(r"(?m)^(  (?:losses|policy|value|games|search|optimiser|seconds|data) ) .*$", r"\1", text)
    text = re.sub(r"\b[a-c][1-3]\b", "cell", text)
    text = re.sub(r"[-+]?\d+(\.\d+)?(e-?\d+)?", "#", text)
    text = re.sub(r"# (B|KiB|MiB|GiB)\b", "#", text)
    return re.sub(r"[ #,]+", " ", re.sub(r"\b[01]-[01]\b|#/#-#/#|#-#", "#", text))


def shown(command, folder):
    """What a terminal shows of a command of the page."""
    words = re.sub(r"\./az (train|inspect)", lambda match: f"{BIN}/az_{match.group(1)}", command)
    done = subprocess.run(["bash", "-c", words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=60)
    return done.stdout + ("" if done.returncode == 0 else f"[exit code {done.returncode}]\n")


def main():
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in PAGES:
            path = os.path.join(ROOT, name)
            with open(path) as file:
                page = file.read()
            now, count = EXAMPLE.subn(lambda match: f"```\n$ {match.group(1)}\n{shown(match.group(1), folder)}```\n", page)
            if count == 0:
                print(f"{name} has no example that this test knows")
                return 1
            if os.environ.get("AZ_UPDATE_GOLDEN"):
                with open(path, "w") as file:
                    file.write(now)
                continue
            if shape(now) == shape(page):
                continue
            faults += 1
            for old, new in zip(page.splitlines(), now.splitlines()):
                if shape(old) != shape(new):
                    print(f"{name} says\n  {old}\nthe program prints\n  {new}")
                    break
            print(f"{name} is out of date: AZ_UPDATE_GOLDEN=1 python3 tests/engine/apps/run_docs_test.py {sys.argv[1]}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
