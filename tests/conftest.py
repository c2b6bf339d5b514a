# SPDX-License-Identifier: Apache-2.0
"""Fixtures for every Python test: fixed seeds, and programs run in a process of their own."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[1]
# At the end: a package built elsewhere (PYTHONPATH=<build>/python) comes before the sources.
sys.path.append(str(ROOT))

# Devices of their own: what other processes allocate meanwhile does not count. Before CANN starts.
_devices = tempfile.TemporaryDirectory(prefix="softnpu-test-")
os.environ["SOFTNPU_SHM"] = _devices.name

OURS = ("SOFTNPU_", "TORCHTITAN_NPU_", "ASCEND_", "HCCL_", "PYTORCH_NPU_")


@pytest.fixture(autouse=True)
def fixed_seed():
    torch.manual_seed(0)


@pytest.fixture
def run_python(tmp_path) -> Callable[..., subprocess.CompletedProcess]:
    """Runs `python *arguments` in a fresh folder, with none of our options set but those given.

    A string of code is one argument: `run_python("-c", code, SOFTNPU_DEVICES="2")`. A PYTHONPATH
    comes before the one that is set.
    """

    def run(*arguments: str, timeout: float = 120, **variables: str):
        env = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        env["SOFTNPU_SHM"] = _devices.name
        paths = [variables.get("PYTHONPATH"), env.get("PYTHONPATH")]
        if any(paths):
            variables["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        return subprocess.run(
            [sys.executable, *arguments],
            env=env | variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    return run


@pytest.fixture
def run_code(run_python) -> Callable[..., str]:
    """Runs code that must succeed and gives what it printed."""

    def run(code: str, **options) -> str:
        done = run_python("-c", code, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
