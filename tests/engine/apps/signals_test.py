#!/usr/bin/env python3
"""Signals, terminals and neighbours of a run: it stops in good order, goes on exactly, and minds nobody else.

usage: signals_test.py BIN_DIR [unittest arguments]
"""
import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import time

import az_runs as runs
from az_runs import ENDLESS, OK

MANY = ["--set", "self_play.games_per_iteration=2000", "--set", "loop.iterations=3"]


class Signals(runs.RunCase):
    def stop(self, process, number, limit_s=30):
        process.send_signal(number)
        started = time.monotonic()
        code = process.wait(timeout=limit_s)
        self.assertEqual(code, 128 + number, self.output())
        self.assertEqual(runs.processes_of(self.run_dir), [])
        return time.monotonic() - started

    def test_each_drains_and_the_run_goes_on_exactly(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start(*MANY)
            iteration = self.state().get("iteration", 0)
            self.wait_for_phase(iteration=iteration)
            time.sleep(0.2)
            self.stop(process, number)
            self.assertIn("the same command goes on", self.output())
        self.completes(*MANY, games=[2000, 2000, 2000])

    def test_at_any_moment(self):
        rng = random.Random(1)
        for _ in range(25):
            process = self.start(*MANY)
            time.sleep(rng.uniform(0, 1.5))
            if process.poll() is not None:
                self.assertEqual(process.returncode, OK, self.output())
                break
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=30)
            # Before it has a handler the signal ends it, as any program.
            self.assertIn(code, (130, -signal.SIGINT, OK), self.output())
            self.assertEqual(runs.processes_of(self.run_dir), [])
        self.completes(*MANY, games=[2000, 2000, 2000])

    def test_in_training(self):
        slow = ["--set", "train.samples_per_position=40", "--set", "self_play.games_per_iteration=400",
                "--set", "loop.iterations=1"]
        process = self.start(*slow)
        self.wait_for_phase(phase="train")
        time.sleep(0.3)
        self.assertLess(self.stop(process, signal.SIGTERM), 10)
        self.completes(*slow, games=[400])

    def test_second_stops_at_once(self):
        process = self.start(*MANY)
        self.wait_for_phase()
        # A worker that does not answer would hold up the drain.
        worker = next(pid for pid, name in runs.processes_of(self.run_dir) if name == "az_worker")
        os.kill(worker, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.assertIsNone(process.poll(), "it waits for the drain")
        self.assertLess(self.stop(process, signal.SIGINT), 3)
        self.completes(*MANY, games=[2000, 2000, 2000])

    def test_ctrl_c_at_a_terminal_reaches_the_whole_group(self):
        process = self.start(*MANY, start_new_session=True)
        self.wait_for_phase()
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130, self.output())
        self.assertEqual(runs.processes_of(self.run_dir), [])
        self.completes(*MANY, games=[2000, 2000, 2000])

    def test_nohup(self):
        # A terminal that is closed tells its whole group.
        process = self.start(*MANY, start_new_session=True,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_phase()
        before = runs.processes_of(self.run_dir)
        os.killpg(process.pid, signal.SIGHUP)
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), OK, self.output())
        self.assertEqual(sorted(name for _, name in before), ["az_device", "az_train", "az_worker", "az_worker"])
        self.assertNotIn("event=restart", runs.read(os.path.join(self.run_dir, "log.txt")))
        self.completes(*MANY, games=[2000, 2000, 2000])


