# SPDX-License-Identifier: Apache-2.0
"""Time of a training step on npu against PyTorch CPU's ways to run the same step."""

import argparse
import copy
from collections.abc import Callable

import torch

from bench.interleave import interleave, table
from bench.models import MODELS
from bench.result import Result

BASELINE = "cpu eager"


def step_of(
    model: torch.nn.Module,
    batch: tuple[torch.Tensor, torch.Tensor],
    device: str,
    channels_last: bool = False,
    fused: bool = False,
) -> Callable[[], float]:
    """One Adam step that ends when its loss has reached the host."""
    layout = torch.channels_last if channels_last else torch.contiguous_format
    model = copy.deepcopy(model).to(device).to(memory_format=layout)
    images, labels = batch[0].to(device).contiguous(memory_format=layout), batch[1].to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=fused or None)

    def step() -> float:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def run(options: argparse.Namespace) -> Result:
    figures: dict[str, float] = {}
    details = {}
    for name in options.models:
        torch.manual_seed(0)
        model, batch = MODELS[name].make(0.5), MODELS[name].batch(options.batch_size)
        contenders = {
            BASELINE: step_of(model, batch, "cpu"),
            "cpu channels_last": step_of(model, batch, "cpu", channels_last=True),
            "cpu channels_last, fused Adam": step_of(model, batch, "cpu", True, True),
            f"{options.device} level 0": step_of(model, batch, options.device),
        }
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
