# SPDX-License-Identifier: Apache-2.0
"""Devices: choosing, guarding, describing, refusing."""

import threading

import pytest
import torch


@pytest.fixture(autouse=True)
def back_to_first_device(npu):
    torch.npu.set_device(0)
    yield
    torch.npu.set_device(0)


@pytest.fixture
def two_devices():
    if torch.npu.device_count() < 2:
        pytest.skip("needs two devices")


def test_set_device_changes_where_tensors_go(two_devices):
    torch.npu.set_device(1)
    assert torch.npu.current_device() == 1
    assert torch.empty(1, device="npu").device == torch.device("npu", 1)


def test_device_is_a_context_manager(two_devices):
    with torch.npu.device(1):
        assert torch.npu.current_device() == 1
        with torch.npu.device(None), torch.npu.device(-1):
            assert torch.npu.current_device() == 1
    assert torch.npu.current_device() == 0


def test_device_of_follows_a_tensor_and_ignores_others(two_devices):
    with torch.npu.device_of(torch.empty(1, device="npu:1")):
        assert torch.npu.current_device() == 1
    with torch.npu.device_of(torch.empty(1)):
        assert torch.npu.current_device() == 0


def test_each_thread_has_its_own_device(two_devices):
    seen = []
    torch.npu.set_device(1)
    thread = threading.Thread(target=lambda: seen.append(torch.npu.current_device()))
    thread.start()
    thread.join()
    assert seen == [0] and torch.npu.current_device() == 1


def test_a_guard_over_an_unused_device_starts_nothing_there(run_code):
    code = """
import torch, torchtitan_npu
torch.npu.set_device(0)
with torch.npu.device(1):
    pass
print(torch._C._accelerator_isAllocatorInitialized(), torch.npu.current_device())
print(torch.npu.memory_reserved(1))
"""
    assert run_code(code) == "True 0\n0\n"


@pytest.mark.parametrize("index", [999, 64, 127])
def test_a_device_that_does_not_exist_is_refused_with_the_range(index):
    count = torch.npu.device_count()
    if index > 127 or count == 64:
        with pytest.raises((RuntimeError, ValueError)):
            torch.npu.set_device(index)
        return
    with pytest.raises(RuntimeError, match=rf"index {index}.*\[0, {count - 1}\]"):
        torch.npu.set_device(index)
    assert torch.empty(1, device="npu").device.index == 0


def test_other_device_types_are_refused():
    with pytest.raises(ValueError, match="expected an npu device, got cpu"):
        torch.npu.set_device("cpu")
    with pytest.raises(ValueError, match="expected an npu device"):
        torch.npu.memory_allocated(torch.device("meta"))


def test_properties_describe_the_chip():
    properties = torch.npu.get_device_properties(0)
    assert properties.name == torch.npu.get_device_name() and properties.name.startswith("Ascend")
    assert properties.total_memory == torch.npu.mem_get_info(0)[1] > 1 << 30
    assert properties.cube_core_num > 0
    assert properties.name in repr(properties)


def test_bfloat16_depends_on_the_chip(run_code):
    code = """
import torch, torchtitan_npu
print(torch.npu.is_bf16_supported(), torch.bfloat16 in torch.npu.get_amp_supported_dtype())
"""
    assert run_code(code, SOFTNPU_SOC="Ascend910B1") == "True True\n"
    assert run_code(code, SOFTNPU_SOC="Ascend910A") == "False False\n"


def test_errors_end_with_the_code_line():
    with pytest.raises(RuntimeError) as caught:
        torch.npu.set_device(99)
    assert "(PID:" in str(caught.value) and "ERR00001 PTA invalid parameter" in str(caught.value)


def test_compact_errors_have_no_code_line(run_code):
    code = """
import torch, torchtitan_npu
try:
    torch.npu.set_device(99)
except RuntimeError as error:
    print("ERR" in str(error))
"""
    assert run_code(code, TORCH_NPU_COMPACT_ERROR_OUTPUT="1") == "False\n"
    assert run_code(code, TORCH_NPU_COMPACT_ERROR_OUTPUT="0") == "True\n"
