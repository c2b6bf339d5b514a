# SPDX-License-Identifier: Apache-2.0
"""Checks what every text file of the repository must keep: usage: check_text.py FILE..."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

LARGEST = 256 * 1024
BINARY = {".png", ".npz", ".whl"}
SPDX = "SPDX-License-Identifier: Apache-2.0"
WITH_SPDX = {".h", ".cpp", ".inc", ".def", ".py", ".cmake", ".sh", ".toml", ".yaml"}
# Test data that stands as its source wrote it.
VERBATIM = re.compile(r"^tests/.*/data/")
CONFLICT = re.compile(r"^(<{7} |={7}$|>{7} )")
# A path of one machine says nothing on another.
MACHINE_PATH = re.compile(r"(?<![\w.])/(work|root|home/\w+)/")


def problems(name: str, data: bytes) -> Iterator[tuple[int, str]]:
    """Each breach in one file as (line, what is wrong)."""
    if len(data) > LARGEST:
        yield 1, f"{len(data)} bytes; the limit is {LARGEST}"
    if Path(name).suffix in BINARY:
        return
    lines = data.decode().split("\n")
    if data and not data.endswith(b"\n"):
        yield len(lines), "no newline at the end of the file"
    if data.endswith(b"\n\n"):
        yield len(lines) - 1, "blank line at the end of the file"
    if Path(name).suffix in WITH_SPDX and data and SPDX not in "\n".join(lines[:3]):
        yield 1, f"the first lines lack {SPDX}"
    for number, line in enumerate(lines, start=1):
        if line.rstrip() != line:
            yield number, "space at the end of the line"
        if CONFLICT.match(line):
            yield number, "a merge conflict mark"
        if MACHINE_PATH.search(line):
            yield number, "a path that exists on one machine only"


def main(names: list[str]) -> int:
    failed = False
    for name in names:
        if VERBATIM.match(name) or name == "LICENSE":
            continue
        for number, what in problems(name, Path(name).read_bytes()):
            failed = True
            print(f"{name}:{number}: {what}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
