# SPDX-License-Identifier: Apache-2.0
"""The models that benches train: name -> Model."""

import dataclasses
from collections.abc import Callable

import torch

from bench.models.simple_cnn import SimpleCNN


@dataclasses.dataclass(frozen=True)
class Model:
    """How to make a model and one batch for it; `make` takes the dropout rate."""

    make: Callable[[float], torch.nn.Module]
    input_shape: tuple[int, ...]
    classes: int

    def batch(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(size, *self.input_shape), torch.randint(0, self.classes, (size,))


MODELS = {"simple_cnn": Model(SimpleCNN, (3, 32, 32), 10)}
