# SPDX-License-Identifier: Apache-2.0
"""What a bench gives back, how it is kept as JSON, and how targets.toml judges it."""

import dataclasses
import datetime
import json
import os
import platform
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

TARGETS = Path(__file__).with_name("targets.toml")
INSTRUCTION_SETS = ("avx2", "avx512f", "avx512_bf16", "amx_bf16", "asimd", "sve")


@dataclasses.dataclass
class Result:
    """Figures are numbers with a name that targets.toml may bound; details are for the reader."""

    figures: dict[str, float]
    details: dict[str, Any] = dataclasses.field(default_factory=dict)


def machine() -> dict[str, Any]:
    """The processor and the software that a figure belongs to."""
    info: dict[str, str] = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        info.setdefault(name.strip(), value.strip())
    flags = set(info.get("flags", info.get("Features", "")).split())
    return {
        "cpu": info.get("model name", platform.machine()),
        "cores": len(os.sched_getaffinity(0)),
        "instruction_sets": [name for name in INSTRUCTION_SETS if name in flags],
        "softnpu_isa": os.environ.get("SOFTNPU_ISA", "the best that the processor has"),
        "torch": torch.__version__,
        "torch_threads": torch.get_num_threads(),
        "torch_capability": torch.backends.cpu.get_cpu_capability(),
    }


def save(name: str, result: Result, folder: Path) -> Path:
    """Writes one bench's result as JSON into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    record = {"bench": name, "time": now, "machine": machine(), **dataclasses.asdict(result)}
    path.write_text(json.dumps(record, indent=1) + "\n")
    return path


def judge(name: str, figures: dict[str, float], targets: Path = TARGETS) -> Iterator[str]:
    """Each target of this bench that the figures miss, or that has no figure, as a sentence."""
    for figure, bounds in tomllib.loads(targets.read_text()).get(name, {}).items():
        value = figures.get(figure)
        if value is None:
            yield f"{name}: no figure named {figure}"
            continue
        # Written so that NaN misses every bound.
        if "at_least" in bounds and not value >= bounds["at_least"]:
            yield f"{name}: {figure} is {value:.4g}, at least {bounds['at_least']:g} is wanted"
        if "at_most" in bounds and not value <= bounds["at_most"]:
            yield f"{name}: {figure} is {value:.4g}, at most {bounds['at_most']:g} is wanted"
