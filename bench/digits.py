# SPDX-License-Identifier: Apache-2.0
"""The digits of examples/data.py as whole tensors: training and test images and labels."""

import importlib.util
from pathlib import Path

import torch

_SOURCE = Path(__file__).resolve().parents[1] / "examples" / "data.py"


def digits() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    spec = importlib.util.spec_from_file_location("examples_data", _SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    train, test = module.load("digits")
    return train.images, train.labels, test.images, test.labels
