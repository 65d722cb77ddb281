#!/usr/bin/env python3
"""Everything a person or a machine can get wrong about a run: each is one clear line and the right exit code, loses
nothing, leaves no process and nothing half-written: the same command goes on once the cause is gone.

usage: errors_test.py BIN_DIR [unittest arguments]
"""
import fcntl
import json
import os
import re
import resource
import shutil
import stat
import struct
import subprocess
import time
import unittest

import az_runs as runs
from az_runs import ENDLESS, ENVIRONMENT, FAILED, INCOMPATIBLE, OK, TINY, USAGE


class Config(runs.RunCase):
    def with_text(self, old, new):
        path = os.path.join(self.folder, "mine.yaml")
        text = runs.read(TINY)
        self.assertIn(old, text)
        runs.write(path, text.replace(old, new))
        return path

    def faulty(self, old, new, *patterns, lines=1):
        result = self.fault(self.train(config=self.with_text(old, new)), USAGE, *patterns, lines=lines)
        self.assertFalse(os.path.exists(self.run_dir), "a refused config makes no folder")
        return result

    def test_unknown_key_names_place_and_nearest_key(self):
        self.faulty("visits: 8", "vists: 8", r"mine\.yaml:5: unknown key 'search\.vists'", "did you mean 'search.visits'")

    def test_unknown_section(self):
        self.faulty("search:", "serch:", r"mine\.yaml:5: unknown key 'serch\.visits'", "search", lines=0)

    def test_wrong_type(self):
        self.faulty("visits: 8", "visits: many", r"mine\.yaml:5: search\.visits = many")

    def test_value_is_a_list(self):
        self.faulty("visits: 8", "visits: [8]", r"mine\.yaml:5: search\.visits")

    def test_out_of_range_names_the_range(self):
        self.faulty("visits: 8", "visits: -3", r"mine\.yaml:5: search\.visits = -3 .*[0-9]")
        self.faulty("visits: 8", "visits: 99999999999999999999", r"mine\.yaml:5: search\.visits = 9+")

    def test_several_faults_are_all_told(self):
        self.faulty("{visits: 8, cache: 1MiB}", "{visits: 0, cache: much}", r"search\.visits", r"search\.cache", lines=2)

    def test_syntax(self):
        self.faulty("{visits: 8, cache: 1MiB}", "{visits: 8, cache", r"mine\.yaml:\d+: ")

    def test_binary_file(self):
        path = os.path.join(self.folder, "mine.yaml")
        runs.write(path, bytes(range(256)) * 8)
        self.fault(self.train(config=path), USAGE, r"mine\.yaml:\d+: ")

    def test_empty_file_is_told_what_is_missing(self):
        path = os.path.join(self.folder, "mine.yaml")
        runs.write(path, "")
        result = self.train("--print-config", config=path)  # every key has a default
        self.assertIn(result.returncode, (OK, USAGE), result.stderr)

    def test_set(self):
        self.fault(self.train("--set", "search.vists=8"), USAGE, "--set", "did you mean 'search.visits'")
        self.fault(self.train("--set", "search.visits"), USAGE, "--set key=value")
        self.fault(self.train("--set", "search.visits=0"), USAGE, r"search\.visits = 0")

    def test_missing_config_lists_those_there_are(self):
        result = self.train(config="no_such.yaml")
        self.fault(result, USAGE, r"no config 'no_such\.yaml'", r"5x5\.yaml", r"quick_demo\.yaml")
        self.fault(self.train(config="/no/such/folder/x.yaml"), USAGE, r"no config '/no/such/folder/x\.yaml'")
        self.fault(self.train(config=self.folder), USAGE, "no config '")

    def test_unreadable_config(self):
        path = os.path.join(self.folder, "mine.yaml")
        os.mkfifo(path)
        self.fault(self.train(config=path), USAGE, "no config '")

    def test_unknown_game_lists_the_games(self):
        self.faulty("name: tic_tac_toe", "name: chess", r"mine\.yaml:2: .*chess", "tic_tac_toe", "connect_four", "hex")

    def test_unknown_size_lists_the_sizes(self):
        self.faulty("{name: tic_tac_toe}", "{name: hex, board_size: 12}", r"mine\.yaml:2: .*12", "3", "11")
        self.faulty("{name: tic_tac_toe}", "{name: tic_tac_toe, board_size: 5}", r"mine\.yaml:2: .*tic_tac_toe")

    def test_command_line(self):
        none = subprocess.run([f"{runs.BIN}/az_train"], capture_output=True, text=True)
        self.assertEqual(none.returncode, USAGE)
        self.assertIn("--config", none.stderr + none.stdout)
        self.assertEqual(self.train("--frehs").returncode, USAGE)
        self.assertEqual(subprocess.run([f"{runs.BIN}/az_train", "--help"], capture_output=True).returncode, OK)


