# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests of the adapter, which all need the built package and one device."""

import pytest
import torch


@pytest.fixture
def npu() -> torch.device:
    """The current npu device, after checking that there is one."""
    import torchtitan_npu  # noqa: F401

    assert torch.npu.is_available(), "no npu device: was the package built?"
    return torch.device("npu", torch.npu.current_device())
