#!/usr/bin/env python3
"""Tic-tac-toe: trains tictactoe.yaml, then lets the player meet every line of play from either side."""
import common
import criteria
from analyst import Analyst
from judges import Opinion, Player, Truth, as_placed, every_line


def judge(given: common.Judging) -> dict:
    def sides(choose) -> dict:
        return {name: every_line(player, truth, side, choose) for side, name in enumerate(("first", "second"))}
    with Analyst(given.programs, "solver", "tic_tac_toe") as solver, Analyst(given.programs, given.run) as net:
        truth, player = Truth(solver, as_placed), Player(net, as_placed, sims=16)
        return {"search": sides(lambda opinion: opinion.best), "raw_policy": sides(lambda opinion: opinion.raw_best)}


if __name__ == "__main__":
    common.main(common.Experiment(
        name="tictactoe", title="Tic-tac-toe", config="tictactoe.yaml", limit_s=60, judge=judge, check=criteria.tictactoe,
        target="never loses against any line of play, either side, by its raw policy with 16 simulations over it",
        quick=("loop.iterations=2", "self_play.games_per_iteration=100", "arena.games=4", "arena.final_games=4",
               "train.min_positions=200")))
