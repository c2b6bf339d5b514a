# SPDX-License-Identifier: Apache-2.0
"""A bidirectional LSTM that reads a text and names its class."""

import torch
from torch import nn

from bench.models.transformers import VOCABULARY


class Lstm(nn.Module):
    """[N, T] tokens -> [N, classes]."""

    def __init__(self, dropout: float = 0.1, classes: int = 10, width: int = 32):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, width)
        self.lstm = nn.LSTM(
            width, width, num_layers=2, dropout=dropout, bidirectional=True, batch_first=True
        )
        self.head = nn.Linear(2 * width, classes)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(self.token(tokens))[0].mean(dim=1))
