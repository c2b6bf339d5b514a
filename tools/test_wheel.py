# SPDX-License-Identifier: Apache-2.0
"""Installs a wheel into an empty folder and uses it from there: usage: test_wheel.py WHEEL"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PROGRAM = """
import sys
from importlib.machinery import PathFinder

sys.meta_path.insert(0, PathFinder)  # before the import hook of an editable install
import torch
assert torch.npu.is_available(), "the autoload entry point did not register npu"
import torchtitan_npu
assert torchtitan_npu.__file__.startswith({folder!r}), torchtitan_npu.__file__
a = torch.arange(6.0).reshape(2, 3)
b = torch.ones(3, 2)
assert torch.equal((a.npu() @ b.npu()).cpu(), a @ b)
print("wheel works on", torch.npu.get_device_name())
"""
NEEDED = ("torchtitan_npu/cann/lib64/libsoftnpu.so", "torchtitan_npu/cann/set_env.sh")
UNWANTED = (".h", ".cpp", ".inc", ".a")


def contents(wheel: Path) -> list[str]:
    """What is wrong with the list of files."""
    names = zipfile.ZipFile(wheel).namelist()
    wrong = [f"lacks {name}" for name in NEEDED if name not in names]
    wrong += [f"holds {name}" for name in names if name.endswith(UNWANTED)]
    tops = {name.split("/", 1)[0] for name in names}
    wrong += [f"holds {top}/" for top in tops if not top.startswith("torchtitan_npu")]
    return wrong


def main(wheel: str) -> int:
    if wrong := contents(Path(wheel)):
        print(*(f"{wheel} {what}" for what in wrong), sep="\n", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--target", folder]
        subprocess.run([*pip, wheel], check=True)
        program = PROGRAM.format(folder=folder)
        env = os.environ | {"PYTHONPATH": folder}
        return subprocess.run([sys.executable, "-c", program], cwd=folder, env=env).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
