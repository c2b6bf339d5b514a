# SPDX-License-Identifier: Apache-2.0
"""Streams and events: torch.Stream and torch.Event with npu as their device."""

from typing import Any

import torch

from torchtitan_npu._native import C

from ._utils import Device, _get_device_index
from .devices import _lazy_init
from .devices import device as device_guard


class Stream(torch.Stream):
    """An in-order queue of work on one device.

    Args:
        device: the device, by default the current one.
        priority: 0 is normal, a negative number urgent.
    """

    def __new__(cls, device: Device = None, priority: int = 0, **kwargs: Any) -> "Stream":
        if "stream_id" in kwargs:
            return super().__new__(cls, priority=priority, **kwargs)
        _lazy_init()
        index = _get_device_index(device, optional=True)
        return super().__new__(cls, device=torch.device("npu", index), priority=priority)

    @property
    def npu_stream(self) -> int:
        """CANN's handle (an aclrtStream) as a number."""
        return self.native_handle

    @property
    def priority(self) -> int:
        """0 for a normal stream, -1 for an urgent one."""
        return C._stream_priority(self.stream_id, self.device_index)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """The least and the most urgent priority."""
        return 0, -1

    def record_event(self, event: torch.Event | None = None) -> torch.Event:
        """Records `event`, or a new one, behind the work issued so far."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def __repr__(self) -> str:
        return f"<torch.npu.Stream device={self.device} npu_stream={self.npu_stream:#x}>"


class ExternalStream(Stream):
    """A stream that other code made: `stream_ptr` is its aclrtStream and outlives this object."""

    def __new__(cls, stream_ptr: int, device: Device = None, **_: Any) -> "ExternalStream":
        _lazy_init()
        index = _get_device_index(device, optional=True)
        return super().__new__(cls, **_parts(C._external_stream(stream_ptr, index)))


class _EventType(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, torch.Event) and instance.device.type == "npu"


class Event(torch.Event, metaclass=_EventType):
    """A mark in a stream that other streams and the host can wait for.

    Makes plain torch.Events: PyTorch's elapsed_time() takes no subclass.

    Args:
        enable_timing: elapsed_time() can be asked.
        blocking: accepted for PyTorch's sake; waiting never spins for long here.
        interprocess: not supported.
    """

    def __new__(
        cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> torch.Event:
        if interprocess:
            raise NotImplementedError("torch.npu.Event does not support interprocess=True")
        return torch.Event("npu", enable_timing=enable_timing, blocking=blocking)


def _parts(parts: tuple[int, int, int]) -> dict[str, int]:
    return dict(zip(("stream_id", "device_index", "device_type"), parts, strict=True))


def current_stream(device: Device = None) -> Stream:
    """The stream that the calling thread works on."""
    _lazy_init()
    stream = torch._C._accelerator_getStream(_get_device_index(device, optional=True))
    return Stream(
        stream_id=stream.stream_id,
        device_index=stream.device_index,
        device_type=stream.device_type,
    )


def default_stream(device: Device = None) -> Stream:
    """The stream that threads work on unless they choose another."""
    _lazy_init()
    return Stream(**_parts(C._default_stream(_get_device_index(device, optional=True))))


def set_stream(stream: torch.Stream | None) -> None:
    """Makes the calling thread work on `stream` and its device; None changes nothing."""
    if stream is not None:
        _lazy_init()
        torch._C._accelerator_setStream(stream)


class StreamContext:
    """Context manager that works on a stream, and on its device; None changes nothing."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is None:
            return
        self._device = device_guard(self.stream.device)
        self._device.__enter__()
        self._previous = current_stream(self.stream.device)
        set_stream(self.stream)

    def __exit__(self, *exception: object) -> bool:
        if self.stream is not None:
            set_stream(self._previous)
            self._device.__exit__(*exception)
        return False


def stream(stream: torch.Stream | None) -> StreamContext:
    """``with torch.npu.stream(s):`` works on stream `s` inside the block."""
    return StreamContext(stream)
