# SPDX-License-Identifier: Apache-2.0
"""The operator table, PyTorch operator -> aclnn operator, and its operators as functions.

``torchtitan_npu.ops.gelu(x)`` calls the operator behind ``torch.ops.aten.gelu``, on npu tensors
only: whatever has no row is an AttributeError here, not a copy to the CPU. ``table()`` lists the
rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from torchtitan_npu._native import C

__all__ = ["Row", "table"]


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    """The ATen operator, such as ``add``."""
    overload: str
    """Its overload, such as ``Tensor``, or ``""``."""
    aclnn: str
    """The CANN function that it calls, such as ``aclnnAdd``; ``""`` where the CPU computes."""
    family: str
    """Which ``ops_<family>.inc`` holds the row."""
    dtypes: tuple[torch.dtype, ...]
    """Element types of its inputs."""

    @property
    def full_name(self) -> str:
        return f"{self.name}.{self.overload}" if self.overload else self.name


@cache
def table() -> tuple[Row, ...]:
    """Every operator that runs on npu by a row of its own, in alphabetical order.

    Operators that PyTorch composes of these have no row and run as well.
    """
    rows = (
        Row(name.removeprefix("aten::"), overload, aclnn, family, tuple(dtypes))
        for name, overload, aclnn, family, dtypes in C._operator_rows()
    )
    return tuple(sorted(rows, key=lambda row: (row.name, row.overload)))


def _tensors(values: Any) -> list[torch.Tensor]:
    if isinstance(values, torch.Tensor):
        return [values]
    if isinstance(values, (tuple, list)):
        return [tensor for value in values for tensor in _tensors(value)]
    return []


@cache
def _function(name: str) -> Callable[..., Any]:
    operator = getattr(torch.ops.aten, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        tensors = _tensors(args) + _tensors(tuple(kwargs.values()))
        elsewhere = {str(t.device) for t in tensors if t.device.type != "npu" and t.dim() != 0}
        if elsewhere:
            raise RuntimeError(
                f"torchtitan_npu.ops.{name} takes tensors on npu, but found one on "
                f"{', '.join(sorted(elsewhere))}; move it there with .to('npu')"
            )
        return operator(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    aclnn = sorted({row.aclnn for row in table() if row.name == name})
    call.__doc__ = f"aten::{name} on npu, by {', '.join(aclnn) or 'PyTorch on the CPU'}."
    return call


def __getattr__(name: str) -> Callable[..., Any]:
    if not name.startswith("__") and any(row.name == name for row in table()):
        return _function(name)
    raise AttributeError(
        f"torchtitan_npu.ops has no operator {name!r}; torchtitan_npu.ops.table() lists them"
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *(row.name for row in table())})
