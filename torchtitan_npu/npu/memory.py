# SPDX-License-Identifier: Apache-2.0
"""Device memory: what the caching allocator holds, its limits and settings."""

from collections import OrderedDict
from typing import Any

import torch

from torchtitan_npu._native import C

from ._utils import Device, _get_device_index
from .devices import is_initialized

# Upstream's article name for rounding sizes up in steps of a quarter of a power of two.
_SETTINGS_ALIASES = {"roundup_power2_allocator": "roundup_power2_divisions:4"}


def empty_cache() -> None:
    """Gives memory that is cached but unused back to the device."""
    if is_initialized():
        torch.accelerator.memory.empty_cache()


def memory_stats_as_nested_dict(device: Device = None) -> dict[str, Any]:
    """The allocator's statistics as PyTorch keeps them; empty before the first use."""
    if not is_initialized():
        return {}
    return torch._C._accelerator_getDeviceStats(_get_device_index(device, optional=True))


def memory_stats(device: Device = None) -> OrderedDict[str, Any]:
    """The same, flat: ``"allocated_bytes.all.current"`` and so on, sorted by name."""
    flat: list[tuple[str, Any]] = []

    def flatten(prefix: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                flatten(f"{prefix}.{key}" if prefix else str(key), item)
        else:
            flat.append((prefix, value))

    flatten("", memory_stats_as_nested_dict(device))
    return OrderedDict(sorted(flat))


def memory_allocated(device: Device = None) -> int:
    """Bytes in use by tensors."""
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device: Device = None) -> int:
    """The most bytes in use by tensors so far."""
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device: Device = None) -> int:
    """Bytes that the allocator took from the device, in use or cached."""
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device: Device = None) -> int:
    """The most bytes that the allocator took from the device so far."""
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


memory_cached = memory_reserved
max_memory_cached = max_memory_reserved


def reset_peak_memory_stats(device: Device = None) -> None:
    """Starts the peaks anew from what is in use now."""
    if is_initialized():
        torch._C._accelerator_resetPeakStats(_get_device_index(device, optional=True))


def reset_accumulated_memory_stats(device: Device = None) -> None:
    """Starts the running totals anew."""
    if is_initialized():
        torch._C._accelerator_resetAccumulatedStats(_get_device_index(device, optional=True))


reset_max_memory_allocated = reset_peak_memory_stats
reset_max_memory_cached = reset_peak_memory_stats


def host_memory_stats() -> dict[str, Any]:
    """Statistics of pinned host memory."""
    return C._host_memory_stats() if is_initialized() else {}


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """Free and total bytes of the device, over all processes."""
    return torch.accelerator.get_memory_info(_get_device_index(device, optional=True))


def set_per_process_memory_fraction(fraction: float, device: Device = None) -> None:
    """Limits what this process may reserve to a share of the device's memory, in (0, 1]."""
    C._set_memory_fraction(float(fraction), _get_device_index(device, optional=True))


def get_per_process_memory_fraction(device: Device = None) -> float:
    """The share set by set_per_process_memory_fraction, 1.0 by default."""
    return C._memory_fraction(_get_device_index(device, optional=True))


def set_allocator_settings(settings: str) -> None:
    """Changes the allocator's settings as PYTORCH_NPU_ALLOC_CONF does: ``"key:value,key:value"``.

    Raises:
        ValueError: an unknown key; the message lists the valid ones.
    """
    C._apply_allocator_settings(_SETTINGS_ALIASES.get(settings, settings))


def memory_snapshot() -> list[dict[str, Any]]:
    """Every segment that the allocator holds, with its blocks."""
    return C._memory_snapshot()


_SUMMARY_ROWS = (
    ("Allocated memory", "allocated_bytes", True),
    ("Active memory", "active_bytes", True),
    ("Requested memory", "requested_bytes", True),
    ("Reserved memory", "reserved_bytes", True),
    ("Non-releasable memory", "inactive_split_bytes", True),
    ("Allocations", "allocation", False),
    ("Active allocs", "active", False),
    ("Reserved segments", "segment", False),
    ("Non-releasable allocs", "inactive_split", False),
)
_SUMMARY_POOLS = (("all", ""), ("large_pool", "from large pool"), ("small_pool", "from small pool"))
_SUMMARY_COLUMNS = (
    ("current", "Cur Usage"),
    ("peak", "Peak Usage"),
    ("allocated", "Tot Alloc"),
    ("freed", "Tot Freed"),
)


def _format_bytes(value: int) -> str:
    size = float(value)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 10240 or unit == "GiB":
            break
        size /= 1024
    return f"{int(size)} {unit}"


def memory_summary(device: Device = None, abbreviated: bool = False) -> str:
    """A table of the allocator's statistics; `abbreviated` leaves out the two size classes."""
    index = _get_device_index(device, optional=True)
    stats = memory_stats(index)
    header = f"{'Metric':<22}" + "".join(f"|{title:>13} " for _, title in _SUMMARY_COLUMNS)
    rule = "-" * len(header)
    lines = [
        f"PyTorch NPU memory summary, device ID {index}",
        f"NPU OOMs: {stats.get('num_ooms', 0)}, "
        f"allocation retries: {stats.get('num_alloc_retries', 0)}",
        rule,
        header,
        rule,
    ]
    for title, metric, is_bytes in _SUMMARY_ROWS:
        for pool, pool_title in _SUMMARY_POOLS[: 1 if abbreviated else None]:
            values = [stats.get(f"{metric}.{pool}.{column}", 0) for column, _ in _SUMMARY_COLUMNS]
            cells = [_format_bytes(value) if is_bytes else str(value) for value in values]
            name = f"  {pool_title}" if pool_title else title
            lines.append(f"{name:<22}" + "".join(f"|{cell:>13} " for cell in cells))
        lines.append(rule)
    return "\n".join(lines) + "\n"
