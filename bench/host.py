# SPDX-License-Identifier: Apache-2.0
"""Host cost of an operator: our adapter and the official wheel, both on softnpu, in one run."""

import argparse
import json
import statistics
import sys
from pathlib import Path

from bench.result import Result
from tests.official_client import client

WORKER = str(Path(__file__).with_name("host_worker.py"))
OPERATORS = ("add_", "add", "mm")
OURS, OFFICIAL = "torchtitan_npu", "torch_npu"
QUEUES = {"": OFFICIAL, "0": f"{OFFICIAL}, queue 0", "2": f"{OFFICIAL}, queue 2"}


def contenders(options: argparse.Namespace) -> dict:
    """Name -> a call that runs the worker once; the official wheel in each mode of its queue."""
    from torchtitan_npu import cann

    official = options.official or client.python()

    def theirs(queue: str):
        variables = {"TASK_QUEUE_ENABLE": queue} if queue else {}
        arguments = [WORKER, OFFICIAL, "npu"]
        return lambda: client.run(arguments, interpreter=official, cann=cann.home(), **variables)

    def here(module: str, device: str):
        return lambda: client.run([WORKER, module, device], interpreter=sys.executable)

    return {
        "PyTorch CPU": here("-", "cpu"),
        OURS: here(OURS, "npu"),
        **{name: theirs(queue) for queue, name in QUEUES.items()},
    }


def measure(run) -> dict[str, float]:
    done = run()
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, done.args))}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def run(options: argparse.Namespace) -> Result:
    runs = contenders(options)
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in runs}
    for _ in range(options.host_rounds):
        for name, each in runs.items():
            rounds[name].append(measure(each))
    cost = {
        name: {op: statistics.median(each[op] for each in taken) for op in OPERATORS}
        for name, taken in rounds.items()
    }
    print(f"host time of an operator in us, median of {options.host_rounds} rounds")
    print(f"{'':20}" + "".join(f"{op:>8}" for op in OPERATORS))
    for name, each in cost.items():
        print(f"{name:20}" + "".join(f"{each[op] / 1e3:8.2f}" for op in OPERATORS))
    figures = {}
    for op in OPERATORS:
        figures[f"{op}: official over ours"] = cost[OFFICIAL][op] / cost[OURS][op]
        fastest = min(cost[name][op] for name in QUEUES.values())
        figures[f"{op}: fastest official mode over ours"] = fastest / cost[OURS][op]
    return Result(figures, {"nanoseconds": rounds})
