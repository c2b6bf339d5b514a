# SPDX-License-Identifier: Apache-2.0
"""The transforms of the stand-in, on pictures that are uint8 arrays [height, width, channel]."""

import numpy as np
import torch


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image


class RandomCrop:
    def __init__(self, size, padding=0):
        self.size, self.padding = size, padding

    def __call__(self, image):
        edge = (self.padding, self.padding)
        padded = np.pad(image, (edge, edge, (0, 0)))
        top, left = (int(torch.randint(0, n - self.size + 1, ())) for n in padded.shape[:2])
        return padded[top : top + self.size, left : left + self.size]


class RandomHorizontalFlip:
    def __call__(self, image):
        return image[:, ::-1] if torch.rand(()) < 0.5 else image


class ToTensor:
    def __call__(self, image):
        return torch.from_numpy(image.transpose(2, 0, 1).copy()).float() / 255


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = (torch.tensor(values).view(-1, 1, 1) for values in (mean, std))

    def __call__(self, tensor):
        return (tensor - self.mean) / self.std
