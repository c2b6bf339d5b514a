# SPDX-License-Identifier: Apache-2.0
"""Test accuracy of article A's training on real digits over several seeds, with its interval."""

import argparse
import math
import statistics

import torch

from bench.digits import digits
from bench.models.simple_cnn import SimpleCNN
from bench.result import Result

EPOCHS, BATCH = 10, 128
# 97.5 % quantile of Student's t for 1, 2, … degrees of freedom: half of a 95 % interval.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def trained_accuracy(seed: int, device: str) -> float:
    images, labels, test_images, test_labels = digits()
    torch.manual_seed(seed)
    model = SimpleCNN().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(EPOCHS):
        for indices in torch.randperm(len(images)).split(BATCH):
            batch, wanted = images[indices].to(device), labels[indices].to(device)
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(batch), wanted).backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        guess = model(test_images.to(device)).argmax(dim=1)
    return (guess.cpu() == test_labels).float().mean().item()


def run(options: argparse.Namespace) -> Result:
    taken = []
    for seed in range(options.seeds):
        taken.append(trained_accuracy(seed, options.device))
        print(f"seed {seed}: {taken[-1]:.2%}", flush=True)
    mean = statistics.mean(taken)
    figures = {"mean test accuracy": mean}
    line = f"mean {mean:.2%}"
    if 2 <= len(taken) <= len(STUDENT) + 1:
        half = STUDENT[len(taken) - 2] * statistics.stdev(taken) / math.sqrt(len(taken))
        figures["half of the 95 % interval"] = half
        line += f", 95 % interval {mean - half:.2%} to {mean + half:.2%}"
    print(line)
    return Result(figures, {"accuracy": taken, "epochs": EPOCHS})
