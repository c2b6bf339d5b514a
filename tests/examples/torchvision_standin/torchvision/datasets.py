# SPDX-License-Identifier: Apache-2.0
"""datasets.CIFAR10 of the stand-in; the package's own text says what it gives."""

import itertools
import os

import numpy as np
from sklearn.datasets import load_digits

TRAINING = 1500


class CIFAR10:
    def __init__(self, root, train=True, download=False, transform=None):
        digits = load_digits()
        grey = np.kron(digits.images / 16 * 255, np.ones((1, 4, 4)))
        pictures = np.repeat(grey[..., None], 3, axis=3).astype(np.uint8)
        part = slice(None, TRAINING) if train else slice(TRAINING, None)
        self.images, self.labels, self.transform = pictures[part], digits.target[part], transform
        lengths = os.environ.get("TEST_CIFAR10_LENGTHS", str(len(self.labels)))
        self.lengths = [int(length) for length in lengths.split(",")]
        self.ends = list(itertools.accumulate(self.lengths))
        self.served = 0

    def __len__(self):
        epoch = sum(self.served >= end for end in self.ends)
        return self.lengths[min(epoch, len(self.lengths) - 1)]

    def __getitem__(self, index):
        self.served += 1
        index %= len(self.labels)
        image = self.images[index]
        return (self.transform(image) if self.transform else image), int(self.labels[index])
