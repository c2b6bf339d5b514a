# SPDX-License-Identifier: Apache-2.0
"""What a device argument of torch.npu means. torch.load calls this by PyTorch's name for it."""

import torch

from torchtitan_npu._native import C

Device = torch.device | str | int | None


def _get_device_index(device: Device, optional: bool = False, allow_cpu: bool = False) -> int:
    """The index in `device`; the current device's when it has none and `optional`, and -1 for cpu
    when `allow_cpu`. Needs no device for an answer that stands in the argument.

    Raises:
        ValueError: not a device, another device type, or no index where one is needed.
    """
    if isinstance(device, bool):
        raise ValueError(f"expected an npu device, got {device!r}")
    if isinstance(device, int):
        return device
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if allow_cpu and device.type == "cpu":
            return -1
        if device.type != "npu":
            raise ValueError(f"expected an npu device, got {device}")
        if device.index is not None:
            return device.index
    elif device is not None:
        raise ValueError(f"expected an npu device, got {device!r}")
    if not optional:
        raise ValueError(
            f"expected an npu device with an index or an integer, got {device}; "
            'write for instance "npu:0"'
        )
    return C._current_device()
