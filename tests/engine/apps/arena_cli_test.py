#!/usr/bin/env python3
"""az_arena as a person runs it: players without a network, so that no device process is needed.

usage: arena_cli_test.py BIN_DIR
"""
import fcntl
import json
import os
import random
import re
import signal
import subprocess
import time

from az_runs import BIN, ENVIRONMENT, INCOMPATIBLE, LIMIT_S, OK, USAGE, RunCase, main, processes_of, read, read_bytes, \
    wait_until, write

QUICK = ["--a", "random", "--b", "mcts:sims=8", "--game", "tic_tac_toe", "--workers", "2"]


# Plays the first free point of tic-tac-toe, whatever it is told of.
FIRST_FREE = """
import sys
taken = []
for line in sys.stdin:
    words = line.split()
    answer = ""
    if words[0] == "protocol_version":
        answer = "2"
    elif words[0] == "list_commands":
        answer = "\\n".join(["protocol_version", "list_commands", "clear_board", "play", "genmove", "quit"])
    elif words[0] == "clear_board":
        taken = []
    elif words[0] == "play":
        taken.append(words[2].lower())
    elif words[0] == "genmove":
        answer = next(x + y for y in "123" for x in "abc" if x + y not in taken)
        taken.append(answer)
    print("= " + answer + "\\n", flush=True)
"""


class ArenaCase(RunCase):
    def setUp(self):
        super().setUp()
        self.out = os.path.join(self.folder, "out")

    def words(self, *more, out=None):
        return [f"{BIN}/az_arena", *more, "--out", out or self.out]

    def arena(self, *more, out=None, **options):
        return subprocess.run(self.words(*more, out=out), capture_output=True, text=True, timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL, **options)

    def result(self, *more, **options):
        done = self.arena(*more, "--json", **options)
        self.assertEqual(done.returncode, OK, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)


