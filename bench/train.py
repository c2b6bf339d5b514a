# SPDX-License-Identifier: Apache-2.0
"""Time of a training step on npu against PyTorch CPU's ways to run the same step."""

import argparse
import copy
from collections.abc import Callable

import torch

from bench.interleave import interleave, table
from bench.models import MODELS, Model
from bench.result import Result

BASELINE = "cpu eager"


def step_of(
    kind: Model,
    network: torch.nn.Module,
    batch: tuple[torch.Tensor, torch.Tensor],
    device: str,
    channels_last: bool = False,
    fused: bool = False,
) -> Callable[[], float]:
    """One Adam step that ends when its loss has reached the host."""
    network = copy.deepcopy(network).to(device)
    inputs, targets = batch[0].to(device), batch[1].to(device)
    if channels_last:
        network = network.to(memory_format=torch.channels_last)
        inputs = inputs.contiguous(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, fused=fused or None)

    def step() -> float:
        optimizer.zero_grad()
        loss = kind.loss(network(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def contenders_of(name: str, options: argparse.Namespace) -> dict[str, Callable[[], float]]:
    torch.manual_seed(0)
    kind = MODELS[name]
    network, batch = kind.make(0.5), kind.batch(options.batch_size)
    contenders = {
        BASELINE: step_of(kind, network, batch, "cpu"),
        "cpu fused Adam": step_of(kind, network, batch, "cpu", fused=True),
        f"{options.device} level 0": step_of(kind, network, batch, options.device),
    }
    if batch[0].dim() == 4:
        contenders["cpu channels_last"] = step_of(kind, network, batch, "cpu", True)
        contenders["cpu channels_last, fused Adam"] = step_of(
            kind, network, batch, "cpu", True, True
        )
    return contenders


def run(options: argparse.Namespace) -> Result:
    figures: dict[str, float] = {}
    details = {}
    for name in options.models:
        contenders = contenders_of(name, options)
        times = interleave(contenders, options.steps)
        print(f"{name}, batch {options.batch_size}, {options.steps} steps each")
        print(table(times, BASELINE))
        ours = times[f"{options.device} level 0"].median
        best = min(each.median for peer, each in times.items() if peer.startswith("cpu"))
        figures[f"{name}: npu level 0 over cpu eager"] = times[BASELINE].median / ours
        figures[f"{name}: npu level 0 over the best cpu"] = best / ours
        details[name] = {
            "batch_size": options.batch_size,
            "milliseconds": {peer: each.rounds for peer, each in times.items()},
        }
    return Result(figures, details)
