"""What the experiments share: the command line, runs of az_train with everything in the clock, results on disk.

An experiment is a script of its own: `python3 bench/learning/tictactoe.py`. It builds (outside the clock), trains once per seed
in a folder of its own, judges each final player, and writes results.json, results.md and curve.png. A repeat that is done is
kept: the same command goes on after an interruption. Exit codes: 0 every repeat passed (or --quick), 1 one did not, 2 usage.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import plots
import report
from criteria import Check, in_time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STOP_GRACE_S = 120  # a run that was told to stop has drained and saved by then


@dataclasses.dataclass(frozen=True)
class Experiment:
    """One row of the targets' table."""
    name: str
    title: str
    config: str    # below configs/
    target: str    # in words
    limit_s: float
    judge: Callable[["Judging"], dict]
    check: Callable[[dict], list[Check]]
    stop_after_s: float = 0  # 0: the config says when it ends
    quick: tuple[str, ...] = ()  # key=value of a smoke run


@dataclasses.dataclass(frozen=True)
class Judging:
    """What a judge is given."""
    programs: str
    run: str  # the finished run's folder: a player
    quick: bool


def arguments(experiment: Experiment) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=f"{experiment.title}: {experiment.target}.")
    parser.add_argument("--repeats", type=int, default=3, help="runs, each with a seed of its own")
    parser.add_argument("--seeds", default="", help="run.seed of each repeat (default 1,2,...)")
    parser.add_argument("--out", default="", help=f"folder of runs and results (default runs/learning/{experiment.name})")
    parser.add_argument("--bin", default="", help="folder of built programs (default: builds first, as ./az does)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="over the config; is reported")
    parser.add_argument("--quick", action="store_true", help="a smoke of everything in seconds: one tiny repeat, no verdict")
    parser.add_argument("--no-plot", action="store_true", help="no curve.png (it needs matplotlib, installed on first use)")
    given = parser.parse_args()
    try:
        given.seeds = [int(seed) for seed in given.seeds.split(",") if seed] or list(range(1, given.repeats + 1))
    except ValueError:
        parser.error(f"--seeds {given.seeds}: numbers with commas between them")
    if given.quick:
        given.seeds = given.seeds[:1]
    if not given.seeds:
        parser.error("--repeats: at least 1")
    given.out = pathlib.Path(given.out or ROOT / "runs/learning" / (experiment.name + "_quick" * given.quick)).absolute()
    return given


def build() -> str:
    """Folder of the programs, up to date."""
    subprocess.run([ROOT / "az", "build", "release", "programs", "az_bench"], check=True)
    return str(ROOT / "build/release/bin")


def first_line(command: list[str]) -> str:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip().split("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine() -> dict:
    """What the times depend on; no names."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return {"cores": len(os.sched_getaffinity(0)), "cpu": models[0] if models else os.uname().machine,
            "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30),
            "gpu": first_line(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"])}


def commit() -> str:
    name = first_line(["git", "rev-parse", "--short=10", "HEAD"])
    return name + ("+" if first_line(["git", "status", "--porcelain", "--untracked-files=no"]) else "")


@dataclasses.dataclass(frozen=True)
class Timing:
    wall_s: float
    cpu_s: float  # of az_train and all its children
    stopped: bool


def timed(command: list[str], log: pathlib.Path, stop_after_s: float) -> Timing:
    """Runs to the end, or tells it to stop after a time; the clock runs until all is saved and gone."""
    begun = time.monotonic()
    with open(log, "wb") as file:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    stopped = False
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        elapsed_s = time.monotonic() - begun
        if pid:
            break
        if stop_after_s and not stopped and elapsed_s >= stop_after_s:
            process.send_signal(signal.SIGTERM)
            stopped = True
        elif stopped and elapsed_s >= stop_after_s + STOP_GRACE_S:
            process.kill()
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    fine = (0, 128 + signal.SIGTERM) if stopped else (0,)
    if process.returncode not in fine:
        tail = log.read_text(errors="replace")[-2000:]
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{tail}")
    return Timing(elapsed_s, usage.ru_utime + usage.ru_stime, stopped)


# How every curve is measured; the run's own looks (loop.yardstick) may be in the same file with other settings.
YARDSTICK = {"sims": 64, "positions": 100, "games": 2, "seed": 1, "search": ""}


QUICK_YARDSTICK = YARDSTICK | {"positions": 5, "games": 1}


def curve_of(programs: str, run: pathlib.Path, yardstick: dict) -> list[dict]:
    """A point a kept checkpoint, judged by az_bench after the run and outside its clock."""
    words = [word for key in ("sims", "positions", "games", "seed") for word in (f"--{key}", str(yardstick[key]))]
    subprocess.run([f"{programs}/az_bench", "yardstick", "--run", run, *words], stdout=subprocess.DEVNULL, check=True)
    return points_of(run, yardstick)


def points_of(run: pathlib.Path, yardstick: dict) -> list[dict]:
    """The looks that were taken with these settings; ends the script where there is none."""
    points = [line for line in json_lines(run / "yardstick.jsonl") if line.get("settings") == yardstick]
    if not points:
        sys.exit(f"{run / 'yardstick.jsonl'} has no point with the settings {yardstick}: another version of az_bench?")
    return sorted(points, key=lambda point: point["iteration"])


def json_lines(path: pathlib.Path) -> list[dict]:
    """A kill can leave a torn line: it is skipped."""
    found = []
    if path.exists():
        for line in path.read_text(errors="replace").splitlines():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                pass
    return found


def totals(run: pathlib.Path) -> dict:
    """Of all iterations; of a line that comes twice the first counts."""
    lines: dict[int, dict] = {}
    for line in json_lines(run / "metrics.jsonl"):
        if line.get("kind") == "iteration":
            lines.setdefault(line["iteration"], line)
    keys = {"games": "games", "positions": "policy_samples", "evaluations": "evaluations", "samples": "samples"}
    return {"iterations": len(lines),
            **{name: sum(line.get(key, 0) for line in lines.values()) for name, key in keys.items()}}


def train_afresh(programs: str, config: pathlib.Path, settings: list[str], folder: pathlib.Path,
                 stop_after_s: float = 0) -> Timing:
    """A run in folder/run, told in folder/output.txt; what was in the folder is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [f"{programs}/az_train", "--config", str(config)]
    for text in (*settings, f"run.dir={folder / 'run'}"):
        command += ["--set", text]
    return timed(command, folder / "output.txt", stop_after_s)


def kept_result(kept: pathlib.Path, made_of: dict) -> dict | None:
    """What an earlier call of the same command left in a file, if it did; ends the script where it was made of something else."""
    if not kept.exists():
        return None
    result = json.loads(kept.read_text())
    for key, value in made_of.items():
        if result.get(key) != value:
            sys.exit(f"{kept} was made with another {key}; choose another --out, or remove {kept.parent}")
    return result


def trained(experiment: Experiment, given: argparse.Namespace, programs: str, seed: int) -> dict:
    """One training: what it was and how long it took. Kept as seed_N/trained.json, so that judging may fail and be repeated."""
    folder = given.out / f"seed_{seed}"
    kept = folder / "trained.json"
    config = ROOT / "configs" / experiment.config
    settings = list(given.set) + (list(experiment.quick) if given.quick else [])
    made_of = {"seed": seed, "settings": settings, "config_text": config.read_text(), "machine": machine()}
    if (training := kept_result(kept, made_of)) is not None:
        return training
    load_before = os.getloadavg()[0]
    timing = train_afresh(programs, config, [*settings, f"run.seed={seed}"], folder, experiment.stop_after_s)
    training = {**made_of, "commit": commit(), "load_before": load_before, **dataclasses.asdict(timing)}
    kept.write_text(json.dumps(training, indent=1) + "\n")
    return training


def repeat(experiment: Experiment, given: argparse.Namespace, programs: str, seed: int) -> dict:
    """One training and its judgement; kept as seed_N/result.json."""
    training = trained(experiment, given, programs, seed)
    folder = given.out / f"seed_{seed}"
    kept, run = folder / "result.json", folder / "run"
    if kept.exists():
        return json.loads(kept.read_text())
    judged = experiment.judge(Judging(programs, str(run), given.quick))
    checks = [*experiment.check(judged), in_time(training["wall_s"], experiment.limit_s)]
    result = {**training, **totals(run), "judged": judged, "checks": [dataclasses.asdict(check) for check in checks],
              "passed": all(check.passed for check in checks), "curve": curve_of(programs, run, QUICK_YARDSTICK if given.quick else YARDSTICK)}
    kept.write_text(json.dumps(result, indent=1) + "\n")
    return result


def main(experiment: Experiment) -> None:
    given = arguments(experiment)
    programs = os.path.abspath(given.bin) if given.bin else build()
    result = {"experiment": experiment.name, "title": experiment.title, "target": experiment.target,
              "limit_s": experiment.limit_s, "config": experiment.config,
              "command": " ".join(["python3", f"bench/learning/{experiment.name}.py", *sys.argv[1:]]),
              "machine": machine(), "repeats": []}
    for seed in given.seeds:
        done = repeat(experiment, given, programs, seed)
        result["repeats"].append(done)
        # A repeat that was kept may be of an earlier one.
        result["commit"] = ", ".join(dict.fromkeys(one["commit"] for one in result["repeats"]))
        for check in done["checks"]:
            print(f"seed {seed}: {check['name']}: {check['found']} (wanted {check['wanted']})", flush=True)
        (given.out / "results.json").write_text(json.dumps(result, indent=1) + "\n")
        (given.out / "results.md").write_text(report.text(result))
    print("\n" + report.text(result))
    if not given.no_plot:
        plots.draw(given.out / "results.json", given.out / "curve.png")
    print(f"results: {given.out}")
    sys.exit(0 if given.quick or all(done["passed"] for done in result["repeats"]) else 1)
