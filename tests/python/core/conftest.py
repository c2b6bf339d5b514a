# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the core's tests."""

import ctypes
from collections.abc import Callable
from pathlib import Path

import pytest
import torch


@pytest.fixture
def busy(npu) -> Callable[..., None]:
    """busy(seconds, stream=None): a host function that sleeps in the stream."""
    folder = Path(torch.npu.cann_info()["library_folder"])
    launch = ctypes.CDLL(str(folder / "libascendcl.so")).aclrtLaunchHostFunc
    launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    usleep = ctypes.cast(ctypes.CDLL(None).usleep, ctypes.c_void_p)

    def launch_sleep(seconds: float, stream: torch.npu.Stream | None = None) -> None:
        stream = stream or torch.npu.current_stream()
        assert launch(stream.npu_stream, usleep, int(seconds * 1e6)) == 0

    return launch_sleep


@pytest.fixture
def empty_cache(npu):
    """A test that measures memory starts with nothing cached and fresh peaks."""
    torch.npu.synchronize()
    torch.npu.empty_cache()
    torch.npu.reset_peak_memory_stats()
    torch.npu.reset_accumulated_memory_stats()
