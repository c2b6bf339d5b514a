# SPDX-License-Identifier: Apache-2.0
"""A long training run: device memory and process memory stay flat once it has settled."""

import argparse
import os
from pathlib import Path

import torch

from bench.models import MODELS
from bench.result import Result
from bench.train import step_of

SETTLED, EVERY, BATCH = 50, 50, 16
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def run(options: argparse.Namespace) -> Result:
    torch.manual_seed(0)
    device = torch.get_device_module(options.device)
    model = MODELS["simple_cnn"]
    step = step_of(model, model.make(0.5), model.batch(BATCH), options.device)
    samples = []
    for number in range(1, options.leak_steps + 1):
        step()
        if number % EVERY == 0:
            device.synchronize()
            samples.append((device.memory_allocated(), device.memory_reserved(), resident_bytes()))
    settled = samples[SETTLED // EVERY - 1]
    # The highest later sample, not the last: a leak that is freed at the end still counts.
    later = samples[SETTLED // EVERY - 1 :]
    growth = [max(sample[i] for sample in later) - settled[i] for i in range(len(settled))]
    print(
        f"{options.leak_steps} steps; growth since step {SETTLED}: device memory allocated "
        f"{growth[0]} and reserved {growth[1]} bytes, process {growth[2] / 2**20:.1f} MiB"
    )
    figures = {
        "allocated device memory growth, bytes": growth[0],
        "reserved device memory growth, bytes": growth[1],
        "process memory growth, MiB": growth[2] / 2**20,
    }
    return Result(figures, {"every": EVERY, "allocated, reserved, resident": samples})
