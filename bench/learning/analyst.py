"""Analyst: one `az_play analyze` process that answers positions, thousands at a time."""
import json
import subprocess
import threading

MAX_ERROR_CHARS = 400


class AnalystError(Exception):
    """The process ended early or refused a position that it should know."""


class Analyst:
    """Answers positions of one player. A context manager; confined to the thread that uses it."""

    def __init__(self, programs: str, player: str, game: str = "", config: tuple[str, ...] = ()):
        """`programs`: folder of the built programs; `game`: where the player does not say it; `config`: key=value texts."""
        self.player = player
        words = [f"{programs}/az_play", "analyze", "--player", player, *(["--game", game] if game else [])]
        for text in config:
            words += ["--set", text]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self) -> "Analyst":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._process.stderr.close()

    def ask(self, lines: list[list[str]], **fields: int) -> list[dict]:
        """The answer to each line of moves, in order; a game that is over has {"over": True}. `fields`: as sims=16."""
        requests = "".join(json.dumps({"id": i, "moves": moves, **fields}) + "\n" for i, moves in enumerate(lines))
        # It stops reading at 2,048 unread answers, so it is written to from a thread of its own.
        writer = threading.Thread(target=self._write, args=(requests.encode(),), daemon=True)
        writer.start()
        answers = [self._answer(moves) for moves in lines]
        writer.join()
        return answers

    def _write(self, data: bytes) -> None:
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except OSError:
            pass  # it ended: reading says so

    def _answer(self, moves: list[str]) -> dict:
        line = self._process.stdout.readline()
        if not line:
            said = self._process.stderr.read().decode(errors="replace").strip()[-MAX_ERROR_CHARS:]
            raise AnalystError(f"az_play analyze --player {self.player} ended with {self._process.wait()}: {said}")
        answer = json.loads(line)
        if "error" not in answer:
            return answer
        if "the game is over" in answer["error"]:
            return {"over": True}
        raise AnalystError(f"{self.player} on {' '.join(moves)}: {answer['error']}")
