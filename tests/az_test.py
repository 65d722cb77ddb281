#!/usr/bin/env python3
"""What ./az says of LibTorch's flavour, in a copy of the repository where everything is set up already."""
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Flavour(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="az_test_"))
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copy(ROOT / "az", self.root / "az")
        (self.root / "requirements").mkdir()
        (self.root / "requirements/apt.txt").write_text("")
        for name in (".venv", "bin"):
            (self.root / name).mkdir()
        for flavour in ("cpu", "cuda"):
            wanted = self.root / f"requirements/torch-{flavour}.txt"
            wanted.write_text("torch\n")
            checksum = subprocess.run(["cksum"], input=wanted.read_bytes(), capture_output=True, check=True).stdout.decode()
            (self.root / f".venv/az-setup-{flavour}-{checksum.replace(' ', '-').replace(chr(10), '')}").touch()

    def setup_says(self, flavour, driver):
        (self.root / ".venv/az-flavour").write_text(flavour + "\n")
        tool = self.root / "bin/nvidia-smi"
        tool.unlink(missing_ok=True)
        if driver:
            tool.write_text("#!/bin/sh\n")
            tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AZ_")}
        environment["PATH"] = f"{self.root / 'bin'}:{environment['PATH']}"
        done = subprocess.run([self.root / "az", "setup"], env=environment, capture_output=True, text=True,
                              timeout=30, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_a_gpu_that_is_not_used_is_told(self):
        self.assertIn("./az setup --cuda", self.setup_says("cpu", driver=True))

    def test_a_gpu_that_is_used_is_nothing_to_tell(self):
        self.assertEqual(self.setup_says("cuda", driver=True), "")

    def test_without_a_driver_there_is_nothing_to_tell(self):
        if os.path.exists("/proc/driver/nvidia/version") or shutil.which("nvidia-smi"):
            self.skipTest("this machine has an NVIDIA driver")
        self.assertEqual(self.setup_says("cpu", driver=False), "")


if __name__ == "__main__":
    unittest.main()
