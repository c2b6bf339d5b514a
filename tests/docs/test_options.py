# SPDX-License-Identifier: Apache-2.0
"""docs/options.md lists what the two option files read, and nothing else reads the environment."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAME = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*"
# Beside the option files, one place extends a search path of the system instead of reading options.
ELSEWHERE = {"torchtitan_npu/cann/__init__.py": {"LD_LIBRARY_PATH"}}


def documented(title: str) -> set[str]:
    """The names in the table under `## title`."""
    text = (ROOT / "docs/options.md").read_text()
    section = text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(rf"^\| `({NAME})` \|", section, re.M))


def read_by_softnpu() -> set[str]:
    text = (ROOT / "softnpu/base/options.cpp").read_text()
    return set(re.findall(rf'"({NAME})"', text))


def read_by_adapter() -> set[str]:
    text = (ROOT / "torchtitan_npu/_options.py").read_text()
    return set(re.findall(rf'environment(?:\.get\(|\[)"({NAME})"', text))


def test_the_software_npus_options_are_documented():
    assert read_by_softnpu() == documented("The software NPU")


def test_the_software_npus_header_names_its_options():
    header = (ROOT / "softnpu/base/options.h").read_text()
    assert set(re.findall(rf"\b({NAME}_{NAME})\b", header)) >= read_by_softnpu()


def test_the_adapters_options_are_documented():
    assert read_by_adapter() == documented("The adapter")


def test_every_documented_option_has_a_default_and_a_meaning():
    rows = [
        line for line in (ROOT / "docs/options.md").read_text().splitlines() if line[:3] == "| `"
    ]
    assert len(rows) >= 15
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        assert len(cells) == 3 and all(cells), row


READS = {
    ".py": re.compile(r"os\.environ|os\.getenv|environb"),
    ".cpp": re.compile(r"\bgetenv\b|\benviron\b"),
    ".h": re.compile(r"\bgetenv\s*\("),
}
OPTION_FILES = {"softnpu/base/options.cpp", "softnpu/base/options.h", "torchtitan_npu/_options.py"}


@pytest.mark.parametrize("half", ["softnpu", "torchtitan_npu"])
def test_only_the_option_files_read_the_environment(half):
    readers = {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for path in (ROOT / half).rglob("*")
        if path.suffix in READS and READS[path.suffix].search(path.read_text())
    }
    for name in readers.keys() - OPTION_FILES:
        read = re.findall(rf"environ(?:\.get\(|\[)['\"]({NAME})", readers[name])
        assert set(read) == ELSEWHERE.get(name), f"{name} reads the environment"
