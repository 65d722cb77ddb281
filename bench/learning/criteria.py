"""Criteria: the targets of docs/results.md over the numbers of judges.py. Pure functions."""
import dataclasses
import statistics

EASY = ("end-easy", "middle-easy", "begin-easy")
MEDIUM = ("middle-medium", "begin-medium")
HARD = ("begin-hard",)


@dataclasses.dataclass(frozen=True)
class Check:
    """One number against what is asked of it."""
    name: str
    found: str
    wanted: str
    passed: bool


def at_most(name: str, found: float, limit: float, text: str = "{:g}") -> Check:
    return Check(name, text.format(found), "<= " + text.format(limit), found <= limit)


def exactly(name: str, found: int, wanted: int) -> Check:
    return Check(name, f"{found} of {wanted}", str(wanted), found == wanted)


def in_time(wall_s: float, limit_s: float) -> Check:
    return at_most("wall-clock", wall_s, limit_s, "{:.0f} s")


def tictactoe(judged: dict) -> list[Check]:
    """Never loses, either side, against every line of play: the raw policy with 16 simulations over it.

    The raw policy alone (judged["raw_policy"]) is reported and asked nothing.
    """
    return [at_most(f"lost lines as {side}, raw policy + 16 simulations", judged["search"][side]["lost"], 0)
            for side in ("first", "second")]


def hex5(judged: dict) -> list[Check]:
    """The sign of every opening, and no loss from a won one; by two judges that share only the solver."""
    table, games, yardstick = judged["openings"], judged["won_openings"], judged["yardstick"]
    return [exactly("openings whose raw value has the right sign", table["right"], table["openings"]),
            exactly("won openings converted, 64 simulations", games["won"], games["games"]),
            exactly("openings right by az_bench yardstick", yardstick["openings_right"], yardstick["openings"]),
            at_most("its games lost", yardstick["exact_games_lost"], 0)]


def breakthrough5(judged: dict) -> list[Check]:
    """The second player wins every game."""
    return [exactly(f"won as second against {opponent}", judged[opponent]["won"], judged[opponent]["games"])
            for opponent in ("random", "solver")]


def mistake_rate(counts: dict[str, dict[str, int]], classes: tuple[str, ...]) -> float:
    return sum(counts[name]["mistakes"] for name in classes) / sum(counts[name]["positions"] for name in classes)


def connect_four(judged: dict) -> list[Check]:
    """Share of labelled positions in which the move changes the value."""
    counts = judged["labels"]["search"]
    return [at_most(f"mistakes on {name}, 600 simulations", 100 * mistake_rate(counts, classes), limit, "{:.2f} %")
            for name, classes, limit in (("easy", EASY, 0.5), ("medium", MEDIUM, 3), ("begin-hard", HARD, 10))]


def first_lasting(curve: list[dict], is_perfect) -> dict | None:
    """The first point from which on every point is perfect; None where the last one is not."""
    found = None
    for point in reversed(curve):
        if not is_perfect(point):
            break
        found = point
    return found


def median(numbers: list[float]) -> float:
    return statistics.median(numbers)
