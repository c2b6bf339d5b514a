# SPDX-License-Identifier: Apache-2.0
"""Which way the operators of a model's training step go: NPU cores, AI CPU, or back to the CPU.

usage: python -m bench.routes [MODEL...]    every model of bench.models when none is named

Exits with 1 if an operator fell back to the CPU: then the table names it.
"""

import argparse
import collections
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.models import MODELS

LAUNCH = re.compile(r"aclnn\w+(?<!GetWorkspaceSize)$")
FELL_BACK = re.compile(r"operator (aten::\S+) (?:is not implemented|has no CANN)[^;]*; it runs on")

STEP = """
import sys
import torch
import torchtitan_npu
from bench.models import MODELS

model = MODELS[sys.argv[1]]
network = model.make(0.1).to("npu")
optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
inputs, targets = (t.to("npu") for t in model.batch(4))
loss = model.loss(network(inputs), targets)
loss.backward()
torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
optimizer.step()
loss.item()
"""


@dataclasses.dataclass(frozen=True)
class Routes:
    """Calls of one step, by name."""

    native: collections.Counter[str]  # aclnn functions on the NPU's cores
    ai_cpu: collections.Counter[str]  # ATen overloads on the AI CPU
    fell_back: list[str]  # ATen operators without a row


def routes(name: str) -> Routes:
    """Runs one training step of MODELS[name] in a process of its own and reads its trace."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        done = subprocess.run(
            [sys.executable, "-c", STEP, name],
            env=os.environ | {"SOFTNPU_TRACE": str(trace), "TORCHTITAN_NPU_FALLBACK": "warn"},
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise RuntimeError(f"the training step of {name} failed:\n{done.stderr}")
        lines = [json.loads(line) for line in trace.read_text().splitlines()]
    launched = collections.Counter(
        line["call"] for line in lines if LAUNCH.match(line.get("call", ""))
    )
    ai_cpu = collections.Counter(line["run"] for line in lines if line.get("unit") == "AI CPU")
    launched["(on the AI CPU)"] = -ai_cpu.total()
    return Routes(launched, ai_cpu, sorted(set(FELL_BACK.findall(done.stderr))))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.routes", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("--calls", action="store_true", help="name every aclnn function, too")
    options = parser.parse_args(arguments)
    unknown = set(options.models) - set(MODELS)
    if unknown:
        parser.error(f"no model {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    failed = False
    print(f"{'model':12}{'native calls':>14}{'AI CPU':>8}{'fell back':>11}")
    for name in options.models or MODELS:
        found = routes(name)
        failed |= bool(found.fell_back)
        print(
            f"{name:12}{found.native.total():14}{found.ai_cpu.total():8}{len(found.fell_back):11}",
            *(f"  AI CPU {op} x {n}" for op, n in found.ai_cpu.most_common()),
            *(f"  fell back {op}" for op in found.fell_back),
            *(f"  {op} x {n}" for op, n in found.native.most_common() if options.calls and n > 0),
            sep="\n",
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