class Output(runs.RunCase):
    def test_closed_pipe_does_not_end_the_run(self):
        words = self.command("--set", "loop.iterations=3")
        line = " ".join(f"'{word}'" for word in words)
        result = subprocess.run(["bash", "-o", "pipefail", "-c", f"{line} | head -1"], capture_output=True, text=True,
                                timeout=runs.LIMIT_S)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 1)
        self.completes("--set", "loop.iterations=3", games=[60, 60, 60])

    def test_closed_descriptors(self):
        for closed in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
            run_dir = os.path.join(self.folder, "run" + re.sub(r"\W", lambda m: str(ord(m[0])), closed))
            self.assertEqual(self.train(run_dir=run_dir, shell=f"exec {closed}").returncode, OK)
            for name in ("state.json", "metrics.jsonl"):
                for text in runs.read(os.path.join(run_dir, name)).splitlines() if name != "state.json" else \
                        [runs.read(os.path.join(run_dir, name))]:
                    json.loads(text)
            self.assertRegex(runs.read(os.path.join(run_dir, "lock")), r"^\d+\n$")
            self.completes(run_dir=run_dir)

    def test_full_output(self):
        with open("/dev/full", "w") as full:
            process = self.start(stdout=full)
            self.assertEqual(process.wait(timeout=runs.LIMIT_S), OK)
        self.completes()

    def terminal(self, *more, columns=80, env=None):
        """All that a run shows on a terminal."""
        main, side = pty.openpty()
        subprocess.run(["stty", "cols", str(columns), "rows", "24"], stdin=side)
        process = self.start(*more, stdin=side, stdout=side, stderr=side, env=env)
        os.close(side)
        shown = b""
        while True:
            ready, _, _ = select.select([main], [], [], runs.LIMIT_S)
            try:
                chunk = os.read(main, 65536) if ready else b""
            except OSError:  # the other side was closed
                chunk = b""
            if not chunk:
                break
            shown += chunk
        os.close(main)
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), OK)
        return shown.decode()

    def test_live_display_leaves_a_clean_screen(self):
        text = self.terminal("--set", "self_play.games_per_iteration=2000", columns=80)
        self.assertIn("\033[4A\033[J", text)
        screen = Screen(80)
        screen.write(text)
        self.assertNotIn("games/s", "\n".join(screen.lines), "the block is gone at the end")
        self.assertIn("is complete", "\n".join(screen.lines))
        for line in screen.widest:
            self.assertLessEqual(len(line), 80)

    def test_live_display_at_every_width(self):
        for columns in (1, 10, 21, 40, 200):
            run_dir = os.path.join(self.folder, f"run{columns}")
            text = self.terminal("--set", f"run.dir={run_dir}", "--set", "self_play.games_per_iteration=1000",
                                 columns=columns)
            self.assertIn("is complete", text)

    def test_no_color(self):
        coloured = self.terminal()
        self.assertIn("\033[1m", coloured)
        other = os.path.join(self.folder, "other")
        plain = self.terminal("--set", f"run.dir={other}", env={**os.environ, "NO_COLOR": "1"})
        self.assertNotRegex(plain, r"\033\[\d*m")

    def test_terminal_that_is_closed(self):
        main, side = pty.openpty()
        process = self.start(*ENDLESS, stdin=side, stdout=side, stderr=side, start_new_session=True,
                             preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
        os.close(side)
        self.wait_for_phase()
        os.close(main)  # the window is closed: SIGHUP, and writes fail
        self.assertEqual(process.wait(timeout=30), 128 + signal.SIGHUP)
        self.assertEqual(runs.processes_of(self.run_dir), [])

    def test_quiet(self):
        result = self.train("--quiet")
        self.assertEqual(result.returncode, OK)
        self.assertEqual(result.stderr, "")
        self.assertTrue(result.stdout.startswith(f"run {self.run_dir} is complete"), result.stdout)
        self.assertNotIn("iteration 1", result.stdout)

    def test_plain_lines_without_a_terminal(self):
        result = self.train()
        self.assertNotIn("\033", result.stdout)
        self.assertNotIn("0/0", result.stdout)


class Screen:
    """As much of a terminal as the live display uses."""

    def __init__(self, columns):
        self.columns, self.lines, self.row, self.column, self.widest = columns, [""], 0, 0, []

    def write(self, text):
        for part in re.findall(r"\033\[\d*[A-Za-z]|[^\033]|\033", text):
            if part.startswith("\033["):
                number, kind = part[2:-1], part[-1]
                if kind == "A":
                    self.row = max(0, self.row - int(number or 1))
                elif kind == "J":
                    self.lines = self.lines[:self.row] + [self.lines[self.row][:self.column]]
                elif kind == "K":
                    self.lines[self.row] = self.lines[self.row][:self.column]
                elif kind != "m":
                    raise AssertionError(f"escape {part!r}")
            elif part == "\r":
                self.column = 0
            elif part == "\n":
                self.widest.append(self.lines[self.row])
                self.row, self.column = self.row + 1, 0
                if self.row == len(self.lines):
                    self.lines.append("")
            else:
                if self.column == self.columns:
                    self.row, self.column = self.row + 1, 0
                    self.lines.append("")
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = line[:self.column] + part + line[self.column + 1:]
                self.column += 1


class Modes(runs.RunCase):
    def test_print_config(self):
        result = self.train("--print-config")
        self.assertEqual(result.returncode, OK)
        self.assertRegex(result.stdout, r"visits: *8 .*tiny\.yaml:5")
        self.assertFalse(os.path.exists(self.run_dir))
        printed = os.path.join(self.folder, "printed.yaml")
        runs.write(printed, result.stdout)
        again = self.train("--print-config", config=printed)
        self.assertEqual(again.returncode, OK, again.stderr)

    def test_dry_run(self):
        result = self.train("--dry-run")
        self.assertEqual(result.returncode, OK)
        self.assertIn("predicted", result.stdout)
        self.assertFalse(os.path.exists(self.run_dir))

    def test_fresh_leaves_the_old_run_alone(self):
        self.completes()
        before = {name: runs.read_bytes(os.path.join(self.run_dir, name)) for name in os.listdir(self.run_dir)
                  if os.path.isfile(os.path.join(self.run_dir, name))}
        result = self.train("--fresh")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertIn(self.run_dir + "-2", result.stdout)
        for name, content in before.items():
            self.assertEqual(runs.read_bytes(os.path.join(self.run_dir, name)), content, name)
        self.assertEqual(runs.inspect(self.run_dir + "-2")["phase"], "complete")

    def test_complete_run_says_so(self):
        first = self.completes()
        again = self.completes()
        self.assertIn("nothing is left to do", again.stdout)
        self.assertIn("against random moves", first.stdout)
        quiet = self.train("--quiet")
        self.assertIn("is complete", quiet.stdout)

    def test_more_iterations(self):
        self.completes("--set", "loop.iterations=1", games=[60])
        result = self.completes("--set", "loop.iterations=3", games=[60, 60, 60])
        self.assertIn("3 iterations, 180 self-play games", result.stdout)
        fewer = self.train("--set", "loop.iterations=2")
        self.assertEqual(fewer.returncode, OK, fewer.stderr)
        self.assertIn("3 iterations", fewer.stdout)

    def test_other_numbers_of_workers(self):
        for workers in (1, 3, 2):
            process = self.start(*MANY, "--set", f"num_workers={workers}", "--set", f"arena.num_workers={workers}")
            self.wait_for_phase(iteration=self.state().get("iteration", 0))
            time.sleep(0.3)
            process.kill()
            process.wait()
            runs.wait_until(lambda: not runs.processes_of(self.run_dir), "children end")
        self.completes(*MANY, games=[2000, 2000, 2000])


class Neighbours(runs.RunCase):
    def test_two_runs_side_by_side(self):
        other = os.path.join(self.folder, "other")
        first = self.start(*MANY)
        second = self.start(*MANY, run_dir=other)
        self.assertEqual(first.wait(timeout=runs.LIMIT_S), OK, self.output())
        self.assertEqual(second.wait(timeout=runs.LIMIT_S), OK, self.output())
        self.completes(*MANY, games=[2000, 2000, 2000])
        self.completes(*MANY, games=[2000, 2000, 2000], run_dir=other)

    def test_nice(self):
        self.assertEqual(self.train(preexec_fn=lambda: os.nice(19)).returncode, OK)

    def test_children_that_are_stopped_for_a_while(self):
        process = self.start(*MANY)
        self.wait_for_phase()
        for program in ("az_worker", "az_device", "az_worker"):
            for pid, name in runs.processes_of(self.run_dir):
                if name == program:
                    os.kill(pid, signal.SIGSTOP)
                    time.sleep(1.5)
                    os.kill(pid, signal.SIGCONT)
                    break
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), OK, self.output())
        self.completes(*MANY, games=[2000, 2000, 2000])
        self.assertNotIn("event=kill", runs.read(os.path.join(self.run_dir, "log.txt")))

    def test_whole_run_stopped_for_a_while(self):
        process = self.start(*MANY)
        self.wait_for_phase()
        process.send_signal(signal.SIGSTOP)
        time.sleep(2.5)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), OK, self.output())
        self.completes(*MANY, games=[2000, 2000, 2000])


if __name__ == "__main__":
    runs.main()
