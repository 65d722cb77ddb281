#!/usr/bin/env python3
"""az_play gtp and the terminal with a run's network: its server starts, answers, dies, and leaves nothing behind.

usage: play_checkpoint_test.py BIN_DIR [unittest arguments]
"""
import os
import re
import signal
import subprocess
import tempfile
import time

import az_runs as runs

PLAY = os.path.join(runs.BIN, "az_play")


class PlayCheckpoint(runs.PlayerCase):
    def start(self, *arguments, **options):
        process = subprocess.Popen([PLAY, "gtp", "--player", f"{self.run_dir}?sims=50", *arguments], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(self.finish, process)
        return process

    def finish(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def ask(self, process, command):
        process.stdin.write(command + "\n")
        process.stdin.flush()
        lines = []
        while not lines or lines[-1] != "\n":
            lines.append(process.stdout.readline())
            self.assertNotEqual(lines[-1], "", process.stderr)
        return "".join(lines)[:-2]

    def test_plays_a_game_and_analyses(self):
        begun = time.monotonic()
        process = self.start()
        self.assertRegex(self.ask(process, "1 name"), "^=1 az .*sims=50")
        self.assertLess(time.monotonic() - begun, 20, "2 s on a machine that has time")
        begun = time.monotonic()
        self.assertEqual(self.ask(process, "2 protocol_version"), "=2 2")
        self.assertLess(time.monotonic() - begun, 1, "50 ms on a machine that has time")
        self.assertEqual(self.ask(process, "boardsize 4"), "? unacceptable size")
        plies = 0
        while self.ask(process, "gogui-rules_final_result") == "=":
            self.assertRegex(self.ask(process, f"genmove {'bw'[plies % 2]}"), "^= [abc][123]$")
            plies += 1
        self.assertRegex(self.ask(process, "final_score"), r"^= [BW]\+$")
        self.assertEqual(self.ask(process, "clear_board"), "=")
        process.stdin.write("lz-analyze b 10\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), "=\n")
        self.assertRegex(process.stdout.readline(), "^info move [abc][123] visits")
        process.stdin.write("quit\n")
        process.stdin.flush()
        self.assertRegex(process.stdout.read(), r"^(info [^\n]*\n)*\n=\n\n$")  # the rest of the analysis, then quit's
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), runs.OK)
        self.assertEqual(process.stderr.read(), "")

    def test_a_server_that_dies_is_started_again(self):
        process = self.start()
        self.ask(process, "genmove b")
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
            device = int(file.read().split()[0])
        os.kill(device, signal.SIGKILL)
        self.assertRegex(self.ask(process, "genmove w"), "^= [abc][123]$")
        process.stdin.close()
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), runs.OK)

    def test_nothing_is_left_behind(self):
        for ending in ("signal", "reader", "input"):
            folder = tempfile.mkdtemp(dir=self.folder)
            process = self.start(env={**os.environ, "TMPDIR": folder})
            self.ask(process, "name")
            self.assertEqual(len(os.listdir(folder)), 1)
            if ending == "signal":
                process.send_signal(signal.SIGTERM)
            elif ending == "reader":
                process.stdout.close()
                process.stdin.write("name\n")
                process.stdin.flush()
            else:
                process.stdin.close()
            code = process.wait(timeout=runs.LIMIT_S)
            self.assertEqual(code, 128 + signal.SIGTERM if ending == "signal" else runs.OK)
            self.assertEqual(process.stderr.read(), "")
            self.assertEqual(os.listdir(folder), [])

    def test_what_a_killed_one_left_goes_at_the_next_start(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        environment = {**os.environ, "TMPDIR": folder}
        killed = self.start(env=environment)
        self.ask(killed, "name")
        killed.kill()
        killed.wait(timeout=runs.LIMIT_S)
        left = os.path.join(folder, os.listdir(folder)[0])
        os.utime(left, (1e9, 1e9))
        living = self.start(env=environment)
        self.ask(living, "name")
        self.assertFalse(os.path.exists(left))
        own = os.path.join(folder, os.listdir(folder)[0])
        os.utime(own, (1e9, 1e9))
        other = self.start(env=environment)
        self.ask(other, "name")
        self.assertTrue(os.path.exists(own), "its owner lives")
        self.assertEqual(len(os.listdir(folder)), 2)
        for process in (living, other):
            process.stdin.close()
            self.assertEqual(process.wait(timeout=runs.LIMIT_S), runs.OK)

    def test_a_signal_ends_it_while_it_starts_and_while_lines_wait(self):
        process = self.start()
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        started = ""
        while started == "":
            self.assertIsNone(process.poll())
            with open(children) as file:
                started = file.read()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), 128 + signal.SIGINT)
        self.assertEqual(process.stderr.read(), "")

        process = self.start()
        process.stdin.write("clear_board\ngenmove b\n" * 2000)  # they fit in the pipe
        process.stdin.close()
        self.assertEqual(process.stdout.readline(), "=\n")
        process.send_signal(signal.SIGHUP)
        process.stdout.read()
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), 128 + signal.SIGHUP)

    def test_a_signal_ends_the_game_of_a_person(self):
        process = subprocess.Popen([PLAY, "--player", self.run_dir], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.finish, process)
        self.assertIn("help lists the commands", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), 128 + signal.SIGINT)
        self.assertEqual(process.stderr.read(), "")

    def test_a_person_plays_it(self):
        done = subprocess.run([PLAY, "--player", self.run_dir, "--level", "1"], input="b2\nhint\nanalyse 20\nundo\nquit\n",
                              capture_output=True, text=True, timeout=runs.LIMIT_S)
        self.assertEqual((done.returncode, done.stderr), (runs.OK, ""))
        self.assertTrue(re.search(r"o plays [abc][123] \(value", done.stdout), done.stdout)
        self.assertIn("what would follow", done.stdout)


if __name__ == "__main__":
    runs.main()
