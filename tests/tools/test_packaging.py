# SPDX-License-Identifier: Apache-2.0
"""What is stated in more than one place is stated alike: the version, torch, the entry point."""

import re
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def first(pattern: str, file: str) -> str:
    found = re.search(pattern, (ROOT / file).read_text(), re.M)
    assert found, f"{file} lacks {pattern}"
    return found[1]


def test_the_version_is_the_same_everywhere():
    version = PROJECT["project"]["version"]
    assert first(r"^project\(torchtitan_npu VERSION ([\d.]+)", "CMakeLists.txt") == version
    assert first(r'^__version__ = "([^"]+)"', "torchtitan_npu/__init__.py") == version
    assert first(r"^## (\S+)", "CHANGELOG.md") == version


def test_torch_is_the_same_for_wheels_and_for_the_source_tree():
    (pinned,) = (r for r in PROJECT["build-system"]["requires"] if r.startswith("torch"))
    assert first(r"^(torch==\S+)$", "requirements/build.txt") == pinned
    minor = first(r"^torch==(\d+\.\d+)", "requirements/build.txt")
    assert PROJECT["project"]["dependencies"] == [f"torch>={minor}.0,<2.{int(minor[2:]) + 1}"]


def test_torch_finds_the_autoload_hook():
    hooks = {hook.name: hook for hook in entry_points(group="torch.backends")}
    assert callable(hooks["torchtitan_npu"].load())


def test_python_is_the_same_everywhere():
    wanted = PROJECT["project"]["requires-python"].removeprefix(">=")
    checked = re.sub(r",\s*", ".", first(r"^MINIMUM_PYTHON = \((.+)\)", "tools/check_machine.py"))
    assert checked == wanted
    assert PROJECT["tool"]["ruff"]["target-version"] == "py" + wanted.replace(".", "")
