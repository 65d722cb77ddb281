#!/usr/bin/env python3
"""The CUDA sources of engine/net compile from what `./az setup` installs, on a machine without a GPU or a toolkit.

usage: cuda_sources_compile_test.py COMPILER LIBTORCH

Syntax only, with the project's warnings. /usr/local, where a toolkit would be, is not searched: what the wheels lack is
missed here, as it is on a machine without one.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
FLAGS = ["-std=c++20", "-fsyntax-only", "-DAZ_CUDA", "-Wall", "-Wextra", "-Wshadow", "-Wconversion",
         "-Wno-missing-field-initializers", "-Werror"]
SKIPPED = 77
# Further folders that a compiler would search, toolkits' among them.
SEARCH_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in SEARCH_VARIABLES} | {"LC_ALL": "C"}


def cuda_sources(cmake_lists):
    """What engine/net adds with AZ_CUDA: the second value of cuda_sources; the first is the build's without."""
    values = re.findall(r"set\(cuda_sources\s+([^)]*)\)", cmake_lists)
    return [name for name in values[1].split() if name.endswith(".cc")] if len(values) == 2 else []


def system_folders(compiler):
    """The folders that the compiler searches by itself, less those of what is installed by hand."""
    asked = subprocess.run([compiler, "-xc++", "-std=c++20", "-E", "-v", "/dev/null"], env=ENVIRONMENT,
                           capture_output=True, text=True, check=True).stderr
    listed = re.search(r"#include <\.\.\.> search starts here:\n(.*?)End of search list", asked, re.DOTALL).group(1)
    folders = [line.strip() for line in listed.splitlines()]
    return [name for name in folders if os.path.normpath(name) != "/usr/local/include"]


def compile_command(compiler, libtorch, source):
    system = [libtorch / "include", libtorch / "include/torch/csrc/api/include", cuda_headers(libtorch),
              *system_folders(compiler)]
    return [compiler, *FLAGS, "-nostdinc", "-nostdinc++", f"-I{ROOT}",
            *[argument for folder in system for argument in ("-isystem", str(folder))], str(source)]


def cuda_headers(libtorch):
    return libtorch.parent / "nvidia/cu13/include"


def reason_to_skip(libtorch):
    cuda = cuda_headers(libtorch)
    if not (cuda / "cuda_runtime_api.h").exists():
        return f"no CUDA headers in {cuda}"
    # Another's LibTorch need not have what builds with AZ_CUDA need; ours must.
    if not (cuda / "crt").exists() and ROOT / ".venv" not in libtorch.parents:
        return f"{cuda} has no crt/ and is not of ./az setup"
    return None


def main():
    compiler, libtorch = sys.argv[1], pathlib.Path(sys.argv[2]).absolute()
    if reason := reason_to_skip(libtorch):
        print(f"skipped: {reason}")
        return SKIPPED
    sources = cuda_sources((ROOT / "engine/net/CMakeLists.txt").read_text())
    faults = 0 if sources else 1
    if not sources:
        print("engine/net/CMakeLists.txt: no set(cuda_sources …) of an AZ_CUDA build was found")
    for name in sources:
        begin = time.monotonic()
        done = subprocess.run(compile_command(compiler, libtorch, ROOT / "engine/net" / name), env=ENVIRONMENT,
                              capture_output=True, text=True, check=False)
        print(f"{name}: {'compiles' if done.returncode == 0 else 'does not compile'} "
              f"({time.monotonic() - begin:.1f} s)", flush=True)
        if done.returncode != 0:
            faults += 1
            print(done.stderr[:4000])
            print("what its headers include must come with requirements/torch-cpu.txt and torch-cuda.txt")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
