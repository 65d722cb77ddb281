#!/usr/bin/env python3
"""Plays random games in OpenSpiel and checks them, ply by ply, against the rules of this engine.

    scripts/crosscheck_openspiel.py --inspect build/release/bin/az_inspect [--games N] [--entries a,b] [--seed N]
    scripts/crosscheck_openspiel.py --record 20 > tests/golden/games/openspiel_games.txt

Every game is one line to `az_inspect rules`; mover, the whole legal set, and the result are compared at every ply. Differences
of convention: scripts/openspiel_games.py. OpenSpiel is installed into .cache/openspiel on first use. Exit codes: 0 no
difference, 1 a difference, 77 OpenSpiel cannot be installed here (1 with --require, or AZ_REQUIRE_OPENSPIEL=1).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / ".cache/openspiel"
REQUIREMENTS = ROOT / "requirements/openspiel.txt"
SKIPPED = 77


def install():
    """The python of a venv that has OpenSpiel; None, with the reason printed, when there cannot be one."""
    stamp = VENV / "installed.txt"
    python = VENV / "bin/python"
    wanted = REQUIREMENTS.read_text()
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    print(f"crosscheck_openspiel: installing OpenSpiel into {VENV}", file=sys.stderr)
    for command in (
        [sys.executable, "-m", "venv", "--clear", VENV],
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r", REQUIREMENTS],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
            print(f"crosscheck_openspiel: SKIPPED, OpenSpiel cannot be installed: {reason[0]}", file=sys.stderr)
            return None
    stamp.write_text(wanted)
    return python


def with_openspiel(require):
    """Returns when pyspiel can be imported, after starting again in its venv if need be."""
    try:
        import pyspiel  # noqa: F401

        return
    except ImportError:
        pass
    python = install()
    if python is None:
        sys.exit(1 if require else SKIPPED)
    if os.environ.get("AZ_OPENSPIEL_VENV"):
        sys.exit(f"crosscheck_openspiel: pyspiel is missing from {VENV}; remove that folder")
    os.execve(python, [str(python), *sys.argv], {**os.environ, "AZ_OPENSPIEL_VENV": "1"})


class Rules:
    """A running `az_inspect rules`."""

    def __init__(self, inspect):
        self.process = subprocess.Popen([inspect, "rules"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def difference(game, answer):
    """The first difference, as text; None if there is none."""
    if "error" in answer:
        return answer["error"]
    positions = answer["positions"]
    if len(positions) != len(game.plies):
        return f"{len(positions)} positions for {len(game.plies) - 1} actions"
    for number, (theirs, ours) in enumerate(zip(game.plies, positions)):
        is_end = theirs.action is None
        expected = {"legal": theirs.legal, "over": is_end, "result": game.result if is_end else None}
        if not is_end:
            expected["to_move"] = theirs.player
        for key, value in expected.items():
            if ours[key] != value:
                return f"ply {number}: {key} is {ours[key]}, OpenSpiel has {value}"
    return None


def check(rules, entry, count, seed):
    """Returns (games, plies, differences) and prints the first few differences."""
    from openspiel_games import random_games

    plies = differences = games = 0
    for games, game in enumerate(random_games(entry, count, seed), 1):
        actions = [ply.action for ply in game.plies[:-1]]
        plies += len(actions)
        request = {"id": games, "game": entry.name, "actions": actions}
        found = difference(game, rules.ask(request))
        if found is None:
            continue
        differences += 1
        if differences <= 3:
            print(f"{entry.name}: {found}\n  {json.dumps(request)}", file=sys.stderr)
    return games, plies, differences


def record(entries, count):
    """Prints games as tests/games/openspiel_games_test.cc reads them: entry, result, then player:legal:action a ply."""
    from openspiel_games import random_games

    for entry in entries:
        for game in random_games(entry, max(2, count * entry.games // 1000), 20260101):
            plies = (f"{p.player}:{sum(1 << a for a in p.legal):x}:{p.action}" for p in game.plies[:-1])
            print(entry.name, game.result, *plies)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inspect", default=ROOT / "build/release/bin/az_inspect", help="the az_inspect to ask")
    parser.add_argument("--entries", help="comma-separated; default: all that OpenSpiel has too")
    parser.add_argument("--games", type=int, help="games an entry; default: about 12,000 in all")
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--require", action="store_true", default=os.environ.get("AZ_REQUIRE_OPENSPIEL") == "1",
                        help="fail where OpenSpiel cannot be installed")
    parser.add_argument("--setup", action="store_true", help="only install OpenSpiel")
    parser.add_argument("--record", type=int, metavar="N", help="print about N games of each small entry")
    args = parser.parse_args()
    with_openspiel(args.require)
    if args.setup:
        return 0
    from openspiel_games import entries

    known = entries()
    names = args.entries.split(",") if args.entries else list(known)
    if args.record:
        record([known[name] for name in names], args.record)
        return 0
    rules = Rules(args.inspect)
    total_games = total_differences = 0
    for name in names:
        started = time.monotonic()
        games, plies, differences = check(rules, known[name], args.games or known[name].games, args.seed)
        total_games += games
        total_differences += differences
        print(f"{name:14} {games:7} games {plies:9} plies {differences:4} differences"
              f" {time.monotonic() - started:7.1f} s", flush=True)
    if rules.close() != 0:
        sys.exit("crosscheck_openspiel: az_inspect failed")
    print(f"crosscheck_openspiel: {total_games} games, seed {args.seed}, {total_differences} differences")
    return 1 if total_differences else 0


if __name__ == "__main__":
    sys.exit(main())
