#!/usr/bin/env python3
"""A program linked as FindAzTorch says finds what the wheels' libraries open only when they need it.

usage: find_az_torch_test.py CMAKE CXX_COMPILER

NVRTC opens its builtins by their bare name and has no path of its own to them; Python's torch preloads them. Here a
made-up wheel of empty libraries stands for LibTorch, laid out and linked with each other as the real one, so that no
GPU, toolkit or download is needed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "LD_PRELOAD")}

# Names that no machine has among its system's libraries: those would be found whatever the paths are.
BUILTINS = "libaz_test_nvrtc_builtins.so.13"
NVRTC = "libaz_test_nvrtc.so.13"
OPENS = """
#include <dlfcn.h>
#include <cstdio>
extern "C" int {function}() {{
  void* library = dlopen("{library}", RTLD_NOW);
  if (library == nullptr) return std::puts(dlerror()), 1;
  return {then};
}}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(program LANGUAGES CXX)
set(AZ_CUDA ON)
list(APPEND CMAKE_MODULE_PATH {root}/cmake)
find_package(AzTorch REQUIRED)
add_executable(program main.cc)
target_link_libraries(program PRIVATE AzTorch::cuda)
"""
PROGRAM = 'extern "C" int compile_a_kernel();\nint main() { return compile_a_kernel(); }\n'


def run(*command, **arguments):
    done = subprocess.run([str(part) for part in command], env=ENVIRONMENT, capture_output=True, text=True, check=False,
                          **arguments)
    if done.returncode != 0:
        print(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def make_library(compiler, path, text="", rpath=None):
    """`rpath`: of the old kind (DT_RPATH), as the wheel's libraries have it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.parent / (path.name + ".cc")
    source.write_text(text)
    flags = [f"-Wl,-rpath,{rpath}", "-Wl,--disable-new-dtags"] if rpath else []
    run(compiler, "-shared", "-fPIC", source, "-o", path, f"-Wl,-soname,{path.name}", *flags)


def make_wheels(compiler, site):
    cuda = site / "nvidia/cu13"
    make_library(compiler, cuda / "lib" / BUILTINS)
    make_library(compiler, cuda / "lib" / NVRTC,
                 OPENS.format(function="nvrtc_compile", library=BUILTINS, then="0"))
    make_library(compiler, cuda / "lib/libcudart.so.13")
    for header in ("cuda_runtime_api.h", "crt/host_defines.h"):
        path = cuda / "include" / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    torch = site / "torch"
    for name in ("libc10.so", "libtorch_cuda.so", "libc10_cuda.so"):
        make_library(compiler, torch / "lib" / name)
    call = 'reinterpret_cast<int (*)()>(dlsym(library, "nvrtc_compile"))()'
    make_library(compiler, torch / "lib/libtorch_cpu.so",
                 OPENS.format(function="compile_a_kernel", library=NVRTC, then=call),
                 rpath="$ORIGIN/../../nvidia/cu13/lib:$ORIGIN")
    (torch / "include/torch/csrc/api/include").mkdir(parents=True)
    return torch


def main():
    cmake, compiler = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        torch = make_wheels(compiler, folder / "site")
        project = folder / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT))
        (project / "main.cc").write_text(PROGRAM)
        built = run(cmake, "-S", project, "-B", folder / "build", f"-DCMAKE_CXX_COMPILER={compiler}",
                    f"-DAZ_LIBTORCH={torch}")
        built = built.returncode == 0 and run(cmake, "--build", folder / "build").returncode == 0
        if not built or run(folder / "build/program").returncode != 0:
            print("see AzTorch::cuda in cmake/FindAzTorch.cmake")
            return 1
    print("a kernel that is compiled at run time finds its library and that library's own")
    return 0


if __name__ == "__main__":
    sys.exit(main())
