# SPDX-License-Identifier: Apache-2.0
"""Trains article A's SimpleCNN on one fixed batch and prints the losses as JSON.

usage: simple_cnn_steps.py MODULE DEVICE [STEPS]
MODULE is imported first (torch_npu, torchtitan_npu, or "-" for none), so the same program runs
on PyTorch CPU, on the official adapter and on ours.
"""

import importlib
import json
import sys

import torch
from torch import nn

BATCH = 16


def simple_cnn() -> nn.Sequential:
    """The article's model without dropout: [N, 3, 32, 32] float32 -> [N, 10] float32."""
    features = nn.Sequential(
        nn.Conv2d(3, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(64, 128, 3, padding=1), nn.BatchNorm2d(128), nn.ReLU(inplace=True),
        nn.MaxPool2d(2, 2),
    )  # fmt: skip
    return nn.Sequential(
        features, nn.Flatten(), nn.Linear(128 * 8 * 8, 512), nn.ReLU(inplace=True),
        nn.Linear(512, 10),
    )  # fmt: skip


def losses(device: str, steps: int) -> list[float]:
    """SGD 0.01 from a fixed seed; one loss a step."""
    torch.manual_seed(0)
    model = simple_cnn().to(device)
    images = torch.randn(BATCH, 3, 32, 32).to(device)
    labels = torch.randint(0, 10, (BATCH,)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    result = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        result.append(loss.item())
    return result


if __name__ == "__main__":
    adapter, device = sys.argv[1:3]
    if adapter != "-":
        importlib.import_module(adapter)
    print(json.dumps(losses(device, int(sys.argv[3]) if len(sys.argv) > 3 else 5)))
