# SPDX-License-Identifier: Apache-2.0
"""Registers the npu backend with PyTorch."""

import importlib.util

import torch

from torchtitan_npu import _conflicts


def _torch_is_importing() -> bool:
    """Whether PyTorch imports us by itself: raising would break `import torch` for everybody."""
    spec = torch.__spec__
    return spec is not None and getattr(spec, "_initializing", False)


def register() -> None:
    """Makes "npu" a device of this process. Once; a conflict is left for first use, except a mixed
    installation, which fails at once when asked for by name.
    """
    foreign = _conflicts.foreign_plugin()
    if foreign is not None:
        if not _torch_is_importing():
            raise ImportError(foreign)
        return
    if _conflicts.official_wheel() is not None:
        return

    torch.utils.rename_privateuse1_backend("npu")
    from torchtitan_npu import _interchange, _native, npu

    torch._register_device_module("npu", npu)
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True
    )
    _interchange.register()
    if _native.usable() and importlib.util.find_spec("torch.distributed") is not None:
        from torchtitan_npu import _pitfalls

        _pitfalls.register()