class RunDirectory(runs.RunCase):
    def test_of_another_config_names_the_keys(self):
        self.completes()
        before = runs.read(os.path.join(self.run_dir, "state.json"))
        self.fault(self.train("--set", "search.visits=9", "--set", "train.lr=1e-4"), INCOMPATIBLE, r"search\.visits: 8 there, 9 now",
                   r"train\.lr", "--fresh", lines=3)
        self.assertEqual(runs.read(os.path.join(self.run_dir, "state.json")), before)
        self.completes()

    def test_of_another_version(self):
        self.completes()
        path = os.path.join(self.run_dir, "state.json")
        state = self.state()
        runs.write(path, json.dumps({**state, "format": 99}))
        self.fault(self.train(), INCOMPATIBLE, "format 99", "build that wrote it")
        runs.write(path, json.dumps(state))
        self.completes()

    def test_with_a_damaged_state(self):
        self.completes()
        path = os.path.join(self.run_dir, "state.json")
        text = runs.read(path)
        for damaged in ("", text[:100], "[]", "null", text.replace('"iteration": 2', '"iteration": "two"'),
                        text.replace('"phase": "complete"', '"phase": "lunch"')):
            runs.write(path, damaged)
            self.fault(self.train(), INCOMPATIBLE, r"state", "--fresh")
            for looks_at in ("run", "memory"):
                told = subprocess.run([f"{runs.BIN}/az_inspect", looks_at, self.run_dir], capture_output=True, text=True)
                self.fault(told, INCOMPATIBLE, rf"{re.escape(path)} is damaged: .*restore it from a copy")
                self.assertNotIn("json.exception", told.stderr)
        runs.write(path, text)
        self.completes()

    def test_without_a_state_but_with_games_is_not_begun_anew(self):
        self.completes()
        path = os.path.join(self.run_dir, "state.json")
        text = runs.read(path)
        os.remove(path)
        size = os.path.getsize(self.journal())
        self.fault(self.train(), INCOMPATIBLE, "state.json", "--fresh")
        self.assertEqual(os.path.getsize(self.journal()), size)
        runs.write(path, text)
        self.completes()

    def test_killed_while_it_was_made(self):
        # At every moment of the first start, also between the first journal and the first state.json.
        for number in range(12):
            process = self.start("--quiet")
            time.sleep(0.03 * number)
            process.kill()
            process.wait()
        self.completes()

    def test_that_is_no_run(self):
        os.mkdir(self.run_dir)
        runs.write(os.path.join(self.run_dir, "config.yaml"), "mine")
        runs.write(os.path.join(self.run_dir, "thesis.txt"), "mine")
        self.fault(self.train(), USAGE, "no run", "run.dir")
        self.assertEqual(runs.read(os.path.join(self.run_dir, "config.yaml")), "mine")
        self.assertEqual(sorted(os.listdir(self.run_dir)), ["config.yaml", "thesis.txt"])

    def test_that_is_a_file(self):
        runs.write(self.run_dir, "mine")
        self.fault(self.train(), USAGE, re.escape(self.run_dir), "is a file")
        self.assertEqual(runs.read(self.run_dir), "mine")

    def test_with_a_damaged_saved_config(self):
        self.completes()
        path = os.path.join(self.run_dir, "config.yaml")
        text = runs.read(path)
        runs.write(path, text[:-7] + "\nnonsense: [")
        self.fault(self.train(), INCOMPATIBLE, "saved config", "--fresh", lines=0)
        os.remove(path)
        self.fault(self.train(), INCOMPATIBLE, r"config\.yaml", "--fresh", lines=0)
        runs.write(path, text)
        self.completes()

    def test_in_use_by_a_live_process(self):
        first = self.start(*ENDLESS)
        self.wait_for_phase()
        result = self.train()
        self.assertEqual(result.returncode, ENVIRONMENT, result.stderr)
        self.assertRegex(result.stderr, rf"in use: .*held by process {first.pid}")
        self.assertEqual(len(result.stderr.strip().split("\n")), 1)
        self.assertIsNone(first.poll(), "the run that was there goes on")
        first.kill()
        first.wait()
        self.completes()

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_read_only(self):
        os.chmod(self.folder, stat.S_IRUSR | stat.S_IXUSR)
        self.addCleanup(os.chmod, self.folder, stat.S_IRWXU)
        self.fault(self.train(), ENVIRONMENT, "Permission denied")

    def test_on_a_read_only_file_system(self):
        self.fault(self.train(run_dir="/proc/az_run"), ENVIRONMENT, "/proc/az_run")
        self.fault(self.train(run_dir="/sys/az_run"), ENVIRONMENT, "/sys/az_run")


