# SPDX-License-Identifier: Apache-2.0
"""The model of examples/train_npu.py, with the dropout rate as a parameter."""

import torch
from torch import nn


def block(channels_in: int, channels_out: int) -> list[nn.Module]:
    return [
        nn.Conv2d(channels_in, channels_out, kernel_size=3, padding=1),
        nn.BatchNorm2d(channels_out),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(kernel_size=2, stride=2),
    ]


class SimpleCNN(nn.Module):
    """[N, 3, 32, 32] -> [N, 10]."""

    def __init__(self, dropout: float = 0.5):
        super().__init__()
        self.features = nn.Sequential(*block(3, 64), *block(64, 128))
        self.classifier = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(128 * 8 * 8, 512),
            nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Linear(512, 10),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.features(images), 1))
