#!/usr/bin/env python3
"""Connect Four: connect_four.yaml as shipped, two hours at most, then mistakes on positions that the solver has labelled."""
import common
import criteria
from analyst import Analyst
from judges import Player, as_played, labelled_positions, read_labels

HOURS_S = 2 * 3600
STOP_S = HOURS_S - 30  # an iteration is not cut: what is running is dropped, the rest is saved


def judge(given: common.Judging) -> dict:
    labels = read_labels()[::100 if given.quick else 1]
    with Analyst(given.programs, given.run) as net:
        return {"labels": labelled_positions(Player(net, as_played, sims=600), labels)}


if __name__ == "__main__":
    common.main(common.Experiment(
        name="connect_four", title="Connect Four", config="connect_four.yaml", limit_s=HOURS_S, stop_after_s=STOP_S,
        judge=judge, check=criteria.connect_four,
        target="mistakes at 600 simulations at most 0.5 % on easy, 3 % on medium and 10 % on begin-hard positions",
        quick=("loop.iterations=1", "self_play.games_per_iteration=20", "arena.games=2", "arena.final_games=2",
               "train.min_positions=100", "train.samples_per_position=1")))
