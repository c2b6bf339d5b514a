# SPDX-License-Identifier: Apache-2.0
"""The caching allocator: reuse, splitting, statistics, limits, out-of-memory, settings."""

import pytest
import torch

MIB = 1 << 20
pytestmark = pytest.mark.usefixtures("empty_cache")


def bytes_on_npu(count: int) -> torch.Tensor:
    return torch.empty(count, dtype=torch.uint8, device="npu")


def test_freed_memory_is_reused_and_not_returned():
    x = bytes_on_npu(3 * MIB)
    address = x.data_ptr()
    reserved = torch.npu.memory_reserved()
    del x
    y = bytes_on_npu(3 * MIB)
    assert y.data_ptr() == address and torch.npu.memory_reserved() == reserved
    del y
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() < reserved


def test_sizes_are_bought_in_small_and_large_segments():
    before = torch.npu.memory_reserved()
    small = bytes_on_npu(1000)
    assert torch.npu.memory_reserved() - before in (0, 2 * MIB)
    before = torch.npu.memory_reserved()
    middle = bytes_on_npu(5 * MIB)
    assert torch.npu.memory_reserved() - before == 20 * MIB
    before = torch.npu.memory_reserved()
    large = bytes_on_npu(30 * MIB)
    assert torch.npu.memory_reserved() - before == 32 * MIB
    del small, middle, large


def test_neighbours_are_joined_when_freed():
    parts = [bytes_on_npu(4 * MIB) for _ in range(4)]
    reserved = torch.npu.memory_reserved()
    first = min(part.data_ptr() for part in parts)
    del parts
    whole = bytes_on_npu(16 * MIB)
    assert torch.npu.memory_reserved() == reserved + 16 * MIB + 2 * MIB or (
        whole.data_ptr() == first and torch.npu.memory_reserved() == reserved
    )
    del whole
    torch.npu.empty_cache()
    stats = torch.npu.memory_stats()
    assert stats["inactive_split_bytes.large_pool.current"] == 0
    assert stats["segment.large_pool.current"] == 0


def test_statistics_count_bytes_allocations_and_peaks():
    start = torch.npu.memory_allocated()
    x = bytes_on_npu(10 * MIB)
    grown = torch.npu.memory_allocated() - start
    assert 10 * MIB <= grown <= 10 * MIB + 1024
    del x
    assert torch.npu.memory_allocated() == start
    assert torch.npu.max_memory_allocated() == start + grown
    torch.npu.reset_peak_memory_stats()
    assert torch.npu.max_memory_allocated() == start
    stats = torch.npu.memory_stats()
    assert stats["allocation.large_pool.allocated"] == 1
    assert stats["allocation.large_pool.freed"] == 1
    assert stats["allocated_bytes.large_pool.allocated"] == grown
    assert stats["requested_bytes.large_pool.allocated"] == 10 * MIB
    torch.npu.reset_accumulated_memory_stats()
    assert torch.npu.memory_stats()["allocation.large_pool.allocated"] == 0


def test_torch_accelerator_reads_the_same_figures():
    x = bytes_on_npu(MIB)
    assert torch.accelerator.memory_allocated() == torch.npu.memory_allocated() > 0
    assert torch.accelerator.max_memory_reserved() == torch.npu.max_memory_reserved()
    assert torch.accelerator.memory_stats() == torch.npu.memory_stats()
    assert torch.accelerator.get_memory_info() == torch.npu.mem_get_info()
    del x
    torch.accelerator.empty_cache()


def test_each_device_counts_for_itself():
    if torch.npu.device_count() < 2:
        pytest.skip("needs two devices")
    before = torch.npu.memory_allocated(0)
    x = torch.empty(MIB, device="npu:1")
    assert torch.npu.memory_allocated(1) >= 4 * MIB
    assert torch.npu.memory_allocated(0) == before
    del x


def test_an_empty_tensor_takes_no_memory():
    before = torch.npu.memory_allocated()
    x = torch.empty(0, device="npu")
    assert x.numel() == 0 and torch.npu.memory_allocated() == before


def test_memory_of_one_stream_is_not_given_to_another():
    side = torch.npu.Stream()
    x = bytes_on_npu(3 * MIB)
    address = x.data_ptr()
    del x
    with torch.npu.stream(side):
        y = bytes_on_npu(3 * MIB)
    assert y.data_ptr() != address


def test_record_stream_delays_reuse_until_the_other_stream_is_done(busy):
    side = torch.npu.Stream()
    x = bytes_on_npu(3 * MIB)
    address = x.data_ptr()
    busy(0.3, side)
    x.record_stream(side)
    del x
    y = bytes_on_npu(3 * MIB)
    assert y.data_ptr() != address
    assert torch.npu.memory_stats()["active.large_pool.current"] == 2
    side.synchronize()
    z = bytes_on_npu(3 * MIB)
    assert z.data_ptr() == address


def test_out_of_memory_names_the_figures_and_leaves_the_device_usable():
    total = torch.npu.mem_get_info()[1]
    with pytest.raises(torch.OutOfMemoryError, match="NPU out of memory") as e:
        bytes_on_npu(4 * total)
    text = str(e.value)
    assert "Tried to allocate" in text
    for words in ("total capacity", "already allocated", "free", "reserved in total by PyTorch"):
        assert words in text
    assert torch.npu.memory_stats()["num_ooms"] == 1
    assert torch.ones(10, device="npu").sum().item() == 10


