#!/usr/bin/env python3
"""Plots: strength against time and against network evaluations, a line a repeat, from an experiment's results.json.

    bench/learning/plots.py RESULTS.json PICTURE.png

matplotlib is installed into .cache/plots on first use. Exit codes: 0 drawn, 77 it cannot be installed here.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = ROOT / ".cache/plots"
REQUIREMENTS = ROOT / "requirements/plots.txt"
SKIPPED = 77
COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple")
TIME, EVALUATIONS = "elapsed_s", "evaluations"  # keys of a curve's point; the yardstick's own cost is left out of the second


def share(part: str, whole: str):
    return lambda point: point[part] / point[whole] if point.get(whole) else None


# What a point says of strength: title, and its number, or None.
STRENGTH = {
    "openings whose raw value has the right sign": share("openings_right", "openings"),
    "mistakes, network alone": lambda point: point.get("raw_mistake_fraction"),
    "mistakes, search": lambda point: point.get("search_mistake_fraction"),
    "games lost to the exact opponent": share("exact_games_lost", "exact_games"),
}


def python_with_matplotlib() -> str:
    """This one, or a venv's; empty, with the reason printed, when there cannot be one."""
    try:
        import matplotlib  # noqa: F401
        return sys.executable
    except ImportError:
        pass
    stamp, python = VENV / "installed.txt", VENV / "bin/python"
    wanted = REQUIREMENTS.read_text()
    if stamp.is_file() and stamp.read_text() == wanted:
        return str(python)
    print(f"plots: installing matplotlib into {VENV}", file=sys.stderr)
    for command in ([sys.executable, "-m", "venv", "--clear", VENV],
                    [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
            print(f"plots: no picture, matplotlib cannot be installed: {reason[0]}", file=sys.stderr)
            return ""
    stamp.write_text(wanted)
    return str(python)


def draw(results: pathlib.Path, picture: pathlib.Path) -> bool:
    """Draws in a process of its own, which has matplotlib. False: no picture, and it was said why."""
    python = python_with_matplotlib()
    return bool(python) and subprocess.run([python, __file__, str(results), str(picture)]).returncode == 0


def series_of(repeats: list[dict]) -> list[str]:
    """The titles of STRENGTH that any curve has a number for."""
    return [title for title, number in STRENGTH.items()
            if any(number(point) is not None for repeat in repeats for point in repeat["curve"])]


def panel(axes, repeats: list[dict], title: str, x: str, x_label: str) -> None:
    for colour, repeat in zip(COLOURS * len(repeats), repeats):
        points = [(point[x], STRENGTH[title](point)) for point in repeat["curve"] if STRENGTH[title](point) is not None]
        axes.plot([at for at, _ in points], [value for _, value in points], ".-", color=colour,
                  label=f"seed {repeat['seed']}")
    axes.set_xlabel(x_label)
    axes.set_title(title, fontsize="medium")
    axes.set_ylim(-0.02, None if any(word in title for word in ("mistakes", "lost")) else 1.02)
    axes.grid(alpha=0.3)


def paint(result: dict, picture: str) -> None:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    titles = series_of(result["repeats"])
    if not titles:
        sys.exit("plots: the runs have no yardstick curve (az_bench was not built)")
    figure, rows = pyplot.subplots(len(titles), 2, figsize=(11, 3.2 * len(titles)), squeeze=False)
    for (left, right), title in zip(rows, titles):
        panel(left, result["repeats"], title, TIME, "seconds since the start")
        panel(right, result["repeats"], title, EVALUATIONS, "network evaluations")
    rows[0][0].legend()
    figure.suptitle(result["title"])
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    python = python_with_matplotlib()
    if not python:
        sys.exit(SKIPPED)
    if python != sys.executable:
        os.execv(python, [python, *sys.argv])
    with open(sys.argv[1], encoding="utf-8") as file:
        paint(json.load(file), sys.argv[2])


if __name__ == "__main__":
    main()
