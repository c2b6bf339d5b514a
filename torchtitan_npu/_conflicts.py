# SPDX-License-Identifier: Apache-2.0
"""Other software that claims our names: the official torch_npu wheel and a torchtitan plugin."""

import sys
from importlib.machinery import PathFinder
from pathlib import Path

_PACKAGE = Path(__file__).parent
# Only the torchtitan plugin called torchtitan-npu has these in a folder torchtitan_npu/.
_PLUGIN_FILES = ("entry.py", "patches", "converters", "models")


def official_wheel() -> str | None:
    """Where the official torch_npu is installed, or None. Ours stays out of its way."""
    try:
        spec = PathFinder.find_spec("torch_npu")
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    found = Path(spec.origin).parent
    return None if _PACKAGE in found.parents else str(found)


def official_wheel_text(folder: str) -> str:
    """What to tell somebody who uses our npu beside the official wheel."""
    return (
        f"torchtitan_npu did not register its npu backend: the official torch_npu in {folder} "
        "registers one, and PyTorch has room for one only. Use torch_npu, or uninstall it "
        "(pip uninstall torch-npu) to use torchtitan_npu."
    )


def foreign_plugin() -> str | None:
    """What is wrong when another project's files lie among ours, or None."""
    found = [name for name in _PLUGIN_FILES if (_PACKAGE / name).exists()]
    if not found:
        return None
    return (
        f"{_PACKAGE} holds files of the torchtitan plugin that is also called torchtitan-npu "
        f"({', '.join(found)}). The two projects are unrelated and cannot share a folder: run "
        "`pip uninstall torchtitan-npu` until it finds nothing, remove the folder, and install "
        "the one that you want."
    )


def forget_mixed_installation() -> None:
    """Lets `import torchtitan_npu` run again and fail by name, though `import torch` must not fail.

    Only after PyTorch imported us; a program that imports us first gets the failure anyway.
    """
    ours = sys.modules["torchtitan_npu"].__spec__
    if getattr(ours, "_initializing", False) or foreign_plugin() is None:
        return
    for name in [name for name in sys.modules if name.split(".")[0] == "torchtitan_npu"]:
        del sys.modules[name]