@pytest.mark.parametrize("count", [1 << 40, 1 << 61])
def test_absurd_sizes_are_out_of_memory_as_well(count):
    with pytest.raises(torch.OutOfMemoryError):
        bytes_on_npu(count)


def test_cached_memory_is_released_before_giving_up(run_code):
    code = """
import torch, torchtitan_npu
mib = 1 << 20
cached = [torch.empty(60 * mib, dtype=torch.uint8, device="npu") for _ in range(3)]
del cached
x = torch.empty(200 * mib, dtype=torch.uint8, device="npu")
stats = torch.npu.memory_stats()
print(stats["num_alloc_retries"], stats["num_ooms"], stats["segment.all.current"])
"""
    assert run_code(code, SOFTNPU_HBM="256M") == "1 0 1\n"


def test_the_memory_fraction_limits_this_process():
    total = torch.npu.mem_get_info()[1]
    limit = torch.npu.memory_reserved() + 64 * MIB
    torch.npu.set_per_process_memory_fraction(limit / total)
    try:
        assert torch.npu.get_per_process_memory_fraction() == pytest.approx(limit / total)
        x = bytes_on_npu(30 * MIB)
        with pytest.raises(torch.OutOfMemoryError, match="set_per_process_memory_fraction"):
            bytes_on_npu(100 * MIB)
        del x
    finally:
        torch.npu.set_per_process_memory_fraction(1.0)
    with pytest.raises(ValueError, match="memory fraction"):
        torch.npu.set_per_process_memory_fraction(1.5)


def test_the_snapshot_lists_every_block():
    x = bytes_on_npu(5 * MIB)
    segments = [s for s in torch.npu.memory_snapshot() if s["segment_type"] == "large"]
    blocks = [block for segment in segments for block in segment["blocks"]]
    assert sum(block["size"] for block in blocks) == sum(s["total_size"] for s in segments)
    live = [block for block in blocks if block["state"] == "active_allocated"]
    assert [block["address"] for block in live] == [x.data_ptr()]
    assert live[0]["requested_size"] == 5 * MIB


def test_the_summary_is_a_table():
    x = bytes_on_npu(5 * MIB)
    text = torch.npu.memory_summary()
    assert "Allocated memory" in text and "from large pool" in text and "5120 KiB" in text
    assert "from large pool" not in torch.npu.memory_summary(abbreviated=True)
    del x


def test_settings_round_sizes_up_to_parts_of_a_power_of_two(run_code):
    code = """
import torch, torchtitan_npu
torch.npu.set_allocator_settings("roundup_power2_allocator")
x = torch.empty(9 << 20, dtype=torch.uint8, device="npu")
print(torch.npu.memory_allocated() >> 20)
"""
    assert run_code(code) == "10\n"


def test_large_blocks_are_not_split_beyond_the_limit(run_code):
    code = """
import torch, torchtitan_npu
x = torch.empty(100 << 20, dtype=torch.uint8, device="npu")
del x
y = torch.empty(30 << 20, dtype=torch.uint8, device="npu")
print(torch.npu.memory_reserved() >> 20)
"""
    assert run_code(code) == "102\n"
    assert run_code(code, PYTORCH_NPU_ALLOC_CONF="max_split_size_mb:64") == "134\n"


def test_garbage_collection_returns_the_oldest_segments(run_code):
    code = """
import torch, torchtitan_npu
torch.npu.set_per_process_memory_fraction(0.5)
for mib in (30, 40, 50):
    x = torch.empty(mib << 20, dtype=torch.uint8, device="npu")
    del x
x = torch.empty(60 << 20, dtype=torch.uint8, device="npu")
stats = torch.npu.memory_stats()
print(stats["num_device_free"] > 0, stats["num_alloc_retries"])
"""
    settings = "garbage_collection_threshold:0.5"
    assert run_code(code, SOFTNPU_HBM="512M", PYTORCH_NPU_ALLOC_CONF=settings) == "True 0\n"


def test_unknown_settings_are_refused_with_the_list():
    with pytest.raises(ValueError, match=r"'colour'.*max_split_size_mb"):
        torch.npu.set_allocator_settings("colour:blue")
    with pytest.raises(ValueError, match="no value"):
        torch.npu.set_allocator_settings("max_split_size_mb")


def test_wrong_settings_in_the_environment_are_reported_at_first_use(run_code):
    code = """
import torch, torchtitan_npu
try:
    torch.empty(2, device="npu")
except ValueError as error:
    print("colour" in str(error))
"""
    assert run_code(code, PYTORCH_NPU_ALLOC_CONF="colour:blue") == "True\n"


def test_resizing_a_storage_keeps_its_contents():
    x = torch.arange(10, dtype=torch.float32).npu()
    x.untyped_storage().resize_(400)
    assert x.cpu().tolist() == list(range(10))
    assert x.untyped_storage().nbytes() == 400
    x.untyped_storage().resize_(0)
    assert x.untyped_storage().nbytes() == 0


def test_a_long_loop_leaks_nothing():
    def step():
        kept = [bytes_on_npu(1000 * (i + 1)) for i in range(50)]
        return sum(x.numel() for x in kept)

    for _ in range(20):
        step()
    allocated, reserved = torch.npu.memory_allocated(), torch.npu.memory_reserved()
    for _ in range(500):
        step()
    assert torch.npu.memory_allocated() == allocated
    assert torch.npu.memory_reserved() == reserved
