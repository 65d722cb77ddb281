#!/usr/bin/env python3
"""Checks every include: only downwards in docs/layers.txt, and third-party headers only where they belong."""

import re
import sys

from source_files import ROOT, source_files

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
# Library: how its headers begin, and the folders that may see them. Tests and benchmarks of a folder may too.
LIBRARIES = {
    "LibTorch": (("torch/", "ATen/", "c10/"), ("engine/net", "engine/train")),
    "CUDA": (("cuda", "cudnn", "nvml"), ("engine/net",)),
    "Boost": (("boost/",), ("engine/ipc",)),
    "yaml-cpp": (("yaml-cpp/",), ("engine/config",)),
    "TBB": (("tbb/", "oneapi/"), ("engine/data",)),
    "nlohmann json": (("nlohmann/",), ("engine",)),
    "CLI11": (("CLI/",), ("engine/apps",)),
}
FREE = ("tests", "bench")  # may include any layer


def read_layers():
    lines = (ROOT / "docs/layers.txt").read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def layer_of(path, layers):
    """The innermost listed folder that holds the file, or None."""
    folder = path.rsplit("/", 1)[0]
    found = [layer for layer in layers if folder == layer or folder.startswith(layer + "/")]
    return max(found, key=len) if found else None


def fault_of(path, quoted, angled, layers):
    if angled:
        for name, (starts, homes) in LIBRARIES.items():
            if not angled.startswith(starts) or path.startswith(FREE):
                continue
            if not path.startswith(tuple(home + "/" for home in homes)):
                return f"<{angled}>: {name} is only for {', '.join(homes)}"
            if name == "nlohmann json" and path.endswith(".h"):
                return f"<{angled}>: keep it out of headers"
        return None
    if not (ROOT / quoted).is_file():
        return f'"{quoted}": no such file (paths start at the root of the repository)'
    if path.startswith(FREE):
        return None
    own, other = layer_of(path, layers), layer_of(quoted, layers)
    if own is None:
        return "its folder is not in docs/layers.txt"
    if other is None:
        return f'"{quoted}": its folder is not in docs/layers.txt'
    if other == "engine/apps" and own != other:
        return f'"{quoted}": nothing includes a program'
    if layers.index(other) > layers.index(own):
        return f'"{quoted}": {own} comes before {other} in docs/layers.txt'
    return None


def main():
    layers = read_layers()
    faults = []
    for path in source_files():
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            fault = fault_of(path.as_posix(), match.group(1), match.group(2), layers)
            if fault:
                faults.append(f"{path}:{number}: {fault}")
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    print(f"check_layers: {len(faults)} fault(s)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
