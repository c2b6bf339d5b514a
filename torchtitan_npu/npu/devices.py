# SPDX-License-Identifier: Apache-2.0
"""Devices: which there are, which one is current, what they can do."""

from typing import Any

import torch

from torchtitan_npu._native import C, usable

from ._utils import Device, _get_device_index


def is_available() -> bool:
    """Whether an NPU can be used. Starts nothing and never raises."""
    return device_count() > 0


def device_count() -> int:
    """Number of NPUs that this process sees; 0 when there is none or the set-up is broken."""
    return C._device_count() if usable() else 0


def _lazy_init() -> None:
    """Starts CANN on the current device; raises the reason when that is not possible."""
    C._init()


def init() -> None:
    """Starts CANN now instead of at first use."""
    _lazy_init()


def is_initialized() -> bool:
    """Whether CANN was started in this process."""
    return usable() and C._is_initialized()


def _is_in_bad_fork() -> bool:
    """Whether this process was forked from one that had started CANN already."""
    return usable() and C._is_in_bad_fork()


def current_device() -> int:
    """Index of the calling thread's device."""
    _lazy_init()
    return C._current_device()


def set_device(device: Device) -> None:
    """Makes `device` the calling thread's device. A negative index changes nothing."""
    index = _get_device_index(device, optional=True)
    if index >= 0:
        C._set_device(index)


def _exchange_device(index: int) -> int:
    """Changes the device and returns the one before; a negative index does nothing, returns -1."""
    return -1 if index < 0 else C._exchange_device(index)


def _maybe_exchange_device(index: int) -> int:
    """Like _exchange_device, but leaves a device alone that was never used."""
    return _exchange_device(index)


def synchronize(device: Device = None) -> None:
    """Waits until all streams of `device` are done; raises errors of operators that failed."""
    C._synchronize(_get_device_index(device, optional=True))


class device:
    """Context manager that changes the current device; None or a negative index changes nothing."""

    def __init__(self, device: Device) -> None:
        self.idx = -1 if device is None else _get_device_index(device, optional=True)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, *_: object) -> bool:
        _exchange_device(self.prev_idx)
        return False


class device_of(device):
    """Context manager that changes the current device to that of a tensor or storage."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if obj.device.type == "npu" else -1)


def get_device_properties(device: Device = None) -> Any:
    """Name, memory and core counts of a device."""
    return C._device_properties(_get_device_index(device, optional=True))


def get_device_name(device: Device = None) -> str:
    """Name of the device's chip, such as ``Ascend910B1``."""
    return get_device_properties(device).name


def get_device_capability(device: Device = None) -> dict[str, Any]:
    """What the device can do, by name. (NPUs have no pair of numbers like CUDA's.)"""
    properties = get_device_properties(device)
    return {
        "soc": properties.name,
        "cube_core_num": properties.cube_core_num,
        "vector_core_num": properties.vector_core_num,
        "bf16": is_bf16_supported(),
    }


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the chip computes in bfloat16; the first generation does not."""
    return C._is_bf16_supported()


def get_amp_supported_dtype() -> list[torch.dtype]:
    """The types that torch.autocast("npu") may use. PyTorch calls this by name."""
    if is_available() and not is_bf16_supported():
        return [torch.float16]
    return [torch.float16, torch.bfloat16]


def can_device_access_peer(device: Device, peer_device: Device) -> bool:
    """Whether `device` reads the memory of `peer_device` directly."""
    return C._can_access_peer(
        _get_device_index(device, optional=True), _get_device_index(peer_device, optional=True)
    )


def cann_info() -> dict[str, Any]:
    """Which CANN is in use: its folder, version, whether it is the bundled one, and why."""
    return C._cann_info()
