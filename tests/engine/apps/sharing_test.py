#!/usr/bin/env python3
"""Which processes a run has: one device process and workers that outlive every phase, or, with memory.model_sharing:
per_worker, the usual design as a baseline: a device process for every worker.

usage: sharing_test.py BIN_DIR [unittest arguments]
"""
import os
import signal

import az_runs as runs

PER_WORKER = ["--set", "memory.model_sharing=per_worker"]
MANY = [*PER_WORKER, "--set", "self_play.games_per_iteration=1000"]


class Processes(runs.RunCase):
    def pids(self, program):
        return sorted(pid for pid, name in runs.processes_of(self.run_dir) if name == program)


class Shared(Processes):
    def test_workers_and_the_device_process_outlive_the_phases(self):
        process = self.start(*runs.ENDLESS)
        self.wait_for_phase()
        seen = lambda: (self.pids("az_worker"), self.pids("az_device"))
        runs.wait_until(lambda: [len(pids) for pids in seen()] == [2, 1], "two workers, one device process")
        first = seen()
        for iteration, phase in ((0, "train"), (1, "self_play"), (2, "self_play")):  # an arena lies between
            self.wait_for_phase(iteration=iteration, phase=phase)
            self.assertEqual(seen(), first, (iteration, phase))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), 128 + signal.SIGINT, self.output())


class PerWorker(Processes):
    def devices(self):
        return self.pids("az_device")

    def test_a_run_ends_with_its_games(self):
        self.completes(*PER_WORKER)

    def test_every_worker_has_a_device_process_that_may_die(self):
        process = self.start(*MANY)
        self.wait_for_phase()
        # Two workers: a device process each, and the one that trains.
        runs.wait_until(lambda: len(self.devices()) == 3, "three device processes")
        victims = self.devices()
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        runs.wait_until(lambda: len(self.devices()) == 3 and not set(victims) & set(self.devices()),
                        "three new device processes")
        self.assertEqual(process.wait(timeout=runs.LIMIT_S), runs.OK, self.output())
        self.assertEqual(runs.inspect(self.run_dir)["self_play_games"][:2], [1000, 1000])

    def test_the_design_may_change_from_one_start_to_the_next(self):
        process = self.start(*MANY)
        self.wait_for_phase()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=runs.LIMIT_S)
        self.completes("--set", "self_play.games_per_iteration=1000", games=[1000, 1000])


if __name__ == "__main__":
    runs.main()
