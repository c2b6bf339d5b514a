# SPDX-License-Identifier: Apache-2.0
"""Pinned host memory: the allocator, copies that read it, DataLoader."""

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset


def test_pin_memory_says_so(npu):
    x = torch.arange(10.0)
    assert not x.is_pinned()
    pinned = x.pin_memory()
    assert pinned.is_pinned() and pinned.device.type == "cpu"
    assert torch.equal(pinned, x)
    assert pinned[3:5].is_pinned()
    assert torch.empty(5, pin_memory=True).is_pinned()


def test_asking_starts_nothing(run_code):
    code = """
import torch, torchtitan_npu
print(torch.ones(3).is_pinned(), torch.npu.is_initialized())
"""
    assert run_code(code) == "False False\n"


def test_freed_memory_is_reused(npu):
    address = torch.empty(5000, pin_memory=True).data_ptr()
    assert torch.empty(5000, pin_memory=True).data_ptr() == address


def test_memory_is_kept_until_the_copy_that_reads_it_is_done(npu, busy):
    source = torch.full((1000,), 5.0).pin_memory()
    address = source.data_ptr()
    busy(0.3)
    copy = source.to("npu", non_blocking=True)
    del source
    other = torch.full((1000,), 9.0).pin_memory()
    assert other.data_ptr() != address
    torch.npu.synchronize()
    assert copy.cpu().eq(5).all()


def test_a_non_blocking_copy_from_pinned_memory_does_not_wait(npu, busy):
    source = torch.ones(1000).pin_memory()
    busy(0.3)
    source.to("npu", non_blocking=True)
    assert not torch.npu.current_stream().query()
    torch.npu.synchronize()


def test_statistics(npu):
    x = torch.empty(1 << 20, dtype=torch.uint8, pin_memory=True)
    held = torch.npu.host_memory_stats()["active_bytes"]["current"]
    del x
    assert torch.npu.host_memory_stats()["active_bytes"]["current"] == held - (1 << 20)


@pytest.mark.parametrize("workers", [0, 2])
def test_dataloader_pins_batches(npu, workers):
    data = torch.arange(32.0).view(16, 2)
    loader = DataLoader(TensorDataset(data), batch_size=4, pin_memory=True, num_workers=workers)
    batches = [batch for (batch,) in loader]
    assert all(batch.is_pinned() for batch in batches)
    assert torch.equal(torch.cat(batches).to("npu", non_blocking=True).cpu(), data)
