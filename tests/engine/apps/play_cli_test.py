#!/usr/bin/env python3
"""az_play's dialogues as a person or a controller meets them: through pipes, with good and bad input.

usage: play_cli_test.py BIN_DIR
"""
import os
import subprocess
import sys
import tempfile
import time
import unittest

PLAY = os.path.join(os.path.abspath(sys.argv.pop(1)), "az_play")
GTP = ("gtp", "--game", "hex", "--board-size", "5", "--player", "random")
GAMES = [("go", 5), ("go", 9), ("hex", 11), ("hex_swap", 5), ("gomoku", 9), ("mnk_5_5_4", 0), ("othello", 6),
         ("breakthrough", 5), ("connect_four", 0), ("tic_tac_toe", 0)]


def run(arguments, lines, **settings):
    text = lines if isinstance(lines, bytes) else lines.encode()
    return subprocess.run([PLAY, *arguments], input=text, capture_output=True, timeout=60, **settings)


def answers(done):
    text = done.stdout.decode(errors="replace")
    assert text == "" or text.endswith("\n\n"), text[-80:]
    return text.split("\n\n")[:-1]


class Gtp(unittest.TestCase):
    def test_plays_itself_to_the_end_at_every_game(self):
        for game, size in GAMES:
            with self.subTest(game=game, size=size):
                command = [PLAY, "gtp", "--game", game, "--player", "random", "--seed", "3"]
                command += ["--board-size", str(size)] if size else []
                with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
                    def ask(text):
                        program.stdin.write(text + "\n")
                        program.stdin.flush()
                        lines = []
                        while not lines or lines[-1] != "\n":
                            lines.append(program.stdout.readline())
                            self.assertNotEqual(lines[-1], "")
                        return "".join(lines)[:-2]
                    plies = 0
                    while ask("gogui-rules_final_result") == "=":
                        side = ask("gogui-rules_side_to_move")[2:]
                        legal = ask(f"all_legal {side}")[2:].split()
                        move = ask(f"reg_genmove {side}")[2:]
                        self.assertIn(move, legal)
                        self.assertEqual(ask(f"genmove {side}"), f"= {move}")
                        plies += 1
                    self.assertRegex(ask("final_score"), r"^= (0|[BW]\+[0-9.]*)$")
                    self.assertEqual(ask(f"genmove {side}"), "? the game is over")
                    for _ in range(plies):
                        self.assertEqual(ask("undo"), "=")
                    self.assertEqual(ask("undo"), "? cannot undo")
                    ask("quit")
                self.assertEqual(program.returncode, 0)

    def test_answers_malformed_lines(self):
        junk = b"\n \t\n# comment\n7 name # c\r\n\x00\x01\x02\nna\x07me\n\xff\xfe\xfd play\n8\nplay\nplay b\nplay b zz\n"
        done = run(GTP, junk + b"99999999999 name\n" + b"x" * 1_000_000 + b"\n" + b"y" * 5_000_000 + b"\n9 protocol_version")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(answers(done), [
            "=7 az random", "= az random", "? unknown command", "?8 unknown command", "? syntax error", "? syntax error",
            "? illegal move", "? unknown command", "? unknown command", "? a line is longer than 1048576 bytes", "=9 2"])

    def test_survives_random_bytes(self):
        state = 12345
        junk = bytearray()
        for _ in range(300_000):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            junk.append(state >> 16 & 0xFF)
        done = run(GTP, bytes(junk) + b"\n77 protocol_version\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(answers(done)[-1], "=77 2")

    def test_the_input_may_end_anywhere(self):
        for text in (b"", b"name", b"genmove", b"lz-analyze b 1", b"\xff"):
            self.assertEqual(run(GTP, text).returncode, 0)

    def test_analyses_until_the_next_line(self):
        command = [PLAY, "gtp", "--game", "go", "--board-size", "9", "--player", "mcts:sims=50"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            program.stdin.write("1 lz-analyze b 5\n")
            program.stdin.flush()
            self.assertEqual(program.stdout.readline(), "=1\n")
            for _ in range(3):
                line = program.stdout.readline()
                self.assertRegex(line, r"^info move [A-HJ][1-9] visits \d+ winrate \d+ prior \d+ order 0 pv [A-HJ][1-9]")
            start = time.monotonic()
            program.stdin.write("2 name\n")
            program.stdin.flush()
            while line != "\n":
                line = program.stdout.readline()
            self.assertRegex(program.stdout.readline(), "^=2 az")
            self.assertLess(time.monotonic() - start, 1.0)
            program.stdin.close()
            program.stdout.read()
        self.assertEqual(program.returncode, 0)

    def test_a_reader_who_goes_away_is_no_failure(self):
        for text in ("lz-analyze b 1\n", "list_commands\n" * 1000):
            program = subprocess.Popen([PLAY, *GTP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            program.stdout.close()
            program.stdin.write(text.encode())
            program.stdin.flush()
            self.assertEqual(program.wait(timeout=20), 0)
            self.assertEqual(program.stderr.read(), b"")
            program.stderr.close()
            try:
                program.stdin.close()
            except BrokenPipeError:
                pass

    def test_answers_at_once(self):
        start = time.monotonic()
        run(GTP, "name\nquit\n")
        self.assertLess(time.monotonic() - start, 1.0)

    def test_keeps_to_the_clock(self):
        arguments = ("gtp", "--game", "go", "--board-size", "9", "--player", "mcts:sims=1000")
        start = time.monotonic()
        done = run(arguments, "time_settings 0 1 5\n" + "genmove b\ngenmove w\n" * 3)
        self.assertEqual(len(answers(done)), 7)
        self.assertLess(time.monotonic() - start, 3.0)  # six moves of 0.2 s

    def test_refuses_what_it_cannot_play(self):
        for arguments, text in (
                (("--game", "chess", "--player", "random"), "chess"),
                (("--game", "hex", "--player", "nobody_here"), "nobody_here"),
                (("--game", "hex", "--player", "random?color=3"), "color"),
                (("--game", "hex", "--board-size", "40", "--player", "random"), "40"),
                (("--game", "go", "--board-size", "9", "--player", "solver"), "solver"),
                (("--game", "hex"), "--player"),
                (("--player", "random"), "--game")):
            done = run(("gtp", *arguments), "name\n")
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn(text, done.stderr.decode())
            self.assertEqual(done.stdout, b"")


class Arguments(unittest.TestCase):
    def test_options_before_a_command_that_does_not_have_them_are_refused(self):
        for arguments, option in (
                (("--player", "random", "gtp", "--game", "hex"), "--player"),
                (("--player", "mcts", "gtp", "--player", "random", "--game", "hex3"), "--player"),
                (("--set", "engine.device=cpu", "gtp", "--player", "random", "--game", "hex3"), "--set"),
                (("--ascii", "gtp", "--player", "random", "--game", "hex3"), "--ascii"),
                (("--game", "hex", "analyze", "--player", "random"), "--game"),
                (("--level", "0", "analyze", "--player", "random"), "--level")):
            command = "gtp" if "gtp" in arguments else "analyze"
            done = run(arguments, "name\n")
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
            self.assertRegex(done.stderr.decode(), f"{option} stands before {command}.*az_play {command} {option}")

    def test_play_takes_its_options_on_either_side_but_not_on_both(self):
        texts = [run(arguments, "quit\n") for arguments in (
            ("--player", "random", "--game", "hex3"),
            ("--player", "random", "play", "--game", "hex3"),
            ("play", "--player", "random", "--game", "hex3"))]
        self.assertEqual([done.returncode for done in texts], [0, 0, 0], texts)
        self.assertEqual(len({done.stdout for done in texts}), 1)
        done = run(("--player", "mcts", "play", "--player", "random", "--game", "hex3"), "quit\n")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertRegex(done.stderr.decode(), "--player stands before play and behind it")


class Terminal(unittest.TestCase):
    def play(self, lines, *arguments):
        done = run(("--player", "mcts:sims=200", "--game", "hex", "--board-size", "3", *arguments), lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode(errors="replace")

    def test_a_game_from_a_pipe(self):
        text = self.play("help\nzz\nb2\nhint\nanalyse 50\nundo\nb2\nquit\n")
        self.assertIn("move 'zz' is not legal in hex3 here; legal are a1 b1", text)
        self.assertIn("o plays", text)
        self.assertNotIn("\033", text)  # not a terminal: no colours
        self.assertTrue(text.isascii())

    def test_the_same_input_gives_the_same_game(self):
        lines = "level 2\nb2\na1\na3\nc1\nboard\n"
        self.assertEqual(self.play(lines, "--seed", "5"), self.play(lines, "--seed", "5"))

    def test_watches_two_and_ends_with_the_input(self):
        self.assertRegex(self.play("", "--side", "none"), r"[xo] wins\nover> $")

    def test_saves(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "game.")
            self.play(f"b2\nsave {path}txt\nsave {path}sgf\nsave {folder}/none/x\n")
            with open(path + "txt") as file:
                self.assertRegex(file.read(), "game hex3\n(.*\n)*moves b2 [abc][123]\n")
            with open(path + "sgf") as file:
                self.assertRegex(file.read(), r"^\(;.*GM\[11\](.|\n)*;B\[b2\]")

    def test_keeps_to_seconds_but_not_to_a_game_clock(self):
        game = ("--game", "hex", "--board-size", "11", "--side", "o")
        for player in ("mcts:clock=10", "mcts:sims=50&clock=10"):
            done = run(("--player", player, *game), "quit\n")
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertRegex(done.stderr.decode(), "nobody keeps a game clock at the terminal.*seconds")
        start = time.monotonic()
        done = run(("--player", "mcts:seconds=0.3", *game), "quit\n")
        self.assertIn(b"x plays", done.stdout)
        self.assertGreaterEqual(time.monotonic() - start, 0.3)
        done = run(("--player", "mcts:sims=50&seconds=5", *game), "quit\n")
        self.assertIn(b"after 50 simulations", done.stdout)

    def test_levels_are_of_players_that_count_simulations(self):
        game = ("--game", "hex", "--board-size", "3")
        for player in ("solver", "random"):
            done = run(("--player", player, "--level", "3", *game), "quit\n")
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertRegex(done.stderr.decode(), f"--level 3: {player} has no levels")
            done = run(("--player", player, "--level", "0", *game), "level 3\nlevel 0\nlevel\nquit\n")
            text = done.stdout.decode()
            self.assertIn(f"level 3: {player} has no levels", text)
            self.assertEqual(text.count("level 0: the player as it was set up\n"), 2)
            self.assertNotIn("simulations a move", text)
        self.assertIn("level 3: 32 simulations a move", self.play("level 3\nquit\n"))

    def test_survives_junk(self):
        junk = bytes(byte for byte in range(256) if byte != 10)
        self.play(junk * 40 + b"\n" + b"x" * 3_000_000 + b"\nb2\n")


if __name__ == "__main__":
    unittest.main()
