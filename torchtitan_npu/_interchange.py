# SPDX-License-Identifier: Apache-2.0
"""Tensors that leave for another library (DLPack) or another process (torch.multiprocessing)."""

from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
from torch.multiprocessing import reductions
from torch.utils.dlpack import DLDeviceType


def _give_npu_its_dlpack_device() -> None:
    """PyTorch's method knows a renamed backend only by its old name and refuses it."""
    of_pytorch = torch.Tensor.__dlpack_device__

    def __dlpack_device__(self: torch.Tensor) -> tuple[DLDeviceType, int]:
        if self.device.type == "npu":
            return DLDeviceType.kDLExtDev, self.device.index
        return of_pytorch(self)

    __dlpack_device__.__doc__ = of_pytorch.__doc__
    torch.Tensor.__dlpack_device__ = __dlpack_device__


def _refuse_to_share(tensor: torch.Tensor) -> Any:
    if tensor.device.type == "npu":
        raise NotImplementedError(
            f"A tensor on {tensor.device} cannot be sent to another process: memory of an npu is "
            'not shared between processes yet. Send tensor.cpu() and call .to("npu") there.'
        )
    return reductions.reduce_tensor(tensor)


def register() -> None:
    """Puts both in place."""
    _give_npu_its_dlpack_device()
    for kind in (torch.Tensor, torch.nn.parameter.Parameter):
        ForkingPickler.register(kind, _refuse_to_share)
