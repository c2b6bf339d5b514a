# SPDX-License-Identifier: Apache-2.0
"""Holds every #include to the rule of who may include whom, and every room to its own libraries.

usage: check_layers.py [root]    prints each breach as file:line, exits 1 if there is one
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# A room is a folder (or one file); it may include itself and what stands here. "include" is the
# contract; the other words outside folders are the foreign libraries of FOREIGN below.
ROOMS: dict[str, set[str]] = {
    "include": set(),
    # the NPU in software
    "softnpu/base": {"include"},
    "softnpu/runtime": {"include", "softnpu/base"},
    "softnpu/davinci": {"include", "softnpu/base"},
    "softnpu/ge": {"include", "softnpu/base", "softnpu/runtime", "softnpu/davinci"},
    "softnpu/acl": {"include", "softnpu/base", "softnpu/runtime"},
    "softnpu/aol": {
        "include",
        "softnpu/base",
        "softnpu/ge",
        "softnpu/runtime",
        "softnpu/davinci",
    },
    "softnpu/hccl": {"include", "softnpu/base", "softnpu/runtime", "softnpu/davinci"},
    "softnpu/smi": {"include", "softnpu/base", "softnpu/runtime"},
    "softnpu/aicpu": {"include", "softnpu/base", "softnpu/aol", "torch"},
    "softnpu/cann": {"include", "softnpu/base"},
    # the adapter: it knows the contract and torch, never softnpu
    "torchtitan_npu/csrc/core": {"include", "torch"},
    "torchtitan_npu/csrc/aten": {"include", "torch", "torchtitan_npu/csrc/core"},
    "torchtitan_npu/csrc/distributed": {"include", "torch", "torchtitan_npu/csrc/core"},
    "torchtitan_npu/csrc/profiler": {"include", "torch", "torchtitan_npu/csrc/core"},
    "torchtitan_npu/csrc/bindings": {
        "include",
        "torch",
        "python",
        "torchtitan_npu/csrc/core",
        "torchtitan_npu/csrc/aten",
        "torchtitan_npu/csrc/distributed",
        "torchtitan_npu/csrc/profiler",
    },
}

# Libraries that only some rooms may see; whatever reaches the interpreter counts as Python.
FOREIGN = {
    "python": re.compile(r"^(Python\.h|pybind11/|torch/extension\.h|torch/csrc/utils/pybind\.h)"),
    "torch": re.compile(r"^(ATen|c10|caffe2|torch)/"),
}

CONTRACT_FOLDER = re.compile(r"^(acl|aclnn|aclnnop|hccl)/|^softnpu\.h$")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SOURCES = {".h", ".hpp", ".cpp", ".cc", ".inc", ".def", ".c"}
# An adapter that reaches for softnpu by any other road (a path, a build rule) breaks the contract
# just as well. include/softnpu.h, our few extensions, is part of the contract.
SOFTNPU_PATH = re.compile(r"softnpu/\w")


def room_of(path: str) -> str | None:
    """The room a file of the repository belongs to: the longest one its path starts with."""
    matches = [room for room in ROOMS if path.startswith((room + "/", room + "."))]
    return max(matches, key=len, default=None)


def target_of(included: str) -> str | None:
    """What an include asks for: a room, a foreign library, or None for the standard library."""
    if room := room_of(included):
        return room
    if CONTRACT_FOLDER.match(included):
        return "include"
    if included.startswith(("softnpu/", "torchtitan_npu/")):
        return included.rsplit("/", 1)[0]  # a folder that is no room: never allowed
    return next((name for name, form in FOREIGN.items() if form.match(included)), None)


def sources(root: Path) -> Iterator[tuple[str, Path]]:
    for top in ("include", "softnpu", "torchtitan_npu/csrc"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                yield path.relative_to(root).as_posix(), path


def breaches(root: Path) -> Iterator[str]:
    """Each line of the tree that breaks a rule, as `file:line: what is wrong`."""
    for name, path in sources(root):
        room = room_of(name)
        if room is None:
            yield f"{name}:1: belongs to no room; add one to tools/check_layers.py or move the file"
            continue
        allowed = ROOMS[room] | {room}
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if found := INCLUDE.match(line):
                target = target_of(found[1])
                if target is not None and target not in allowed:
                    yield f"{name}:{number}: {room} may not include {found[1]} ({target})"
            elif name.startswith("torchtitan_npu/") and SOFTNPU_PATH.search(line):
                yield f"{name}:{number}: the adapter names a path into softnpu/"


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    files = sum(1 for _ in sources(root))
    if files == 0:
        print(f"{root}: no C++ sources found", file=sys.stderr)
        return 1
    found = list(breaches(root))
    print(*found, sep="\n" if found else "")
    print(f"check_layers: {files} files, {len(found)} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
