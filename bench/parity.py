# SPDX-License-Identifier: Apache-2.0
"""How far training on npu is from the same training in float64 on the CPU.

Without dropout and with SGD, from the same weights and in the same order: the loss of each step,
and the gradient of every parameter from the same state. PyTorch CPU's two layouts are the measure.

The flat background of the digits makes ties in max pooling, and whichever way rounding breaks one
moves the gradient by a thousandth, far more than arithmetic does. So gradients are compared twice:
on the digits as they are, by the worst distance; and with noise on the images, by the median
distance over several batches, which tells how exact the arithmetic is.
"""

import argparse
import copy
import statistics
from collections.abc import Callable

import torch

from bench.digits import digits
from bench.models.simple_cnn import SimpleCNN
from bench.result import Result

STEPS, BATCH, RATE = 20, 128, 0.01
NOISE, NOISY_BATCHES = 0.1, 5
CPU_LAYOUTS = ("cpu contiguous", "cpu channels_last")


class Runner:
    """One way to run the model: where, how precise, in which layout."""

    def __init__(self, device: str, dtype=torch.float32, layout=torch.contiguous_format):
        self.device, self.dtype, self.layout = device, dtype, layout

    def place(self, model: torch.nn.Module) -> torch.nn.Module:
        model = copy.deepcopy(model).to(self.device, self.dtype)
        return model.to(memory_format=self.layout)

    def loss(self, model, images, labels) -> torch.Tensor:
        images = images.to(self.device, self.dtype).contiguous(memory_format=self.layout)
        return torch.nn.functional.cross_entropy(model(images), labels.to(self.device))

    def losses(self, model, batches) -> tuple[list[float], torch.nn.Module]:
        model = self.place(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
        taken = []
        for images, labels in batches:
            optimizer.zero_grad()
            loss = self.loss(model, images, labels)
            loss.backward()
            optimizer.step()
            taken.append(loss.item())
        return taken, model

    def gradients(self, model, images, labels) -> dict[str, torch.Tensor]:
        model = self.place(model)
        self.loss(model, images, labels).backward()
        return {name: p.grad.to("cpu", torch.float64) for name, p in model.named_parameters()}


def batches() -> list[tuple[torch.Tensor, torch.Tensor]]:
    images, labels, _, _ = digits()
    order = torch.cat([torch.randperm(len(images)) for _ in range(2)])
    return [(images[i], labels[i]) for i in order.split(BATCH)[:STEPS]]


def gradient_distances(runners, exact, cases) -> dict[str, dict[str, list[float]]]:
    """Runner -> parameter -> distance from float64's gradient in each case (model, batch)."""
    distances: dict[str, dict[str, list[float]]] = {name: {} for name in runners}
    for model, batch in cases:
        reference = exact.gradients(model, *batch)
        for name, runner in runners.items():
            for parameter, gradient in runner.gradients(model, *batch).items():
                distance = (gradient - reference[parameter]).norm().item()
                distances[name].setdefault(parameter, []).append(distance)
    return distances


def compare(distances, summary: Callable[[list[float]], float]) -> float:
    """Prints `summary` of the distances; gives npu's largest ratio to the worse CPU layout."""
    print(f"  {'':20}" + "".join(f"{name:>20}" for name in distances) + "   ratio")
    ratios = []
    for parameter in distances["npu"]:
        values = {name: summary(each[parameter]) for name, each in distances.items()}
        ratios.append(values["npu"] / max(values[name] for name in CPU_LAYOUTS))
        row = "".join(f"{value:20.2e}" for value in values.values())
        print(f"  {parameter:20}{row}   {ratios[-1]:.2f}")
    return max(ratios)


def run(options: argparse.Namespace) -> Result:
    torch.manual_seed(0)
    model, data = SimpleCNN(dropout=0.0), batches()
    exact = Runner("cpu", torch.float64)
    runners = {
        "cpu contiguous": Runner("cpu"),
        "cpu channels_last": Runner("cpu", layout=torch.channels_last),
        "npu": Runner(options.device),
    }
    reference, trained = exact.losses(model, data)
    losses = {name: runner.losses(model, data)[0] for name, runner in runners.items()}
    difference = {
        name: max(abs(a - b) / abs(b) for a, b in zip(taken, reference, strict=True))
        for name, taken in losses.items()
    }
    print(f"largest relative difference of the loss from float64 over {STEPS} SGD steps")
    for name, value in difference.items():
        print(f"  {name:20} {value:.2e}")

    states = [model, trained.to(torch.float32)]
    plain = gradient_distances(runners, exact, [(state, data[-1]) for state in states])
    print("distance of each gradient from float64's, worst of two states")
    worst = compare(plain, max)
    noisy = [(x + NOISE * torch.randn_like(x), y) for x, y in data[:NOISY_BATCHES]]
    exactness = gradient_distances(runners, exact, [(model, batch) for batch in noisy])
    print(f"the same with noise, median of {NOISY_BATCHES} batches")
    typical = compare(exactness, statistics.median)
    figures = {
        "loss difference from float64": difference["npu"],
        "gradient distance over PyTorch CPU's worse layout": worst,
        "gradient distance over PyTorch CPU's worse layout, with noise": typical,
    }
    return Result(figures, {"loss_difference": difference, "worst": plain, "noisy": exactness})