class Matches(ArenaCase):
    def test_one_object_with_the_keys_that_scripts_read(self):
        result = self.result(*QUICK, "--games", "40", "--openings", "plies=2")
        self.assertEqual(result["players"], {"a": "random", "b": "mcts:sims=8"})
        self.assertEqual(result["games"], 40)
        self.assertEqual(result["wins"] + result["draws"] + result["losses"], 40)
        self.assertEqual(sum(result["pairs"]), 20)
        by_colour = result["by_colour"]
        for key in ("wins", "draws", "losses"):
            self.assertEqual(by_colour["first"][key] + by_colour["second"][key], result[key])
        self.assertEqual(sum(by_colour["first"].values()), 20)
        self.assertLess(result["score"], 0.5)  # anybody beats random moves
        self.assertLess(result["elo_low"], result["elo"])
        self.assertLess(result["los"], 0.05)
        self.assertIsNone(result["sprt"])
        self.assertGreater(result["average_length"], 4)
        self.assertEqual(sum(move["games"] for move in result["first_moves"]), 40)
        self.assertEqual(result["forfeits"], {"a": 0, "b": 0})
        self.assertEqual(json.loads(read(os.path.join(self.out, "result.json"))), result)
        self.assertEqual(len(read(os.path.join(self.out, "result.csv")).splitlines()), 2)

    def test_the_games_are_written_for_people_and_other_programs(self):
        self.result(*QUICK, "--games", "6")
        games = read(os.path.join(self.out, "games.txt"))
        self.assertEqual(len(re.findall("^moves ", games, re.M)), 6)
        self.assertEqual(len(re.findall("^first random$", games, re.M)), 3)
        self.assertEqual(len(re.findall("^second random$", games, re.M)), 3)
        hex_out = os.path.join(self.folder, "hex")
        self.result("--a", "random", "--b", "mcts:sims=8", "--game", "hex5", "--games", "4", out=hex_out)
        sgf = read(os.path.join(hex_out, "games.sgf"))
        self.assertEqual(sgf.count("GM[11]"), 4)
        self.assertEqual(sgf.count("PB[random]") + sgf.count("PW[random]"), 4)

    def test_an_odd_number_of_games_becomes_whole_pairs(self):
        self.assertEqual(self.result(*QUICK, "--games", "5")["games"], 6)

    def test_the_same_command_plays_nothing_again_and_games_may_grow(self):
        first = self.result(*QUICK, "--games", "20")
        journal = [read(os.path.join(self.out, "journal", name)) for name in
                   sorted(os.listdir(os.path.join(self.out, "journal")))]
        self.assertEqual(self.result(*QUICK, "--games", "20"), first)
        again = [read(os.path.join(self.out, "journal", name)) for name in
                 sorted(os.listdir(os.path.join(self.out, "journal")))]
        self.assertEqual(again, journal)
        more = self.result(*QUICK, "--games", "40")
        self.assertEqual(more["games"], 40)
        self.assertGreaterEqual(more["losses"], first["losses"])
        self.fault(self.arena(*QUICK, "--games", "20"), INCOMPATIBLE, "games: 40 there, 20 now", lines=2)

    def test_another_command_for_the_same_folder_is_refused(self):
        self.result(*QUICK, "--games", "4")
        self.fault(self.arena(*QUICK, "--games", "4", "--seed", "2"), INCOMPATIBLE, "seed: 1 there, 2 now", lines=2)
        self.fault(self.arena(*QUICK, "--games", "4", "--openings", "plies=3"), INCOMPATIBLE,
                   r"openings: plies=2\+ there, plies=3\+ now", lines=2)
        self.fault(self.arena("--a", "random", "--b", "mcts:sims=9", "--game", "tic_tac_toe", "--games", "4"),
                   INCOMPATIBLE, "player 2: mcts:sims=8 there, mcts:sims=9 now", lines=2)

    def test_equal_seeds_play_equal_games(self):
        other = os.path.join(self.folder, "other")
        self.assertEqual(self.result(*QUICK, "--games", "20"), self.result(*QUICK, "--games", "20", out=other))

    def test_the_test_stops_a_match_that_is_decided(self):
        sprt = ["--sprt", "elo0=0,elo1=100", "--games", "2000"]
        result = self.result(*QUICK, *sprt)
        self.assertEqual(result["sprt"]["verdict"], "elo0")
        self.assertTrue(result["sprt"]["stopped"])
        self.assertLess(result["games"], 1000)
        self.assertEqual(result["games"], 2 * sum(result["pairs"]))  # no half pairs
        self.assertEqual(self.result(*QUICK, *sprt), result)  # stays stopped

    def test_a_stopped_match_whose_games_are_damaged_tells_no_other_result(self):
        command = [*QUICK[:-1], "1", "--sprt", "elo0=0,elo1=100", "--games", "2000"]
        self.result(*command)
        result = read(os.path.join(self.out, "result.json"))
        folder = os.path.join(self.out, "journal")
        for name in sorted(os.listdir(folder)):
            data = bytearray(read_bytes(os.path.join(folder, name)))
            data[200] ^= 1
            write(os.path.join(folder, name), bytes(data))
        for _ in range(2):
            self.fault(self.arena(*command), INCOMPATIBLE, "match 1 of .* was stopped by the test",
                       r"lane_000\.journal: damaged at byte", "another --out")
            self.assertEqual(read(os.path.join(self.out, "result.json")), result)

    def test_players_that_draw_nothing_are_not_counted_by_how_often_they_repeat(self):
        """A program that always has the same answer, from two openings: two pairs, however many are played."""
        openings = os.path.join(self.folder, "openings.txt")
        write(openings, "a1\nb2\n")
        first_free = os.path.join(self.folder, "first_free.py")
        write(first_free, FIRST_FREE)
        program = f"gtp:python3 {first_free}"
        command = ["--a", program, "--b", f"{program} again", "--game", "tic_tac_toe", "--openings", openings, "--workers", "1"]
        two = self.result(*command, "--games", "4", out=os.path.join(self.folder, "two"))
        self.assertEqual(two["pairs"], two["distinct_pairs"])
        many = self.result(*command, "--games", "40")
        self.assertEqual([10 * pairs for pairs in two["pairs"]], many["pairs"])
        for key in ("distinct_pairs", "score", "score_low", "score_high", "elo_low", "elo_high", "los"):
            self.assertEqual(many[key], two[key], key)
        self.assertEqual(many["games"], 40)
        self.assertIn("only 2 of 20 pairs are distinct", self.arena(*command, "--games", "40", "--quiet").stdout)

    def test_a_round_robin_has_a_table_and_ratings(self):
        players = ["--players", "random,mcts:sims=4,mcts:sims=64", "--game", "tic_tac_toe", "--games", "20"]
        done = self.arena(*players)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertRegex(done.stdout, r"\[3\] mcts:sims=64 +\+\d+ \+- \d+")
        result = self.result(*players)
        self.assertEqual(len(result["matches"]), 3)
        elo = [player["elo"] for player in result["players"]]
        self.assertEqual(elo[0], 0)
        self.assertGreater(elo[2], elo[0])
        gauntlet = self.result(*players, "--format", "gauntlet", out=os.path.join(self.folder, "gauntlet"))
        self.assertEqual([match["players"]["a"] for match in gauntlet["matches"]], ["random", "random"])

    def test_what_was_given_up_for_memory_is_tried_again_after_clean_matches(self):
        players = ["--players", "random,mcts:sims=2,mcts:sims=4", "--game", "tic_tac_toe", "--workers", "1",
                   "--set", "memory.climb_after=2"]
        self.result(*players, "--games", "2")
        file = os.path.join(self.out, "state.json")
        state = json.loads(read(file))
        state["memory"]["host"].update(rungs=1, clean=0)
        write(file, json.dumps(state))
        self.assertEqual(self.arena(*players, "--games", "4", "--json").returncode, OK)  # three matches go on
        memory = json.loads(read(file))["memory"]
        self.assertEqual(memory["host"]["rungs"], 0, memory)
        self.assertIn("a rung of host is tried again", read(os.path.join(self.out, "metrics.jsonl")))

    def test_an_opening_file_is_played(self):
        openings = os.path.join(self.folder, "openings.txt")
        write(openings, "# corners\na1 b2\nc3 b2\n")
        result = self.result(*QUICK, "--games", "8", "--openings", openings)
        self.assertEqual({move["move"]: move["games"] for move in result["first_moves"]}, {"a1": 4, "c3": 4})