class Checkpoints(runs.RunCase):
    def stopped_run(self):
        self.completes("--set", "loop.iterations=1", games=[60])

    def test_damaged_weights(self):
        self.stopped_run()
        best = os.path.join(self.run_dir, "checkpoints", self.state()["best"], "weights.safetensors")
        good = runs.read_bytes(best)
        flipped = bytearray(good)
        flipped[-5] ^= 1
        huge_header = (1 << 62).to_bytes(8, "little") + good[8:]
        for damaged in (b"", good[:4], good[:100], good[:-1], bytes(flipped), huge_header, good + b"x", b"\0" * len(good)):
            runs.write(best, damaged)
            self.fault(self.train(), INCOMPATIBLE, r"weights\.safetensors")
        os.remove(best)
        self.fault(self.train(), INCOMPATIBLE, r"weights\.safetensors")
        runs.write(best, good)
        self.completes()

    def test_damaged_learner_state(self):
        self.stopped_run()
        for name in ("learner.safetensors", "learner.json"):
            path = os.path.join(self.checkpoint(1), name)
            good = runs.read_bytes(path)
            flipped = bytearray(good)
            flipped[len(good) // 2] ^= 4
            for damaged in (b"", good[:50], bytes(flipped)):
                runs.write(path, damaged)
                self.fault(self.train(), INCOMPATIBLE, re.escape(name))
            runs.write(path, good)
        self.completes()

    def test_of_another_network(self):
        self.stopped_run()
        other = os.path.join(self.folder, "other")
        result = self.train("--set", "net.num_filters=8", "--set", "loop.iterations=1", run_dir=other)
        self.assertEqual(result.returncode, OK, result.stderr)
        shutil.rmtree(self.checkpoint(1))
        shutil.copytree(os.path.join(other, "checkpoints", "iter_000001"), self.checkpoint(1))
        self.fault(self.train(), INCOMPATIBLE, "another network|of a network with", r"iter_000001")

    def test_of_another_game(self):
        self.stopped_run()
        other = os.path.join(self.folder, "other")
        result = self.train("--set", "game.name=connect_four", "--set", "loop.iterations=1", run_dir=other)
        self.assertEqual(result.returncode, OK, result.stderr)
        shutil.rmtree(self.checkpoint(1))
        shutil.copytree(os.path.join(other, "checkpoints", "iter_000001"), self.checkpoint(1))
        self.fault(self.train(), INCOMPATIBLE, "connect_four", "tic_tac_toe")

    def test_of_another_version(self):
        self.stopped_run()
        path = os.path.join(self.checkpoint(1), "learner.json")
        text = runs.read(path)
        runs.write(path, json.dumps({**json.loads(text), "format": 99}))
        self.fault(self.train(), INCOMPATIBLE, r"learner\.json", "99", "build that wrote it")
        runs.write(path, text)
        self.completes()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def framed(kind, payload):
    """A journal's record (docs/formats/journal.md)."""
    record = struct.pack("<IB", len(payload), kind) + payload
    return record + struct.pack("<I", crc32c(record))


def move_record(game, ply, action):
    return framed(2, struct.pack("<QQHHHBBIfff", game, 1, ply, action, 0, 0, 0, 8, 0, 0, 0))


def end_record(game, plies, outcome):
    return framed(3, struct.pack("<QHbB", game, plies, outcome, 0))


class Journals(runs.RunCase):
    def stopped_run(self):
        self.completes("--set", "loop.iterations=1", games=[60])

    def test_torn_tail_resumes(self):
        self.stopped_run()
        for lane in (0, 1):
            with open(self.journal(lane), "ab") as file:
                file.write(runs.read_bytes(self.journal(lane))[96:96 + 12])  # most of a first record
        result = self.completes()
        self.assertEqual(result.stderr, "", "a torn tail is no news")

    def test_that_lost_its_end(self):
        self.stopped_run()
        good = runs.read_bytes(self.journal())
        runs.write(self.journal(), good[:1000])
        self.fault(self.train(), INCOMPATIBLE, r"lane_000\.journal", "restore")
        runs.write(self.journal(), good)
        self.completes()

    def test_killed_in_self_play_with_torn_tails(self):
        process = self.start("--set", "self_play.games_per_iteration=3000", *ENDLESS)
        self.wait_for_phase()
        runs.wait_until(lambda: os.path.exists(self.journal()) and os.path.getsize(self.journal()) > 20_000, "moves")
        process.kill()
        process.wait()
        runs.wait_until(lambda: not runs.processes_of(self.run_dir), "the children end")
        with open(self.journal(), "r+b") as file:
            file.truncate(os.path.getsize(self.journal()) - 3)
        self.completes("--set", "self_play.games_per_iteration=3000", games=[3000, 3000])

    def test_the_inspector_names_what_cannot_be_read(self):
        self.stopped_run()
        good = runs.read_bytes(self.journal())
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 0x10
        self.assertEqual(runs.inspect(self.run_dir)["notes"], [])
        for damaged in (bytes(flipped), good[:50], b"", None):
            if damaged is None:
                os.remove(self.journal())
            else:
                runs.write(self.journal(), damaged)
            told = subprocess.run([f"{runs.BIN}/az_inspect", "run", self.run_dir], capture_output=True, text=True)
            self.assertEqual(told.returncode, OK, told.stderr)
            self.assertRegex(told.stdout, r"(?m)^note: .*lane_000\.journal")
            self.assertNotIn("lane_001", told.stdout)
            self.assertIn("lane_000.journal", " ".join(runs.inspect(self.run_dir)["notes"]))
        runs.write(self.journal(), good)
        self.completes()

    def test_flipped_bit_is_told_and_kept(self):
        self.stopped_run()
        good = runs.read_bytes(self.journal())
        damaged = bytearray(good)
        damaged[len(good) // 2] ^= 0x10
        runs.write(self.journal(), bytes(damaged))
        result = self.train()
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertRegex(result.stderr, r"journal damaged: .*lane_000\.journal at byte \d+: ")
        copies = [name for name in os.listdir(os.path.dirname(self.journal())) if ".cut_at_" in name]
        self.assertEqual(len(copies), 1, os.listdir(os.path.dirname(self.journal())))
        self.assertIn(copies[0], result.stderr)
        copy = runs.read_bytes(os.path.join(os.path.dirname(self.journal()), copies[0]))
        at = int(copies[0].rsplit("_", 1)[1])
        self.assertEqual(copy, bytes(damaged)[at:], "what was cut off is kept to the last byte")
        self.assertEqual(runs.read_bytes(self.journal())[:at], good[:at])
        self.assertEqual(self.state()["phase"], "complete")

    def test_damage_in_the_games_of_a_stopped_phase(self):
        process = self.start("--set", "self_play.games_per_iteration=3000", *ENDLESS)
        self.wait_for_phase()
        runs.wait_until(lambda: os.path.exists(self.journal()) and os.path.getsize(self.journal()) > 20_000, "moves")
        process.kill()
        process.wait()
        runs.wait_until(lambda: not runs.processes_of(self.run_dir), "the children end")
        damaged = bytearray(runs.read_bytes(self.journal()))
        damaged[10_000] ^= 1
        runs.write(self.journal(), bytes(damaged))
        result = self.completes("--set", "self_play.games_per_iteration=3000", games=[3000, 3000])
        self.assertIn("lane_000.journal", result.stderr)

    def test_damage_in_games_that_another_lane_finished(self):
        # Begun in lane 0 and finished in lane 1, every one of the iteration, so that both lanes play some of them again;
        # a bit of the first move 2 is flipped. No game goes on from moves 0 and 1 with the finish, which takes the cell
        # of move 0 again: joined to it, whatever is played again would be no game.
        self.stopped_run()
        games = [1 << 32 | index for index in range(60)]  # self-play, iteration 1
        begun = [move_record(game, ply, ply) for plies in ((0, 1), (2, 3)) for game in games for ply in plies]
        lost = begun[2 * len(games)]
        begun[2 * len(games)] = lost[:20] + bytes([lost[20] ^ 1]) + lost[21:]
        finished = [record for game in games
                    for record in (move_record(game, 4, 0), move_record(game, 5, 7), end_record(game, 6, -1))]
        for lane, records in ((0, begun), (1, finished)):
            with open(self.journal(lane), "ab") as file:
                file.write(b"".join(records))
        result = self.completes()
        self.assertIn("lane_000.journal", result.stderr)
        self.assertIn("in their middle: 60;", result.stderr)
        self.assertEqual(len(runs.read(os.path.join(self.run_dir, "journal", "repairs")).splitlines()), 1)
        self.completes("--set", "loop.iterations=3", games=[60, 60, 60])

    def test_damaged_header(self):
        self.stopped_run()
        good = runs.read_bytes(self.journal())
        runs.write(self.journal(), b"\xff" + good[1:])
        self.fault(self.train(), INCOMPATIBLE, r"lane_000\.journal")
        version = good[:8] + (99).to_bytes(4, "little") + good[12:]
        runs.write(self.journal(), version)
        self.fault(self.train(), INCOMPATIBLE, r"lane_000\.journal")
        runs.write(self.journal(), good)
        self.completes()

    def test_of_another_run(self):
        self.stopped_run()
        other = os.path.join(self.folder, "other")
        self.completes("--set", "loop.iterations=1", run_dir=other, games=[60])
        good = runs.read_bytes(self.journal())
        shutil.copy(os.path.join(other, "journal", "lane_000.journal"), self.journal())
        self.fault(self.train(), INCOMPATIBLE, r"lane_000\.journal", "run")
        runs.write(self.journal(), good)
        self.completes()

    def test_written_by_another_process(self):
        self.stopped_run()
        with open(self.journal(), "r+b") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.fault(self.train(), ENVIRONMENT, r"lane_000\.journal", "another process")
        self.completes()

    def test_that_went_missing(self):
        self.stopped_run()
        good = runs.read_bytes(self.journal())
        os.remove(self.journal())
        self.fault(self.train(), INCOMPATIBLE, r"lane_000\.journal", "restore|--fresh")
        runs.write(self.journal(), good)
        self.completes()


class Limits(runs.RunCase):
    def mounted(self, size):
        """A file system of `size` bytes in run_dir's place."""
        os.mkdir(self.run_dir)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.run_dir],
                          capture_output=True).returncode != 0:
            self.skipTest("needs the right to mount")
        self.addCleanup(subprocess.run, ["umount", "-l", self.run_dir])
        return os.path.join(self.run_dir, "run")

    def grown(self, size, run_dir):
        self.assertEqual(subprocess.run(["mount", "-o", f"remount,size={size}", self.run_dir]).returncode, 0)
        self.completes(run_dir=run_dir)

    def test_no_space_at_the_start(self):
        run_dir = self.mounted("16k")
        self.fault(self.train(run_dir=run_dir), ENVIRONMENT, "No space left", "free some disk space")
        self.grown("64m", run_dir)

    def test_no_space_for_the_first_checkpoint(self):
        run_dir = self.mounted("64k")
        self.fault(self.train(run_dir=run_dir), ENVIRONMENT, "No space left", "free some disk space")
        self.grown("64m", run_dir)

    def test_no_space_at_any_moment(self):
        run_dir = self.mounted("64m")
        self.completes("--set", "loop.iterations=1", games=[60], run_dir=run_dir)
        filler = os.path.join(self.run_dir, "filler")
        for free in (4096, 20_000, 40_000, 60_000, 90_000, 120_000):
            with open(filler, "wb") as file:
                used = os.statvfs(self.run_dir)
                file.write(b"\0" * (used.f_bavail * used.f_frsize - free))
            result = self.train(run_dir=run_dir)
            os.remove(filler)
            if result.returncode == OK:
                break
            self.fault(result, ENVIRONMENT, "No space left", "free some disk space")
        self.completes(run_dir=run_dir)

    def test_file_size_limit(self):
        # In units of 1 KiB: metrics and config are small, checkpoints and journals are not; the segment is a file too.
        for limit in (0, 1, 2, 8, 64, 1024):
            result = self.train(shell=f"ulimit -f {limit}")
            if result.returncode != OK:
                self.fault(result, ENVIRONMENT, "ulimit -f")
        self.completes()

    def test_file_size_limit_stops_a_journal(self):
        many = ["--set", "self_play.games_per_iteration=6000", "--set", "train.samples_per_position=0.1", "--set",
                "loop.iterations=1"]
        process = self.start(*many, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), ENVIRONMENT, self.output())
        self.assertRegex(self.output(), r"lane_00\d\.journal: File too large \(raise the file-size limit, ulimit -f\)")
        self.assertEqual(runs.processes_of(self.run_dir), [])
        self.completes(*many, games=[6000])

    def test_file_size_limit_stops_the_metrics(self):
        self.completes("--set", "loop.iterations=1", games=[60])
        metrics = os.path.join(self.run_dir, "metrics.jsonl")
        text = runs.read(metrics)
        filler = '{"kind":"filler","text":"' + "x" * (4 << 20) + '"}\n'
        runs.write(metrics, text + filler)
        self.fault(self.train(shell="ulimit -f 4096"), ENVIRONMENT, r"metrics\.jsonl", "ulimit -f")
        runs.write(metrics, text)
        self.completes()
        lines = [json.loads(line) for line in runs.read(metrics).splitlines()]
        done = [line["iteration"] for line in lines if line["kind"] == "iteration"]
        self.assertEqual(done, [0, 1], "one line an iteration")

    def test_open_files_limit(self):
        for limit in (4, 6, 8, 10, 12, 16, 20, 24, 32):
            result = self.train(shell=f"ulimit -n {limit}")
            if result.returncode == OK:
                break
            self.fault(result, ENVIRONMENT, "ulimit -n|Too many open files")
        self.completes()

    def test_process_limit(self):
        if os.geteuid() != 0:
            self.skipTest("needs another user's limits")
        os.chmod(self.folder, 0o777)

        def as_nobody():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

        readable = subprocess.run(["ls", runs.BIN], preexec_fn=as_nobody, capture_output=True).returncode == 0
        if not readable:
            self.skipTest("the build folder is not for others to read")
        self.fault(self.train(preexec_fn=as_nobody), ENVIRONMENT, "limit of processes|ulimit -u")
        shutil.rmtree(self.run_dir, ignore_errors=True)
        self.completes()

    def test_no_gpu(self):
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("there is a GPU")
        for device in ("cuda", "cuda:3"):
            self.fault(self.train("--set", f"engine.device={device}"), ENVIRONMENT, "engine.device", "GPU|CUDA|nvidia")
        self.assertFalse(os.path.exists(self.run_dir))
        self.completes()

    def test_too_little_memory_in_the_config(self):
        self.fault(self.train("--set", "memory.ram_budget=20MiB"), ENVIRONMENT, "memory", "20")
        self.assertFalse(os.path.exists(self.run_dir))
        self.completes()

    def test_address_space_limit(self):
        for limit in (60_000, 200_000, 400_000, 800_000):
            result = self.train(shell=f"ulimit -v {limit}")
            if result.returncode == OK:
                break
            # Where LibTorch's own start-up runs out of memory nobody can be asked for another exit code.
            code = FAILED if "bad_alloc" in result.stderr else ENVIRONMENT
            for line in result.stderr.splitlines():
                self.assertRegex(line, "memory|ulimit -v|bad_alloc")
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertEqual(runs.processes_of(self.folder), [])
        self.completes()

    def test_memory_cgroup(self):
        group = f"/sys/fs/cgroup/memory/az_test_{os.getpid()}"
        if not os.path.isdir("/sys/fs/cgroup/memory") or os.geteuid() != 0:
            self.skipTest("needs a writable memory cgroup")
        try:
            os.mkdir(group)
            runs.write(f"{group}/memory.limit_in_bytes", str(64 << 20))
        except OSError as error:
            self.skipTest(f"needs a writable memory cgroup: {error}")
        self.addCleanup(os.rmdir, group)
        self.fault(self.train(shell=f"echo $$ > {group}/cgroup.procs"), ENVIRONMENT, "memory")


