# SPDX-License-Identifier: Apache-2.0
"""An environment with the official, unmodified torch_npu wheel, and programs run in it on softnpu.

TORCHTITAN_NPU_OFFICIAL_ENV names an existing virtual environment; otherwise one is made once under
the user's cache folder from the two pinned packages.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

PACKAGES = ["torch==2.13.0", "torch-npu==2.13.0", "numpy", "pyyaml"]
SET_ENV = "set_env.sh"


def python() -> Path:
    """The interpreter of the official client's environment, made on first use."""
    given = os.environ.get("TORCHTITAN_NPU_OFFICIAL_ENV")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    tag = f"py{sys.version_info.major}.{sys.version_info.minor}"
    root = Path(given) if given else cache / "torchtitan-npu" / f"official-2.13.0-{tag}"
    interpreter = root / "bin" / "python"
    ready = root / "installed"
    if not given and not ready.exists():
        venv.create(root, with_pip=True, clear=True)
        subprocess.run([interpreter, "-m", "pip", "install", "-q", *PACKAGES], check=True)
        ready.touch()
    return interpreter


def run(
    arguments: list[str], *, interpreter: Path | str, cann: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs `interpreter arguments` in a clean environment.

    With `cann`, the shell sources that folder's set_env.sh first, as a user would.
    """
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ASCEND_", "SOFTNPU_"))}
    env.pop("PYTHONPATH", None)
    env.update(variables)
    command = [str(interpreter), *arguments]
    if cann is not None:
        command = ["bash", "-c", f'source "$0/{SET_ENV}" && exec "$@"', str(cann), *command]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
