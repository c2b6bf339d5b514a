# SPDX-License-Identifier: Apache-2.0
"""``torch.npu.FloatTensor`` and its kin: the old way to name a type and a device together."""

from typing import Any

import torch

_DTYPES = {
    "BFloat16Tensor": torch.bfloat16,
    "BoolTensor": torch.bool,
    "ByteTensor": torch.uint8,
    "CharTensor": torch.int8,
    "DoubleTensor": torch.float64,
    "FloatTensor": torch.float32,
    "HalfTensor": torch.float16,
    "IntTensor": torch.int32,
    "LongTensor": torch.int64,
    "ShortTensor": torch.int16,
}


class _TensorType(type):
    """Types without instances of their own: calling one makes a tensor, isinstance() asks it."""

    dtype: torch.dtype

    def __call__(cls, *args: Any) -> torch.Tensor:
        """``FloatTensor(2, 3)`` is uninitialised, ``FloatTensor([2, 3])`` holds these values."""
        if len(args) == 1 and not isinstance(args[0], (int, torch.Size)):
            return torch.tensor(args[0], dtype=cls.dtype, device="npu")
        sizes = args[0] if args and isinstance(args[0], torch.Size) else (args or (0,))
        return torch.empty(sizes, dtype=cls.dtype, device="npu")

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, torch.Tensor)
            and instance.device.type == "npu"
            and instance.dtype == cls.dtype
        )


# PyTorch reads a type's full name in tensor.type(t).
TENSOR_TYPES = {
    name: _TensorType(f"torch.npu.{name}", (), {"dtype": dtype, "__module__": "torch.npu"})
    for name, dtype in _DTYPES.items()
}
