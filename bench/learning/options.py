#!/usr/bin/env python3
"""Options of the recipe, each turned over for itself: the small Hex network with what configs leave off, and without what they have on.

Every option has the same iterations and seeds; its last network is judged by `az_bench yardstick`. Writes options.json and
options.md; a run that is done is kept: the same command goes on after an interruption.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import common
from criteria import median
from report import count, markdown

CONFIG = common.ROOT / "configs/hex5_small.yaml"
OPTIONS = {
    "as the config is": (),
    "heads": ("train.opponent_weight=0.15", "train.short_term_weight=0.25"),
    "opponent head": ("train.opponent_weight=0.15",),
    "short-term head": ("train.short_term_weight=0.25",),
    "pooling": ("net.global_pool_every=2",),
    "attention": ("net.num_heads=4",),
    "merged duplicates": ("train.merge_duplicates=true",),
    "policy surprise": ("train.surprise_weight=0.5",),
    "value surprise": ("train.surprise_value_weight=0.1",),
    "rising visits": ("self_play.first_visits=8",),
    "constant rate": ("train.lr_schedule=constant",),
    "rate in steps": ("train.lr_schedule=steps",),
    "root temperature": ("search.root_temperature=1.3",),
    "forced playouts": ("search.forced_playouts=2", "search.target_pruning=true"),
    "spread of values": ("search.c_puct_stdev_scale=0.85",),
    "playout caps": ("search.full_fraction=0.25",),
    "playout caps and all values": ("search.full_fraction=0.25", "train.fast_plies=value"),
    "openings from the policy": ("search.policy_opening_plies=2",),
    "Gumbel root": ("search.root=gumbel",),
    "Gumbel root and best moves": ("search.root=gumbel", "search.gumbel.explore_plies=0"),
    "the same with 16 simulations": ("search.root=gumbel", "search.gumbel.explore_plies=0", "search.visits=16"),
    "Gumbel with stretched values": ("search.root=gumbel", "search.gumbel.value_scale=minmax", "search.gumbel.c_scale=0.1"),
    "Gumbel below the root": ("search.root=gumbel", "search.gumbel.full=true"),
    "ends when proven": ("search.adjudicate_proven=true",),
    "resignation": ("search.resign.threshold=0.9",),
    "without averaged weights": ("train.ema_span=0",),
    "without symmetries": ("train.symmetries=false",),
    "outcomes alone": ("train.value_mix=0",),
    "without proven targets": ("train.proven_targets=false",),
}
# Of a look: what is told of it, how, and by which factor.
COLUMNS = {
    "raw mistakes, %": ("raw_mistake_fraction", "{:.1f}", 100),
    "search mistakes, %": ("search_mistake_fraction", "{:.2f}", 100),
    "signs right": ("openings_right", "{:g}", 1),
    "smallest margin": ("opening_smallest_margin", "{:.2f}", 1),
    "games lost": ("exact_games_lost", "{:g}", 1),
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", default="1,2", help="run.seed of each repeat")
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--positions", type=int, default=400, help="judged ones")
    parser.add_argument("--only", default="", help="names of options with commas between them (default: all)")
    parser.add_argument("--out", default="", help="folder of runs and results (default runs/learning/options)")
    parser.add_argument("--bin", default="", help="folder of built programs (default: builds first, as ./az does)")
    given = parser.parse_args()
    given.seeds = [int(seed) for seed in given.seeds.split(",")]
    given.options = given.only.split(",") if given.only else list(OPTIONS)
    if unknown := [name for name in given.options if name not in OPTIONS]:
        parser.error(f"--only {unknown[0]}: one of {', '.join(OPTIONS)}")
    given.out = pathlib.Path(given.out or common.ROOT / "runs/learning/options").absolute()
    return given


def look(programs: str, run: pathlib.Path, positions: int) -> dict:
    words = [f"{programs}/az_bench", "yardstick", "--checkpoint", str(run), "--sims", "64", "--positions", str(positions),
             "--games", "1", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measured(given: argparse.Namespace, programs: str, name: str, seed: int) -> dict:
    """One training and what its last network knows."""
    folder = given.out / name.replace(" ", "_") / f"seed_{seed}"
    kept, run = folder / "result.json", folder / "run"
    settings = [f"loop.iterations={given.iterations}", "arena.final_games=0", *OPTIONS[name]]
    made_of = {"seed": seed, "settings": settings, "judged_positions": given.positions, "config_text": CONFIG.read_text(),
               "machine": common.machine()}
    if (result := common.kept_result(kept, made_of)) is not None:
        return result
    timing = common.train_afresh(programs, CONFIG, [*settings, f"run.seed={seed}"], folder)
    result = {**made_of, "commit": common.commit(), "wall_s": timing.wall_s, "cpu_s": timing.cpu_s,
              **common.totals(run), "look": look(programs, run, given.positions)}
    kept.write_text(json.dumps(result, indent=1) + "\n")
    return result


def row(name: str, results: list[dict]) -> list[str]:
    """The median, and every seed behind it."""
    def cell(values: list, text: str) -> str:
        return f"{text.format(median(values))} ({', '.join(text.format(value) for value in values)})"
    looks = [result["look"] for result in results]
    words = " ".join(f"`{text}`" for text in OPTIONS[name])
    return [f"{name} {words}".strip(), count(median([result["evaluations"] for result in results])),
            f"{median([result['cpu_s'] for result in results]):.0f} s",
            *(cell([look[key] * factor for look in looks], text) for key, text, factor in COLUMNS.values())]


def main() -> None:
    given = arguments()
    programs = os.path.abspath(given.bin) if given.bin else common.build()
    results: dict[str, list[dict]] = {name: [] for name in given.options}
    for seed in given.seeds:  # all options side by side, so that a slower hour is everyone's
        for name in given.options:
            results[name].append(measured(given, programs, name, seed))
            found = results[name][-1]["look"]
            print(f"seed {seed}, {name}: mistakes raw {100 * found['raw_mistake_fraction']:.1f} %, search "
                  f"{100 * found['search_mistake_fraction']:.2f} %, signs {found['openings_right']} of 25", flush=True)
    table = markdown(["hex5_small.yaml", "evaluations", "CPU", *COLUMNS],
                     [row(name, results[name]) for name in given.options])
    (given.out / "options.json").write_text(json.dumps(results, indent=1) + "\n")
    commits = ", ".join(dict.fromkeys(result["commit"] for kept in results.values() for result in kept))
    table += f"\nCommits: {commits}\n"
    (given.out / "options.md").write_text(table)
    print("\n" + table)


if __name__ == "__main__":
    main()
