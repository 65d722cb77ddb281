"""Judges: how a player does against the truth. The exact solver knows the rules and every move's value; nothing here does.

Each judge returns plain numbers for criteria.py. The games have no passes: the sides move in turn.
"""
import dataclasses
import gzip
import json
import pathlib
import random
from collections.abc import Callable, Iterable

from analyst import Analyst

LABELS = pathlib.Path(__file__).resolve().parent / "connect_four_labels.jsonl.gz"
LABEL_CLASSES = ("end-easy", "middle-easy", "middle-medium", "begin-easy", "begin-medium", "begin-hard")
RANDOM_REPLIES = 0.5  # share of the exact opponent's, where it is lost
Line = tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Opinion:
    """What a player says of a position; values in the view of the side to move."""
    best: str        # of its search
    raw_best: str    # of its network alone
    raw_value: float


def as_played(line: Line) -> Line:
    return line


def as_placed(line: Line) -> Line:
    """One line for all orders of the same stones, where stones are only ever placed."""
    mixed = list(line)
    mixed[0::2], mixed[1::2] = sorted(line[0::2]), sorted(line[1::2])
    return tuple(mixed)


class _Asked:
    """Answers of an Analyst, each position asked once."""

    def __init__(self, analyst: Analyst, same: Callable[[Line], Line], **fields: int):
        self._analyst, self._same, self._fields = analyst, same, fields
        self._known: dict = {}

    def ask(self, lines: Iterable[Line]) -> list:
        keys = [self._same(line) for line in lines]
        new = sorted(set(keys) - self._known.keys())
        answers = self._analyst.ask([list(key) for key in new], **self._fields)
        self._known.update((key, self._digest(answer)) for key, answer in zip(new, answers))
        return [self._known[key] for key in keys]

    def _digest(self, answer: dict):
        raise NotImplementedError


class Truth(_Asked):
    """Of each position the value of every legal move for the side to move, {} where the game is over. Asks a solver."""

    def _digest(self, answer: dict) -> dict[str, int]:
        return {} if "over" in answer else {move["move"]: round(move["value"]) for move in answer["moves"]}


class Player(_Asked):
    """Of each running position an Opinion."""

    def _digest(self, answer: dict) -> Opinion:
        policy = answer["raw"]["policy"]
        return Opinion(answer["best"], max(policy, key=policy.get), answer["raw"]["value"])


@dataclasses.dataclass
class Game:
    """A game of the judged player."""
    line: Line
    side: int  # 0: the player moves first
    rng: random.Random
    value: int = 0  # after the last move, exact, in the player's view: the result once the game is over
    mistakes: int = 0  # moves of the player that gave value away

    def is_players_turn(self) -> bool:
        return len(self.line) % 2 == self.side

    def make(self, move: str, values: dict[str, int]) -> None:
        mine = self.is_players_turn()
        self.mistakes += mine and values[move] < max(values.values())
        self.value = values[move] if mine else -values[move]
        self.line += (move,)


Reply = Callable[[list[Game], Truth], list[str]]


def random_reply(games: list[Game], truth: Truth) -> list[str]:
    return [game.rng.choice(sorted(values)) for game, values in zip(games, truth.ask(game.line for game in games))]


def exact_reply(games: list[Game], truth: Truth) -> list[str]:
    """Perfect play; where it is lost, at random in half of the games' moves, else what leaves the fewest winning moves."""
    replies, hard = [], []
    for game, values in zip(games, truth.ask(game.line for game in games)):
        best = max(values.values())
        choices = sorted(move for move in values if values[move] == best)
        replies.append(game.rng.choice(choices))
        if best < 0 and game.rng.random() >= RANDOM_REPLIES:
            hard.append((len(replies) - 1, choices))
    children = truth.ask(games[i].line + (move,) for i, choices in hard for move in choices)
    for i, choices in hard:
        mine, children = children[:len(choices)], children[len(choices):]
        wins = [sum(value > 0 for value in child.values()) for child in mine]
        fewest = [move for move, count in zip(choices, wins) if count == min(wins)]
        replies[i] = games[i].rng.choice(fewest)
    return replies


