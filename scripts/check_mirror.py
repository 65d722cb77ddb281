#!/usr/bin/env python3
"""Checks that tests/ mirrors the tree: each file is tested in the mirrored folder, or has a reason here.

Tested: a test there includes it, directly or through files of the same folder (a header stands for its source).
A folder without tests of its own, as games/hex, is tested in its parent's.
"""

import fnmatch
import re
import sys

from source_files import ROOT, source_files

TREES = ("base", "games", "mcts", "scheduler", "engine")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# File without suffix (or a pattern), or folder: what tests it instead.
ELSEWHERE = {
    "base/thread_annotations": "the compiler (clang's -Wthread-safety)",
    "engine/apps": "programs: tests/engine/apps runs them",
    "engine/fleet/process_fleet": "real processes: tests/engine/apps",
    "engine/fleet/process_fleet_memory": "real processes: tests/engine/apps",
    "engine/fleet/process_fleet_totals": "sums: process/worker_counts_test; real processes: tests/engine/apps",
    "engine/loop/final_matches": "a part of training_loop.h: training_loop_test",
    "engine/loop/train_run": "the whole run: tests/engine/apps",
    "engine/loop/training_matches": "a part of training_loop.h: training_loop_test",
    "engine/memory/probe_run": "real processes: tests/engine/apps",
    "engine/memory/temporary_run": "real processes: tests/engine/apps, bench",
    "engine/memory/trial_run": "real processes: tests/engine/apps",
    "engine/net/cuda_*": "needs a GPU",
    "engine/run/match_text": "training_loop_test",
    "engine/run/summary": "the last lines of the runs in tests/engine/apps",
    "engine/tournament/arena_match": "real processes: tests/engine/apps",
    "engine/tournament/arena_programs": "real programs: tests/engine/apps/arena_programs_test.py",
    "engine/tournament/arena_run": "real processes: tests/engine/apps",
    "mcts/instances_*": "template instances: every test of the search links them",
}


def includes(path):
    return INCLUDE.findall((ROOT / path).read_text())


def tested_folder(folder):
    """The folder itself, or the nearest one above it that has tests."""
    while not any((ROOT / "tests" / folder).glob("*_test.cc")) and "/" in folder:
        folder = folder.rsplit("/", 1)[0]
    return folder


def reached_by_tests(folder):
    """Stems ("engine/ipc/lane") of the folder's files that its tests include, also through one another."""
    tests = sorted((ROOT / "tests" / folder).glob("*.cc")) + sorted((ROOT / "tests" / folder).glob("*.h"))
    queue = [name for test in tests for name in includes(test)]
    reached = set()
    while queue:
        name = queue.pop()
        stem = name.rsplit(".", 1)[0]
        is_support = name.startswith("tests/")
        if stem in reached or not (is_support or name.startswith(folder + "/")):
            continue
        reached.add(stem)
        for suffix in (".h", ".cc"):
            if (ROOT / (stem + suffix)).exists():
                queue += includes(stem + suffix)
    return reached


def main():
    faults = []
    reached = {}
    for path in source_files(TREES):
        folder = tested_folder(path.parent.as_posix())
        stem = path.with_suffix("").as_posix()
        if any(fnmatch.fnmatch(stem, name) or stem.startswith(name + "/") for name in ELSEWHERE):
            continue
        if folder not in reached:
            reached[folder] = reached_by_tests(folder)
        if path.suffix == ".cc" and not (ROOT / path).with_suffix(".h").exists():
            own = [name for name in includes(path) if name.rsplit("/", 1)[0] == path.parent.as_posix()]
            stem = own[0].rsplit(".", 1)[0] if own else stem  # a further source of that header
        if stem not in reached[folder]:
            faults.append(f"{path}: no test in tests/{folder} includes it (or give a reason in scripts/check_mirror.py)")
    faults += [f"scripts/check_mirror.py: there is no {name}" for name in ELSEWHERE
               if not any(ROOT.glob(name)) and not any(ROOT.glob(name + ".*"))]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    print(f"check_mirror: {len(faults)} fault(s)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
