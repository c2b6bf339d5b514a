# SPDX-License-Identifier: Apache-2.0
"""The models that benches and tests train: name -> Model."""

import dataclasses
from collections.abc import Callable

import torch
from torch.nn import functional

from bench.models import convnets, transformers
from bench.models.lstm import Lstm
from bench.models.simple_cnn import SimpleCNN
from bench.models.transformers import VOCABULARY
from bench.models.unet import UNet

IMAGE = (3, 32, 32)
TOKENS = (24,)


@dataclasses.dataclass(frozen=True)
class Model:
    """How to make a model and one batch for it.

    make: takes the dropout rate.
    input_shape: of one example; one dimension means tokens, more an image.
    classes: of each target.
    target_shape: of one example's targets, () for one class an example.
    """

    make: Callable[[float], torch.nn.Module]
    input_shape: tuple[int, ...]
    classes: int
    target_shape: tuple[int, ...] = ()

    def batch(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        targets = torch.randint(0, self.classes, (size, *self.target_shape))
        if len(self.input_shape) > 1:
            return torch.randn(size, *self.input_shape), targets
        return torch.randint(0, VOCABULARY, (size, *self.input_shape)), targets

    def loss(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Cross-entropy, averaged over all targets."""
        if self.target_shape == self.input_shape:  # a class for each token: classes come last
            outputs = outputs.flatten(0, 1)
            targets = targets.flatten()
        return functional.cross_entropy(outputs, targets)


def of_text(make: Callable[[float], torch.nn.Module]) -> Model:
    return Model(make, TOKENS, VOCABULARY, TOKENS)


MODELS = {
    "simple_cnn": Model(SimpleCNN, IMAGE, 10),
    "resnet": Model(convnets.resnet, IMAGE, 10),
    "vgg": Model(convnets.vgg, IMAGE, 10),
    "mobilenet": Model(convnets.mobilenet, IMAGE, 10),
    "densenet": Model(convnets.densenet, IMAGE, 10),
    "vit": Model(transformers.ViT, IMAGE, 10),
    "swin": Model(transformers.Swin, IMAGE, 10),
    "bert": of_text(transformers.Bert),
    "gpt2": of_text(transformers.Gpt2),
    "llama": of_text(transformers.Llama),
    "unet": Model(UNet, IMAGE, 4, IMAGE[1:]),
    "lstm": Model(Lstm, TOKENS, 10),
}
