"""What both Hex 5x5 experiments ask of a player. Not a script: hex5_small.py and hex5_full.py are."""
import json
import subprocess

import common
from analyst import Analyst
from judges import Player, Truth, as_placed, opening_table, won_openings

TARGET = ("raw value sign right for all 25 openings, and no game lost from any theoretically won opening as either side "
          "against the exact solver with 64 simulations")
SIMULATIONS = 64
SEEDS = 20  # games from each opening
YARDSTICK_GAMES = 2  # the same of the second opinion
QUICK = ("loop.iterations=1", "self_play.games_per_iteration=20", "arena.games=2", "arena.final_games=2",
         "train.min_positions=100", "train.samples_per_position=1")


def yardstick(given: common.Judging) -> dict:
    """The second opinion: the yardstick of the training loop, which is other code, on the same player."""
    words = [f"{given.programs}/az_bench", "yardstick", "--checkpoint", given.run, "--sims", str(SIMULATIONS), "--games",
             str(1 if given.quick else YARDSTICK_GAMES), "--json"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def judge(given: common.Judging) -> dict:
    with Analyst(given.programs, "solver", "hex5") as solver, Analyst(given.programs, given.run) as net:
        truth, player = Truth(solver, as_placed), Player(net, as_placed, sims=SIMULATIONS)
        return {"openings": opening_table(player, truth),
                "won_openings": won_openings(player, truth, 1 if given.quick else SEEDS),
                "yardstick": yardstick(given)}
