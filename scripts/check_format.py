#!/usr/bin/env python3
"""Checks that clang-format would change nothing. Without clang-format 14 it says so and passes, unless
AZ_REQUIRE_CLANG_FORMAT=1: other versions format otherwise."""

import os
import shutil
import subprocess
import sys

from source_files import ROOT, source_files

VERSION = "14."


def formatter():
    for name in ("clang-format-14", "clang-format"):
        if not shutil.which(name):
            continue
        told = subprocess.run([name, "--version"], capture_output=True, text=True, check=True).stdout
        if f"version {VERSION}" in told:
            return name
    return None


def main():
    name = formatter()
    if name is None:
        print(f"check_format: no clang-format {VERSION}x here (apt-get install clang-format-14): not checked")
        return 1 if os.environ.get("AZ_REQUIRE_CLANG_FORMAT") else 0
    checked = [str(path) for path in source_files()]
    done = subprocess.run([name, "--dry-run", "-Werror", *checked], cwd=ROOT, check=False)
    if done.returncode != 0:
        print(f"check_format: run {name} -i on the files above")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
