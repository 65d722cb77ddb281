#!/usr/bin/env python3
"""az_plan as a person meets it: what it prints, how it refuses, its exit codes.

usage: plan_cli_test.py BIN_DIR
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


CARD = ("--simulate", "rtx4070-12GB", "--ram", "16GiB", "--cores", "8")


def plan(*arguments):
    return subprocess.run([os.path.join(BIN, "az_plan"), *arguments], cwd=ROOT, capture_output=True, text=True, timeout=20)


class PlanCli(unittest.TestCase):
    def refused(self, code, text, *arguments):
        done = plan(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertNotIn("terminate", done.stderr)

    def test_prints_a_labelled_bill(self):
        done = plan("--config", "5x5", "--ram", "8GiB", "--cores", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("host memory of all processes, MiB", "self_play", "optimizer", "2.67 M parameters", "chosen  workers 2"):
            self.assertIn(text, done.stdout)

    def test_json_adds_up(self):
        done = plan("--config", "5x5.yaml", "--simulate", "rtx4070-12GB", "--ram", "16GiB", "--cores", "8", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        data = json.loads(done.stdout)
        self.assertTrue(data["device"]["simulated"])
        for kind in ("host_memory", "device_memory"):
            for phase in data[kind]["phases"]:
                self.assertEqual(sum(term["bytes"] for term in phase["terms"]), phase["total_bytes"])
                self.assertLessEqual(phase["total_bytes"] + data[kind]["guard_bytes"], data[kind]["budget_bytes"])

    def test_a_simulated_card_says_so(self):
        done = plan("--config", "5x5", "--simulate", "12GiB", "--ram", "8GiB", "--cores", "4")
        self.assertIn("SIMULATED", done.stdout)

    def test_a_result_that_cannot_be_written_is_an_error(self):
        runs = [["az_plan", "--config", "5x5", *CARD, "--json"], ["az_plan", "--config", "5x5", "--print-config"],
                ["az_train", "--config", "5x5", "--dry-run"], ["az_train", "--config", "5x5", "--print-config"]]
        for program, *words in runs:
            with open("/dev/full", "w") as full:
                done = subprocess.run([os.path.join(BIN, program), *words], cwd=ROOT, stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=20)
            self.assertEqual(done.returncode, 3, (program, words))
            self.assertRegex(done.stderr, f"^{program}: write to standard output: .*No space")

    def test_a_device_budget_without_a_device_is_told(self):
        done = plan("--config", "5x5", "--ram", "8GiB", "--cores", "2", "--set", "engine.device=cpu",
                    "--set", "memory.vram_budget=4GiB")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("memory.vram_budget, written in the config, has no effect", done.stdout)

    def test_a_printed_config_is_a_config(self):
        done = plan("--config", "hex5_small", "--set", "search.visits=33", "--print-config")
        self.assertEqual(done.returncode, 0, done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "again.yaml")
            with open(path, "w") as file:
                file.write(done.stdout)
            again = plan("--config", path, "--print-config")
        strip = lambda text: [line.split("#")[0].rstrip() for line in text.splitlines()]
        self.assertEqual(strip(again.stdout), strip(done.stdout))
        self.assertIn("  visits: 33", strip(done.stdout))

    def test_sweeps_workers_without_more_device_memory(self):
        done = plan("--config", "5x5", *CARD, "--sweep", "num_workers", "--json")
        points = json.loads(done.stdout)["sweep"]
        self.assertEqual([point["num_workers"] for point in points][:6], [1, 2, 3, 4, 6, 8])
        self.assertEqual(len({point["device_memory_peak_bytes"] for point in points}), 1)
        host = [point["host_memory_peak_bytes"] for point in points]
        self.assertEqual(host, sorted(host))
        rates = [point["rows_per_s"] for point in points]
        self.assertEqual(rates, sorted(rates))
        text = plan("--config", "5x5", *CARD, "--sweep", "num_workers").stdout
        self.assertIn("SIMULATED", text.split("num_workers from 1 on")[1])
        for point in points:
            mib = round(point["device_memory_peak_bytes"] / 2**20)
            self.assertRegex(text, rf"\n +{point['num_workers']}  +{mib} a ")

    def test_compares_with_a_network_in_every_process(self):
        asked = ("--config", "5x5", *CARD, "--set", "num_workers=10", "--set", "arena.num_workers=4", "--compare", "per_worker")
        bill = json.loads(plan(*asked, "--json").stdout)["per_worker"]
        phases = {phase["phase"]: phase for phase in bill["phases"]}
        counts = lambda phase: [phases[phase][key] for key in ("processes", "contexts", "models")]
        self.assertEqual(counts("self_play"), [11, 11, 12])
        self.assertEqual(counts("arena"), [15, 15, 20])
        for phase in bill["phases"]:
            self.assertEqual(phase["device_bytes"], phase["context_bytes"] + phase["torch_bytes"])
        self.assertGreater(phases["arena"]["device_bytes"], 7 * 2**30)
        text = plan(*asked).stdout
        for phase in bill["phases"]:
            row = next(line for line in text.splitlines() if line.startswith("per_worker " + phase["phase"]))
            for key in ("context_bytes", "torch_bytes", "device_bytes", "host_bytes"):
                self.assertIn(f" {phase[key] / 2**20:.0f} ", row + " ")
        self.assertIn("per_worker runs out of device memory first", text)
        self.assertIn("per_worker: 10 + 4 processes: written in the config", text)
        self.assertTrue(all(len(line) <= 120 for line in text.splitlines()), text)

    def test_compares_ten_and_four_where_the_config_says_auto(self):
        asked = ("--simulate", "rtx4070-12GB", "--config", "5x5.yaml", "--compare", "per_worker")
        text = plan(*asked).stdout
        self.assertIn("per_worker: 10 + 4 processes: the usual design's", text)
        processes = {phase["phase"]: phase["processes"] for phase in json.loads(plan(*asked, "--json").stdout)["per_worker"]["phases"]}
        self.assertEqual(processes, {"self_play": 11, "train": 11, "arena": 15, "publish": 11})

    def test_every_figure_of_the_bill_is_labelled_in_json(self):
        data = json.loads(plan("--config", "5x5", *CARD, "--json").stdout)
        self.assertEqual(data["schema"], 4)
        for kind in ("host_memory", "device_memory"):
            for phase in data[kind]["phases"]:
                for term in phase["terms"]:
                    self.assertIn(term["basis"], ("measured", "predicted", "assumed"))
                self.assertEqual(phase["total_basis"], "assumed", "the weakest of its parts")
        self.assertEqual(data["plan"]["rates_basis"], "assumed")
        self.assertEqual(data["calibration"], [])
        for reason in data["reasons"]:
            self.assertIn(reason["kind"], ("chosen", "fallback", "given_up", "constraint", "price", "warning"))
            self.assertTrue(reason["text"])

    def test_suggests_what_takes_less(self):
        for config in sorted(os.listdir(os.path.join(ROOT, "configs"))):
            done = plan("--config", config, *CARD, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            advice = json.loads(done.stdout)["advice"]["to_take_less"]
            text = plan("--config", config, *CARD).stdout.split("to take less memory (bytes predicted, time assumed)\n")[1]
            shown = [line.split(":")[0].strip() for line in text.splitlines() if line.startswith("  ")]
            keys = [one["key"] for one in advice]
            self.assertGreater(len(keys), len(shown), "JSON has all of them")
            self.assertEqual(shown[:4], keys[:4])
            # What changes what is learned is named too, last, and said to; a smaller network is among it where that
            # saves a MiB.
            changing = [one["key"] for one in advice if one["changes_learning"]]
            self.assertEqual("net.num_filters" in changing, config not in ("quick_demo.yaml", "tictactoe.yaml"))
            self.assertEqual(keys[-len(changing):], changing)
            self.assertEqual(shown[4:], changing[:1], config)
            self.assertEqual(text.count(", changes what is learned\n"), 1)
            if config == "5x5.yaml":
                self.assertIn("  net.num_filters: 128 -> 64 saves ", text)
            for one in advice:
                self.assertGreaterEqual(max(one["device_bytes_saved"], one["host_bytes_saved"]), 2**20)
                self.assertNotEqual(one["from"], one["to"])
                self.assertEqual((one["bytes_basis"], one["slowdown_basis"]), ("predicted", "assumed"))
                self.assertGreaterEqual(one["slowdown_percent"], 0)

    def test_explains_any_key(self):
        text = plan("--config", "5x5", *CARD, "--explain", "num_workers").stdout
        self.assertIn("num_workers = 6 (planned, SIMULATED)", text)
        self.assertIn("  4 cores: 2\n", text)
        text = plan("--config", "5x5", *CARD, "--explain", "train.batch").stdout
        self.assertIn("train.batch = 512 (configs/5x5.yaml:", text)
        self.assertRegex(text, r"train.batch = 1024: .*device memory .* -> ")
        text = plan("--config", "5x5", *CARD, "--explain", "run.seed").stdout
        self.assertIn("run.seed = 1", text)

    def test_explains_a_budget_of_the_command_line(self):
        text = plan("--config", "5x5", *CARD, "--budget", "900MiB", "--explain", "memory.vram_budget").stdout
        self.assertIn("memory.vram_budget = 900MiB (--budget, SIMULATED)", text)
        self.assertRegex(text, r"memory.vram_budget = auto: .*device memory .* -> ")
        self.assertNotIn("nothing changes", text)

    def test_explains_a_key_that_changes_the_layout_alone(self):
        text = plan("--config", "5x5", *CARD, "--explain", "memory.expandable_segments").stdout
        self.assertRegex(text, r"memory.expandable_segments = false: the same plan; self_play \d+ -> \d+ MiB and "
                               r"\d+ -> \d+ % fragmented, .*; laid out on a SIMULATED card")
        self.assertIn("memory.expandable_segments = true: nothing changes", text)

    def test_explains_what_reasons_call_by_another_name(self):
        text = plan("--config", "5x5", *CARD, "--explain", "engine.max_batch").stdout
        self.assertIn("  why: largest bucket 512: ", text)
        text = plan("--config", "5x5", *CARD, "--explain", "memory.guard").stdout
        self.assertRegex(text, r"memory.guard = \d+ MiB of device memory, \d+ MiB of host memory \(planned")

    def test_every_key_can_be_explained(self):
        keys = [line.split("`")[1] for line in plan("--print-config-docs").stdout.splitlines() if line.startswith("| `")]
        self.assertGreater(len(keys), 50)
        for key in keys:
            done = plan("--config", "5x5", *CARD, "--explain", key, "--json")
            self.assertEqual(done.returncode, 0, key + done.stderr)
            self.assertEqual(json.loads(done.stdout)["explanation"]["key"], key)

    def test_a_written_config_plans_the_same(self):
        for config in ("5x5", "hex5_small", "connect_four", "quick_demo"):
            for machine in (CARD, ("--ram", "8GiB", "--cores", "2")):
                with tempfile.TemporaryDirectory() as folder:
                    tuned = os.path.join(folder, "tuned.yaml")
                    first = plan("--config", config, *machine, "--json", "--write", tuned)
                    self.assertEqual(first.returncode, 0, first.stderr)
                    again = plan("--config", tuned, *machine, "--json")
                    self.assertEqual(again.returncode, 0, again.stderr)
                    self.assertEqual(json.loads(again.stdout)["plan"], json.loads(first.stdout)["plan"])
                    with open(tuned) as file:
                        self.assertEqual("SIMULATED" in file.read(), "--simulate" in machine)

    def test_a_written_config_leaves_training_on_the_processor_open(self):
        card = ("--simulate", "2GiB", "--ram", "12GiB", "--cores", "8")
        large = ("--set", "net.num_filters=512", "--set", "net.num_res_blocks=20")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tuned.yaml")
            first = plan("--config", "5x5", *card, *large, "--write", path)
            self.assertIn("training on the processor", first.stdout, first.stderr)
            with open(path) as file:
                text = file.read()
            self.assertIn("# training is on the processor", text)
            self.assertIn("accumulate_grad_batches: auto", text)
            again = plan("--config", path, *card)
            learner = [line for line in first.stdout.splitlines() if line.startswith("        learner")]
            self.assertEqual(len(learner), 1)
            self.assertIn(learner[0], again.stdout, again.stderr)
            self.assertNotIn("written in the config were changed", again.stdout)

    def test_overwrites_only_what_it_wrote(self):
        with tempfile.TemporaryDirectory() as folder:
            mine = os.path.join(folder, "mine.yaml")
            with open(mine, "w") as file:
                file.write("game: {name: hex}\n")
            self.refused(2, "did not write it", "--config", "5x5", *CARD, "--write", mine)
            tuned = os.path.join(folder, "tuned.yaml")
            for _ in range(2):
                self.assertEqual(plan("--config", "5x5", *CARD, "--write", tuned).returncode, 0)

    def test_the_small_profiles_fit_small_machines(self):
        for config, machines in (("memory_optimized", (("--simulate", "4GiB", "--ram", "4GiB"), ("--ram", "2GiB"))),
                                 ("low_memory", (("--simulate", "2GiB", "--ram", "2GiB"), ("--ram", "1GiB")))):
            for machine in machines:
                done = plan("--config", config, *machine, "--cores", "4", "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                data = json.loads(done.stdout)
                self.assertEqual(data["plan"]["micro_batch"] * data["plan"]["learner_shards"]
                                 * data["plan"]["accumulate_grad_batches"],
                                 512 if config == "memory_optimized" else 256)

    def test_every_size_of_the_cards_table_is_labelled(self):
        rows = plan("--cards").stdout.splitlines()[2:]
        self.assertGreater(len(rows), 30)
        for row in rows:
            for cell in row.split("|")[-4:-1]:
                self.assertRegex(cell.strip(), r"^(\d+ a|\d+ % a|-)$", row)

    def test_the_basis_of_the_comparison_is_the_same_in_text_and_json(self):
        request = ("--config", "5x5", "--simulate", "12GiB", "--ram", "8GiB", "--cores", "4", "--compare", "per_worker")
        self.assertIn("All of it assumed", plan(*request).stdout)
        text = plan(*request, "--json").stdout
        data = json.loads(text)
        phases = next(value["phases"] for value in data.values() if isinstance(value, dict)
                      and "most_workers_by_host_memory" in value)
        self.assertEqual({phase["basis"] for phase in phases}, {"assumed"})

    def test_the_cards_table_is_the_same_everywhere(self):
        first = plan("--cards", "--cores", "1")
        self.assertEqual(first.stdout, plan("--cards").stdout)
        self.assertEqual(len(first.stdout.splitlines()), 2 + 5 * 7)

    def test_answers_in_under_a_second(self):
        start = time.monotonic()
        plan("--config", "5x5", *CARD, "--sweep", "num_workers", "--explain", "num_workers")
        self.assertLess(time.monotonic() - start, 1.0)

    def test_usage_errors_end_with_2(self):
        self.refused(2, "--config is missing")
        self.refused(2, "5x5.yaml, breakthrough5.yaml, connect_four.yaml", "--config", "6x6")
        self.refused(2, "search.vists", "--config", "5x5", "--set", "search.vists=3")
        self.refused(2, "out of range [1, 1000000]", "--config", "5x5", "--set", "search.visits=0")
        self.refused(2, "neither a size", "--config", "5x5", "--simulate", "abc")
        self.refused(2, "rtx4070-12GB, ", "--config", "5x5", "--simulate", "rtx4071-12GB")
        self.refused(2, "no card 'rtx4071'", "--config", "5x5", "--simulate", "12GiB:rtx4071")
        self.refused(2, "negative", "--config", "5x5", "--budget", "-1GiB")
        self.refused(2, "has no unit", "--config", "5x5", "--budget", "4096")
        self.refused(2, "out of range [1%, 100%]", "--config", "5x5", "--budget", "120%")
        self.refused(2, "--budget: memory.vram_budget = 13 GiB is more than the", "--config", "5x5", *CARD, "--budget", "13GiB")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "large.yaml")
            with open(path, "w") as file:
                file.write("game: {name: hex, board_size: 5}\nmemory:\n  vram_budget: 13GiB\n")
            self.refused(2, f"{path}:3: memory.vram_budget = 13 GiB is more than the", "--config", path, *CARD)
        self.refused(2, "--ram: ", "--config", "5x5", "--ram", "-1GiB")
        self.refused(2, "did you mean num_workers?", "--config", "5x5", "--explain", "num_worker")
        self.refused(2, "only num_workers", "--config", "5x5", "--sweep", "slots")
        self.refused(2, "only per_worker", "--config", "5x5", "--compare", "nothing")
        self.refused(2, "no config 'configs'", "--config", "configs")
        self.refused(2, "has no unit", "--config", "5x5", "--ram", "4096")
        self.refused(2, "is more than the", "--config", "5x5", "--ram", "4GiB", "--budget", "5GiB")
        for flag in ("--print-config", "--print-config-docs", "--cards"):
            self.refused(2, f"--json excludes {flag}\n", "--config", "5x5", flag, "--json")
        self.assertEqual(plan("--nonsense").returncode, 2)
        self.assertEqual(plan("--help").returncode, 0)

    def test_an_environment_that_cannot_do_ends_with_3(self):
        self.refused(3, "the least that would do is", "--config", "5x5", "--ram", "100MiB")
        self.refused(3, "set engine.device: cpu", "--config", "5x5", "--set", "engine.device=cuda:0")

    def test_the_least_that_would_do_does(self):
        message = plan("--config", "5x5", "--ram", "100MiB", "--cores", "2").stderr
        least = message.split("the least that would do is ")[1].split(" (free")[0]
        done = plan("--config", "5x5", "--ram", "8GiB", "--budget", least, "--cores", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        available = message.split("until ")[1].split(" are available")[0].replace(" ", "")
        done = plan("--config", "5x5", "--ram", available, "--cores", "2")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