class Kills(ArenaCase):
    def test_killed_ten_times_it_ends_with_every_pair_once(self):
        rng = random.Random(11)
        players = ["--a", "mcts:sims=1000", "--b", "mcts:sims=1001", "--game", "hex", "--board-size", "5",
                   "--workers", "2"]
        kills = games = 0
        while kills < 10:
            games += 100  # so that each start has something to do, however fast the machine is
            self.assertLess(games, 10_000, "it always ends before it is killed")
            process = subprocess.Popen(self.words(*players, "--games", str(games), "--quiet"),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.03, 0.25))
            if process.poll() is not None:
                self.assertEqual(process.returncode, OK)
                continue
            victims = [pid for pid, program in processes_of(self.out) if program == "az_worker"]
            if kills % 3 == 2 and victims:  # a worker first; then all
                os.kill(rng.choice(victims), signal.SIGKILL)
                time.sleep(rng.uniform(0, 0.1))
            process.kill()
            process.wait()
            kills += 1
            wait_until(lambda: not processes_of(self.out), "the children end")
        command = [*players, "--games", str(games)]
        result = self.result(*command)
        self.assertEqual(result["games"], games)
        self.assertEqual(sum(result["pairs"]), games // 2)
        self.assertEqual(sum(result["by_colour"]["first"].values()), games // 2)
        whole = self.result(*command, out=os.path.join(self.folder, "whole"))
        for key in ("wins", "losses", "pairs", "average_length"):  # draws depend on game and ply alone
            self.assertEqual(result[key], whole[key], key)

    def test_a_signal_ends_it_in_good_order_and_the_same_command_goes_on(self):
        command = ["--a", "mcts:sims=200", "--b", "mcts:sims=200", "--game", "hex", "--board-size", "7", "--games", "400",
                   "--workers", "2"]
        process = subprocess.Popen(self.words(*command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        wait_until(lambda: len(processes_of(self.out)) >= 3, "the workers start")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, output)
        self.assertIn("the same command goes on", output)


class Faults(ArenaCase):
    def test_the_command_line(self):
        game = ["--game", "tic_tac_toe"]
        pair = ["--a", "random", "--b", "random"]
        self.fault(self.arena(*pair, *game, "--games", "0"), USAGE, "--games = 0 is out of range")
        self.fault(self.arena(*pair, *game, "--games", "-4"), USAGE, "--games = -4 is out of range")
        self.fault(self.arena(*pair, "--games", "2"), USAGE, "none of the players says which game")
        self.fault(self.arena("--a", "random", *game, "--games", "2"), USAGE, "give --a and --b, or --players")
        self.fault(self.arena("--players", "random", *game, "--games", "2"), USAGE, "2 to 64 players")
        self.fault(self.arena("--players", "random,random,solver", *game, "--games", "2"), USAGE, "takes part twice")
        self.fault(self.arena("--a", "randm", "--b", "random", *game, "--games", "2"), USAGE + 0, "randm")
        self.fault(self.arena(*pair, "--game", "chess", "--games", "2"), USAGE, "chess", lines=0)
        self.fault(self.arena(*pair, *game, "--games", "2", "--sprt", "elo0=5,elo1=1"), USAGE, "elo1")
        self.fault(self.arena(*pair, *game, "--games", "2", "--sprt", "elo=5"), USAGE, "'elo=5' is none of")
        self.fault(self.arena(*pair, *game, "--games", "2", "--mode", "tpu"), USAGE, "--mode = tpu")
        self.fault(self.arena(*pair, *game, "--games", "2", "--format", "swiss"), USAGE, "swiss is neither")
        self.fault(self.arena(*pair, *game, "--games", "2", "--budget", "lots"), USAGE, "--budget = lots")
        self.fault(self.arena(*pair, *game, "--games", "2", "--seed", "99999999999999999999"), USAGE,
                   "99999999999999999999 is not an integer from 0 to 18446744073709551615", lines=0)
        self.fault(self.arena(*pair, *game, "--games", "2", "--seed=-1"), USAGE, "-1 is not an integer", lines=0)
        # What would do nothing.
        self.fault(self.arena(*pair, *game, "--games", "2", "--sprt", ""), USAGE, "--sprt: it is empty", lines=0)
        self.fault(self.arena(*pair, *game, "--games", "2", "--sprt", " "), USAGE, "elo0 is missing")
        self.fault(self.arena(*pair, *game, "--games", "2", "--sprt", "elo0=5"), USAGE, "elo1 is missing")
        self.fault(self.arena(*pair, *game, "--games", "2", "--config", ""), USAGE, "--config: it is empty", lines=0)
        self.fault(self.arena(*pair, *game, "--games", "2", "--board-size", "0"), USAGE, "--board-size", lines=0)
        config = os.path.join(self.folder, "game.yaml")
        write(config, "game: {name: tic_tac_toe}\n")
        self.fault(self.arena(*pair, "--config", config, "--board-size", "7", "--games", "2"), USAGE, "tic_tac_toe", lines=0)
        for key, option in (("game.name=go", "--game"), ("run.seed=9", "--seed"), ("run.dir=o77", "--out"),
                            ("arena.opening_plies=0", "--openings"), ("loop.iterations=7", "it reads search")):
            self.fault(self.arena(*pair, *game, "--games", "2", "--set", key), USAGE,
                       f"--set {key}: .* does nothing in az_arena .*{option}")
        self.assertFalse(os.path.exists(self.out))

    def test_the_mode_may_stand_in_the_config(self):
        words = ["--a", "random", "--b", "random", "--game", "tic_tac_toe", "--games", "2", "--set", "engine.device=cpu"]
        option = self.arena(*words, "--mode", "gpu", out=os.path.join(self.folder, "option"))
        config = self.arena(*words, "--set", "arena.mode=gpu", out=os.path.join(self.folder, "config"))
        self.assertEqual((config.returncode, config.stderr), (option.returncode, option.stderr))
        over = self.arena(*words, "--set", "arena.mode=gpu", "--mode", "cpu")
        self.assertEqual(over.returncode, OK, over.stderr)

    def inspect(self, *words):
        return subprocess.run([f"{BIN}/az_inspect", *words], capture_output=True, text=True, timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL)

    def test_the_inspector_takes_no_negative_number(self):
        for number in ("-1", "1e3", "9999999999"):
            done = self.fault(self.inspect("games", self.folder, "--last", number), USAGE,
                              rf"--last: Value {number} not in range \[?0 (-|to) 2147483647", lines=0)
            self.assertLess(len(done.stderr), 200)
        self.fault(self.inspect("games", self.folder, "--iteration", "-1"), USAGE, "--iteration", lines=0)

    def test_the_inspector_says_what_to_give_it(self):
        self.fault(self.inspect(), USAGE, "run DIR, memory DIR, games DIR or rules")
        self.fault(self.inspect("foo"), USAGE, "foo", lines=0)
        self.fault(self.inspect("games", self.folder, "--export", ""), USAGE, "--export '' names no file")
        file = os.path.join(self.folder, "file")
        write(file, "x")
        missing = os.path.join(self.folder, "missing")
        for looks_at in ("run", "memory", "games"):
            self.fault(self.inspect(looks_at, file), USAGE, f"{file}: that is a file", "directory of a run")
            self.fault(self.inspect(looks_at, missing), USAGE, f"{missing}: there is no such folder", "directory of a run")
            self.fault(self.inspect(looks_at, self.folder), USAGE, self.folder, "directory of a run")

    def test_files(self):
        game = ["--game", "tic_tac_toe", "--games", "2"]
        openings = os.path.join(self.folder, "openings.txt")
        write(openings, "a1 b2\n\na1 a1\n")
        pair = ["--a", "random", "--b", "random"]
        self.fault(self.arena(*pair, *game, "--openings", openings), USAGE, r"openings.txt:3: move 2")
        self.fault(self.arena(*pair, *game, "--openings", openings + ".no"), USAGE, "openings are plies=N or a file")
        self.fault(self.arena(*pair, *game, "--openings", self.folder), USAGE, "a folder .openings are plies=N or a file")
        self.fault(self.arena("--a", "runs/nowhere", "--b", "random", *game), USAGE, "runs/nowhere", lines=0)
        write(os.path.join(self.folder, "weights.safetensors"), b"\x00\xff junk")
        self.fault(self.arena("--a", os.path.join(self.folder, "weights.safetensors"), "--b", "random", *game),
                   ENVIRONMENT + 1, "weights.safetensors", lines=0)

    def test_a_folder_of_other_things_is_refused(self):
        os.mkdir(self.out)
        write(os.path.join(self.out, "thesis.tex"), "x")
        self.advised(self.arena(*QUICK, "--games", "2"), USAGE, "thesis.tex")

    def advised(self, done, code, *patterns, lines=1):
        """In words of this program's own command line."""
        self.fault(done, code, "choose another --out", *patterns, lines=lines)
        for other in ("--fresh", "run.dir", "run.name"):
            self.assertNotIn(other, done.stderr)

    def test_what_cannot_be_used_is_advised_about_in_the_words_of_the_command(self):
        file = os.path.join(self.folder, "file")
        write(file, "x")
        self.advised(self.arena(*QUICK, "--games", "2", out=file), USAGE, "is a file")
        self.result(*QUICK, "--games", "2")
        state = os.path.join(self.out, "state.json")
        kept = read(state)
        with open(os.path.join(self.out, "lock"), "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.advised(self.arena(*QUICK, "--games", "2"), ENVIRONMENT, "is in use")
        write(state, "{")
        self.advised(self.arena(*QUICK, "--games", "2"), INCOMPATIBLE, "state.json is damaged")
        os.remove(state)
        self.advised(self.arena(*QUICK, "--games", "2"), INCOMPATIBLE, "state.json is missing")
        write(state, kept)
        config = os.path.join(self.out, "config.yaml")
        kept = read(config)
        write(config, kept.replace("window_max: 1", "window_max: 2"))  # as by another version of the program
        self.advised(self.arena(*QUICK, "--games", "2"), INCOMPATIBLE, "window_max: 2 there, 1 now", lines=2)
        write(config, kept)
        self.result(*QUICK, "--games", "2")

    def test_a_folder_whose_players_are_not_known_is_refused(self):
        self.result("--a", "mcts:sims=64", "--b", "random", *QUICK[4:], "--games", "20")
        file = os.path.join(self.out, "arena.json")
        identity, result = read(file), read(os.path.join(self.out, "result.json"))
        os.remove(file)
        self.fault(self.arena("--a", "random", "--b", "mcts:sims=64", *QUICK[4:], "--games", "40"), INCOMPATIBLE,
                   "arena.json.* is missing .restore it from a copy, or choose another --out")
        self.assertEqual(read(os.path.join(self.out, "result.json")), result)
        write(file, identity)
        self.result("--a", "mcts:sims=64", "--b", "random", *QUICK[4:], "--games", "20")

    def test_a_folder_in_which_nothing_was_played_is_taken(self):
        self.result(*QUICK, "--games", "4")
        os.remove(os.path.join(self.out, "arena.json"))
        for name in os.listdir(os.path.join(self.out, "journal")):
            os.remove(os.path.join(self.out, "journal", name))
        self.assertEqual(self.result(*QUICK, "--games", "4")["games"], 4)

    def test_a_full_disk_is_said_and_nothing_is_lost(self):
        done = subprocess.run(["bash", "-c", 'ulimit -f 8; exec "$@"', "bash",
                               *self.words(*QUICK, "--games", "2000", "--quiet")],
                              capture_output=True, text=True, timeout=LIMIT_S)
        self.fault(done, ENVIRONMENT, "limit|space|large", lines=0)
        self.assertEqual(self.result(*QUICK, "--games", "2000")["games"], 2000)


if __name__ == "__main__":
    main()
