#!/usr/bin/env python3
"""The examples of docs/az_train.md and docs/az_inspect.md, on one run: the programs print what the pages say, but for numbers.

usage: run_docs_test.py BIN_DIR          with AZ_UPDATE_GOLDEN=1 it writes them anew
"""
import re
import sys
import tempfile

from doc_pages import BIN, faults, shown

PAGES = ("docs/az_train.md", "docs/az_inspect.md")  # in this order: the second looks at the run of the first
EXAMPLE = re.compile(r"```\n\$ ([^\n]*\./az (?:train|inspect) [^\n]*)\n(.*?)```\n", re.DOTALL)


def shape(text):
    """Without numbers, their units, results, moves, what each line of health has to say, and the spaces that align them."""
    text = re.sub(r"  (no warnings stand|warning[^\n]*)\n", "", text)
    text = re.sub(r"(?m)^(  (?:losses|policy|value|games|search|inference|optimiser|data) ) .*$", r"\1", text)
    text = re.sub(r"\b[a-c][1-3]\b", "cell", text)
    text = re.sub(r"[-+]?\d+(\.\d+)?(e-?\d+)?", "#", text)
    text = re.sub(r"# (B|KiB|MiB|GiB)\b", "#", text)
    return re.sub(r"[ #,]+", " ", re.sub(r"\b[01]-[01]\b|#/#-#/#|#-#", "#", text))


def main():
    with tempfile.TemporaryDirectory() as folder:
        def renewed(match):
            command = match.group(1)
            words = re.sub(r"\./az (train|inspect)", lambda name: f"{BIN}/az_{name.group(1)}", command)
            return f"```\n$ {command}\n{shown(words, folder)}```\n"
        return min(1, sum([faults(name, EXAMPLE, renewed, shape) for name in PAGES]))


if __name__ == "__main__":
    sys.exit(main())