class Surroundings(runs.RunCase):
    def test_missing_programs(self):
        for missing in ("az_device", "az_worker"):
            programs = os.path.join(self.folder, f"without_{missing}")
            os.mkdir(programs)
            for name in ("az_train", "az_worker", "az_device"):
                if name != missing:
                    shutil.copy(os.path.join(runs.BIN, name), programs)
            words = self.command()
            words[0] = f"{programs}/az_train"
            result = subprocess.run(words, capture_output=True, text=True, timeout=runs.LIMIT_S)
            self.fault(result, ENVIRONMENT, missing, "build it")
        self.completes()

    def test_a_program_that_is_none(self):
        programs = os.path.join(self.folder, "programs")
        shutil.copytree(runs.BIN, programs)
        runs.write(os.path.join(programs, "az_device"), "no program")
        words = self.command()
        words[0] = f"{programs}/az_train"
        self.fault(subprocess.run(words, capture_output=True, text=True), ENVIRONMENT, "az_device")

    def test_a_program_that_dies_at_once(self):
        programs = os.path.join(self.folder, "programs")
        shutil.copytree(runs.BIN, programs)
        runs.write(os.path.join(programs, "az_device"), "#!/bin/sh\nkill -SEGV $$\n")
        words = self.command("--set", "engine.max_deaths_per_minute=2")
        words[0] = f"{programs}/az_train"
        self.fault(subprocess.run(words, capture_output=True, text=True), FAILED, "device", "signal 11")

    def test_missing_library_of_the_device(self):
        programs = os.path.join(self.folder, "programs")
        shutil.copytree(runs.BIN, programs)
        runs.write(os.path.join(programs, "az_device"),
                   "#!/bin/sh\necho 'az_device: error while loading shared libraries: libtorch_cpu.so: no such file' >&2\nexit 127\n")
        words = self.command("--set", "engine.max_deaths_per_minute=2")
        words[0] = f"{programs}/az_train"
        self.fault(subprocess.run(words, capture_output=True, text=True), ENVIRONMENT, r"libtorch_cpu\.so")

    def test_no_home_and_no_environment(self):
        self.assertEqual(self.train(env={}).returncode, OK)

    def test_another_working_directory_and_relative_paths(self):
        words = [f"{runs.BIN}/az_train", "--config", "mine.yaml", "--set", "run.dir=here"]
        shutil.copy(TINY, os.path.join(self.folder, "mine.yaml"))
        first = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(first.returncode, OK, first.stderr)
        os.mkdir(os.path.join(self.folder, "below"))
        words = [f"{runs.BIN}/az_train", "--config", "../mine.yaml", "--set", "run.dir=../here"]
        again = subprocess.run(words, cwd=os.path.join(self.folder, "below"), capture_output=True, text=True)
        self.assertEqual(again.returncode, OK, again.stderr)
        self.assertIn("nothing is left to do", again.stdout)

    def test_config_by_name_from_anywhere(self):
        words = [f"{runs.BIN}/az_train", "--config", "quick_demo", "--dry-run"]
        result = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_working_directory_that_is_gone(self):
        gone = os.path.join(self.folder, "gone")
        os.mkdir(gone)
        result = self.train(shell=f"cd {gone}; rmdir {gone}")
        self.fault(result, ENVIRONMENT, "working directory")

    def test_odd_characters_in_the_run_directory(self):
        odd = os.path.join(self.folder, "a b'c\"dé%s: #x")
        self.completes(run_dir=odd)


if __name__ == "__main__":
    runs.main()
