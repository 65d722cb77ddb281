#!/usr/bin/env python3
"""Breakthrough 5x5, which the second player wins: does the trained one, against random moves and against the exact opponent?"""
import common
import criteria
from analyst import Analyst
from judges import Player, Truth, as_played, exact_reply, random_reply, side_games

SECOND = 1
SIMULATIONS = 200


def judge(given: common.Judging) -> dict:
    with Analyst(given.programs, "solver", "breakthrough5") as solver, Analyst(given.programs, given.run) as net:
        truth, player = Truth(solver, as_played), Player(net, as_played, sims=SIMULATIONS)
        return {"random": side_games(player, truth, SECOND, 4 if given.quick else 200, random_reply),
                "solver": side_games(player, truth, SECOND, 1 if given.quick else 50, exact_reply)}


if __name__ == "__main__":
    common.main(common.Experiment(
        name="breakthrough5", title="Breakthrough 5x5", config="breakthrough5.yaml", limit_s=45 * 60, judge=judge,
        check=criteria.breakthrough5,
        target="as second player wins 200 of 200 games against random and 50 of 50 against the solver as attacker",
        quick=("loop.iterations=1", "self_play.games_per_iteration=20", "arena.games=2", "arena.final_games=2",
               "train.min_positions=100", "train.samples_per_position=1")))
