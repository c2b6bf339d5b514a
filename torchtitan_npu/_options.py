# SPDX-License-Identifier: Apache-2.0
"""Every environment variable that the adapter reads, once, at import. See docs/options.md."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_PACKAGE = Path(__file__).parent
FALLBACK_MODES = ("error", "warn", "silent")


@dataclass(frozen=True)
class Options:
    """What the C++ side gets; see csrc/core/options.h."""

    cann: str  # TORCHTITAN_NPU_CANN
    bundled_cann: str
    ascend_home: str  # ASCEND_HOME_PATH
    allocator: str  # PYTORCH_NPU_ALLOC_CONF
    fallback: str  # TORCHTITAN_NPU_FALLBACK
    launch_blocking: bool  # ASCEND_LAUNCH_BLOCKING
    compact_errors: bool  # TORCH_NPU_COMPACT_ERROR_OUTPUT, or a REPL
    rank: int  # RANK
    problem: str


def _bundled_cann() -> str:
    folder = _PACKAGE / "cann"
    return str(folder) if (folder / "lib64" / "libascendcl.so").exists() else ""


def _is_repl() -> bool:
    return hasattr(sys, "ps1") or bool(sys.flags.interactive)


def read(environment: Mapping[str, str] = os.environ) -> Options:
    """The options of this process. A senseless value is kept in `problem`; it does not raise."""
    problems = []

    fallback = environment.get("TORCHTITAN_NPU_FALLBACK", "") or "error"
    if fallback not in FALLBACK_MODES:
        problems.append(
            f"TORCHTITAN_NPU_FALLBACK={fallback} is none of {', '.join(FALLBACK_MODES)}"
        )
        fallback = "error"
    rank = environment.get("RANK", "")
    return Options(
        cann=environment.get("TORCHTITAN_NPU_CANN", "") or "auto",
        bundled_cann=_bundled_cann(),
        ascend_home=environment.get("ASCEND_HOME_PATH", ""),
        allocator=environment.get("PYTORCH_NPU_ALLOC_CONF", ""),
        fallback=fallback,
        launch_blocking=environment.get("ASCEND_LAUNCH_BLOCKING", "") == "1",
        compact_errors=environment.get("TORCH_NPU_COMPACT_ERROR_OUTPUT", "") == "1" or _is_repl(),
        rank=int(rank) if rank.isdecimal() else -1,
        problem="; ".join(problems),
    )
