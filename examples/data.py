# SPDX-License-Identifier: Apache-2.0
"""Real images for the examples: CIFAR-10 where it can be had, else handwritten digits.

    train, test = load("auto")

Sources, in the order that "auto" tries them:
  torchvision   CIFAR-10 through torchvision, downloading it when allowed
  cifar10       CIFAR-10's own files (the folder cifar-10-batches-py) under `root`
  digits        1,797 handwritten digits that scikit-learn ships, enlarged to 3x32x32
"""

import pickle
from collections.abc import Callable
from pathlib import Path

import torch
from torch.utils.data import Dataset

MEAN = (0.4914, 0.4822, 0.4465)
STD = (0.2023, 0.1994, 0.2010)
DIGITS_FOR_TRAINING = 1500


class Unavailable(Exception):
    """This source cannot be had here; the message says why."""


class Images(Dataset):
    """Images and labels in memory, with a transform on each access."""

    def __init__(self, name, images, labels, transform: Callable | None = None):
        self.name, self.images, self.labels, self.transform = name, images, labels, transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = self.images[index]
        return (self.transform(image) if self.transform else image), int(self.labels[index])


def crop_and_flip(image: torch.Tensor) -> torch.Tensor:
    """A random 32x32 crop of the image padded by 4, mirrored half of the time."""
    padded = torch.nn.functional.pad(image, (4, 4, 4, 4))
    top, left = torch.randint(0, 9, (2,)).tolist()
    crop = padded[:, top : top + 32, left : left + 32]
    return crop.flip(2) if torch.rand(()) < 0.5 else crop


def from_torchvision(root: str, download: bool) -> tuple[Dataset, Dataset]:
    # Any exception counts: beside a CPU-only torch, PyPI's torchvision raises RuntimeError.
    try:
        from torchvision import datasets, transforms
    except Exception as error:
        raise Unavailable(f"torchvision does not import ({type(error).__name__})") from error
    plain = [transforms.ToTensor(), transforms.Normalize(MEAN, STD)]
    augment = [transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip()]
    try:
        train, test = (
            datasets.CIFAR10(
                root=root, train=train, download=download, transform=transforms.Compose(steps)
            )
            for train, steps in ((True, augment + plain), (False, plain))
        )
    except Exception as error:
        raise Unavailable(f"torchvision has no CIFAR-10 ({error})") from error
    train.name = test.name = "CIFAR-10 (torchvision)"
    return train, test


def from_cifar10_files(root: str, download: bool) -> tuple[Dataset, Dataset]:
    folder = Path(root) / "cifar-10-batches-py"
    if not folder.is_dir():
        raise Unavailable(f"no folder {folder}")

    def read(names: list[str], transform=None) -> Images:
        batches = [pickle.loads((folder / name).read_bytes(), encoding="bytes") for name in names]
        images = torch.cat([torch.as_tensor(batch[b"data"]) for batch in batches])
        labels = torch.cat([torch.as_tensor(batch[b"labels"]) for batch in batches])
        images = images.reshape(-1, 3, 32, 32).float() / 255
        images = (images - torch.tensor(MEAN).view(3, 1, 1)) / torch.tensor(STD).view(3, 1, 1)
        return Images("CIFAR-10 (files)", images, labels, transform)

    try:
        train = read([f"data_batch_{i}" for i in range(1, 6)], crop_and_flip)
        return train, read(["test_batch"])
    except (OSError, KeyError, pickle.UnpicklingError) as error:
        raise Unavailable(f"{folder} is not CIFAR-10: {error}") from error


def from_digits(root: str, download: bool) -> tuple[Dataset, Dataset]:
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise Unavailable("scikit-learn is not installed: pip install scikit-learn") from error
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
    images = torch.nn.functional.interpolate(images, size=32, mode="bilinear").repeat(1, 3, 1, 1)
    labels = torch.tensor(digits.target)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
    train, test = order[:DIGITS_FOR_TRAINING], order[DIGITS_FOR_TRAINING:]
    return (
        Images("handwritten digits", images[train], labels[train]),
        Images("handwritten digits", images[test], labels[test]),
    )


SOURCES = {"torchvision": from_torchvision, "cifar10": from_cifar10_files, "digits": from_digits}


def load(source: str = "auto", root: str = "./data", download: bool = True):
    """Training and test images from `source`; "auto" takes the first one that can be had."""
    names = list(SOURCES) if source == "auto" else [source]
    reasons = []
    for name in names:
        try:
            return SOURCES[name](root, download)
        except Unavailable as reason:
            reasons.append(f"{name}: {reason}")
    raise SystemExit("No images to train on.\n  " + "\n  ".join(reasons))