def play_out(games: list[Game], player: Player, truth: Truth, reply: Reply) -> None:
    """Plays all games to their ends, side by side."""
    while games:
        values = truth.ask(game.line for game in games)
        running = [(game, known) for game, known in zip(games, values) if known]
        mine = [(game, known) for game, known in running if game.is_players_turn()]
        theirs = [(game, known) for game, known in running if not game.is_players_turn()]
        moves = [opinion.best for opinion in player.ask(game.line for game, _ in mine)]
        replies = reply([game for game, _ in theirs], truth)
        for (game, known), move in zip(mine + theirs, moves + replies):
            game.make(move, known)
        games = [game for game, _ in running]


def _score(games: list[Game]) -> dict[str, int]:
    return {"games": len(games), "won": sum(game.value > 0 for game in games),
            "lost": sum(game.value < 0 for game in games), "mistakes": sum(game.mistakes for game in games)}


def every_line(player: Player, truth: Truth, side: int, choose: Callable[[Opinion], str]) -> dict[str, int]:
    """The player on one side against every line of the other: positions it moved in, ends of games, how many it lost."""
    counts = {"positions": 0, "ends": 0, "lost": 0, "mistakes": 0}
    frontier: dict[Line, int] = {(): 0}  # and the exact value in the player's view
    while frontier:
        lines = list(frontier)
        values = truth.ask(lines)
        for line, known in zip(lines, values):
            counts["ends"] += not known
            counts["lost"] += not known and frontier[line] < 0
        running = [(line, known) for line, known in zip(lines, values) if known]
        following: dict[Line, int] = {}
        if len(lines[0]) % 2 == side:
            for (line, known), opinion in zip(running, player.ask(line for line, _ in running)):
                move = choose(opinion)
                counts["positions"] += 1
                counts["mistakes"] += known[move] < max(known.values())
                following[as_placed(line + (move,))] = known[move]
        else:
            following = {as_placed(line + (move,)): -known[move] for line, known in running for move in known}
        frontier = following
    return counts


def opening_table(player: Player, truth: Truth) -> dict:
    """Sign of the network's value after each first move; a draw is right below a third."""
    known = truth.ask([()])[0]
    said = dict(zip(known, (-opinion.raw_value for opinion in player.ask((move,) for move in known))))
    margins = {move: 1 / 3 - abs(said[move]) if value == 0 else value * said[move] for move, value in known.items()}
    return {"openings": len(known), "right": sum(margin > 0 for margin in margins.values()),
            "smallest_margin": min(margins.values()), "wrong": sorted(m for m in margins if margins[m] <= 0)}


def won_openings(player: Player, truth: Truth, seeds: int) -> dict[str, int]:
    """From every first move, `seeds` games each, the player has the side that wins, against the exact opponent."""
    known = truth.ask([()])[0]
    games = [Game((move,), 0 if value > 0 else 1, random.Random(f"{move} {seed}"), value=1)
             for move, value in known.items() if value != 0 for seed in range(seeds)]
    play_out(games, player, truth, exact_reply)
    return _score(games)


def side_games(player: Player, truth: Truth, side: int, games: int, reply: Reply) -> dict[str, int]:
    """Games of the player on one side from the start."""
    played = [Game((), side, random.Random(f"game {i}")) for i in range(games)]
    play_out(played, player, truth, reply)
    return _score(played)


def read_labels(path: pathlib.Path = LABELS) -> list[dict]:
    with gzip.open(path, "rt", encoding="ascii") as file:
        return [json.loads(line) for line in file]


def label_mistakes(labels: list[dict], moves: list[str]) -> dict[str, dict[str, int]]:
    """By class: positions, those in which a mistake is possible, and mistakes. `moves` name columns from 1."""
    counts = {name: {"positions": 0, "decisive": 0, "mistakes": 0} for name in LABEL_CLASSES}
    for label, move in zip(labels, moves, strict=True):
        values = [value for value in label["values"] if value is not None]
        in_class = counts[label["class"]]
        in_class["positions"] += 1
        in_class["decisive"] += min(values) < max(values)
        in_class["mistakes"] += label["values"][int(move) - 1] < max(values)
    return counts


def labelled_positions(player: Player, labels: list[dict]) -> dict[str, dict]:
    """Mistakes of the search and of the network alone on labelled positions of Connect Four."""
    opinions = player.ask(tuple(label["moves"]) for label in labels)
    return {"search": label_mistakes(labels, [opinion.best for opinion in opinions]),
            "raw_policy": label_mistakes(labels, [opinion.raw_best for opinion in opinions])}
