# SPDX-License-Identifier: Apache-2.0
"""Clear words for mistakes that PyTorch itself would answer in a way that does not help here."""

from collections.abc import Iterator

import torch


class _DevicesOfNccl(list):
    """PyTorch's list of the devices that nccl serves, in its table of backend capabilities.

    PyTorch reads it exactly when somebody asks for a process group with nccl. Where there is an npu
    and no GPU that is the mistake, so the answer names hccl; otherwise this is a plain list.
    """

    def __iter__(self) -> Iterator[str]:
        if torch.npu.is_available() and not torch.cuda.is_available():
            raise RuntimeError(
                'The process group backend "nccl" is for NVIDIA GPUs and this process has none; it '
                'has NPUs. Use hccl: torch.distributed.init_process_group(backend="hccl", ...).'
            )
        return super().__iter__()


def register() -> None:
    """Puts the answers in place."""
    if not torch.distributed.is_available():
        return
    table = torch.distributed.Backend.backend_capability
    table["nccl"] = _DevicesOfNccl(table.get("nccl", ["cuda"]))
