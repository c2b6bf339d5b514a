# SPDX-License-Identifier: Apache-2.0
"""Convolutional networks for images of 32 x 32: the papers' blocks, fewer and narrower."""

import torch
from torch import nn
from torch.nn import functional


def convolution(channels_in: int, channels_out: int, size: int = 3, **options) -> nn.Sequential:
    """Convolution and batch norm, the image's size kept at stride 1."""
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, size, padding=size // 2, bias=False, **options),
        nn.BatchNorm2d(channels_out),
    )


def head(channels: int, classes: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(dropout), nn.Linear(channels, classes)
    )


class Bottleneck(nn.Module):
    """ResNet's block of 1x1, 3x3 and 1x1 convolutions (He et al. 2015, arXiv:1512.03385)."""

    def __init__(self, channels_in: int, width: int, stride: int):
        super().__init__()
        out = width * 4
        self.body = nn.Sequential(
            convolution(channels_in, width, 1),
            nn.ReLU(inplace=True),
            convolution(width, width, 3, stride=stride),
            nn.ReLU(inplace=True),
            convolution(width, out, 1),
        )
        self.shortcut = (
            nn.Identity()
            if stride == 1 and channels_in == out
            else convolution(channels_in, out, 1, stride=stride)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.body(x) + self.shortcut(x), inplace=True)


def resnet(dropout: float = 0.0, classes: int = 10, width: int = 16) -> nn.Module:
    """[N, 3, 32, 32] -> [N, classes]."""
    return nn.Sequential(
        convolution(3, width, 7, stride=2),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, stride=2, padding=1),
        Bottleneck(width, width, 1),
        Bottleneck(width * 4, width, 1),
        Bottleneck(width * 4, width * 2, 2),
        Bottleneck(width * 8, width * 2, 1),
        head(width * 8, classes, dropout),
    )


def vgg(dropout: float = 0.5, classes: int = 10, width: int = 16) -> nn.Module:
    """[N, 3, 32, 32] -> [N, classes] (Simonyan and Zisserman 2014, arXiv:1409.1556)."""
    layers: list[nn.Module] = []
    channels = 3
    for stage in range(4):
        for _ in range(2):
            layers += [convolution(channels, width << stage), nn.ReLU(inplace=True)]
            channels = width << stage
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(
        *layers,
        nn.Flatten(),
        nn.Linear(channels * 4, 64),
        nn.ReLU(inplace=True),
        nn.Dropout(dropout),
        nn.Linear(64, classes),
    )


class InvertedResidual(nn.Module):
    """MobileNetV2's block: widen, filter each channel, narrow (arXiv:1801.04381)."""

    def __init__(self, channels_in: int, channels_out: int, stride: int, expansion: int = 6):
        super().__init__()
        hidden = channels_in * expansion
        self.keeps_shape = stride == 1 and channels_in == channels_out
        self.body = nn.Sequential(
            convolution(channels_in, hidden, 1),
            nn.ReLU6(inplace=True),
            convolution(hidden, hidden, 3, stride=stride, groups=hidden),
            nn.ReLU6(inplace=True),
            convolution(hidden, channels_out, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.body(x) if self.keeps_shape else self.body(x)


def mobilenet(dropout: float = 0.2, classes: int = 10) -> nn.Module:
    """[N, 3, 32, 32] -> [N, classes]."""
    return nn.Sequential(
        convolution(3, 16, 3, stride=2),
        nn.ReLU6(inplace=True),
        InvertedResidual(16, 24, 1),
        InvertedResidual(24, 24, 1),
        InvertedResidual(24, 32, 2),
        InvertedResidual(32, 32, 1),
        convolution(32, 128, 1),
        nn.ReLU6(inplace=True),
        head(128, classes, dropout),
    )


class DenseBlock(nn.Module):
    """Each layer sees all before it (Huang et al. 2016, arXiv:1608.06993)."""

    def __init__(self, channels: int, layers: int, growth: int):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.BatchNorm2d(channels + i * growth),
                nn.ReLU(inplace=True),
                convolution(channels + i * growth, 4 * growth, 1),
                nn.ReLU(inplace=True),
                nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False),
            )
            for i in range(layers)
        )
        self.channels = channels + layers * growth

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = [x]
        for layer in self.layers:
            features.append(layer(torch.cat(features, 1)))
        return torch.cat(features, 1)


def densenet(dropout: float = 0.0, classes: int = 10, growth: int = 12) -> nn.Module:
    """[N, 3, 32, 32] -> [N, classes]."""
    first = DenseBlock(2 * growth, 3, growth)
    second = DenseBlock(first.channels // 2, 3, growth)
    return nn.Sequential(
        convolution(3, 2 * growth),
        first,
        convolution(first.channels, first.channels // 2, 1),
        nn.AvgPool2d(2),
        second,
        nn.BatchNorm2d(second.channels),
        nn.ReLU(inplace=True),
        head(second.channels, classes, dropout),
    )
