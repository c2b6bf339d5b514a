# SPDX-License-Identifier: Apache-2.0
"""Importing: in any order, without starting anything; the names of the device."""

import pytest
import torch

ENTRY_POINTS = "[torch.backends]\ntorchtitan_npu = torchtitan_npu:_autoload\n"


@pytest.fixture
def entry_point(tmp_path):
    """A folder that declares the entry point, as an installed wheel does."""
    info = tmp_path / "site" / "declared_for_test-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: declared-for-test\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return str(tmp_path / "site")


def with_entry_point(code: str, folder: str) -> str:
    return f"import sys; sys.path.insert(0, {folder!r})\n{code}"


def test_torch_alone_knows_npu(run_code, entry_point):
    code = "import torch; print(torch.npu.is_available(), torch.device('npu:0'), torch.Tensor.npu)"
    assert run_code(with_entry_point(code, entry_point)).startswith("True npu:0 <function")


def test_ours_as_first_import_tolerates_pytorch_calling_back(run_code, entry_point):
    code = "import torchtitan_npu, torch; print(torch.npu.is_available())"
    assert run_code(with_entry_point(code, entry_point)) == "True\n"


def test_import_after_the_model_was_defined_works(run_code):
    code = """
import torch, torch.nn as nn
model = nn.Linear(3, 2)
import torchtitan_npu
model = model.to("npu")
print(model.weight.device)
"""
    assert run_code(code) == "npu:0\n"


def test_import_starts_nothing(run_code):
    code = """
import os, torch
threads = len(os.listdir("/proc/self/task"))
import torchtitan_npu
print(torch.npu.is_initialized(), len(os.listdir("/proc/self/task")) - threads)
torch.manual_seed(0)
print("libsoftnpu" in open("/proc/self/maps").read())
"""
    assert run_code(code) == "False 0\nFalse\n"


def test_counting_devices_does_not_start_cann(run_code):
    code = """
import torch, torchtitan_npu
print(torch.npu.device_count(), torch.npu.is_initialized())
"""
    assert run_code(code, SOFTNPU_DEVICES="3") == "3 False\n"


def test_every_way_to_name_the_first_device_works(npu):
    first = torch.device("npu", 0)
    for device in ("npu", "npu:0", torch.device("npu:0"), torch.device(0), 0):
        with torch.npu.device(0):
            assert torch.empty(2, device=device).device == first
            assert torch.ones(2).to(device).device == first


def test_tensors_modules_and_storages_have_npu_methods(npu):
    x = torch.ones(3).npu()
    assert x.is_npu and not torch.ones(3).is_npu
    assert x.cpu().tolist() == [1, 1, 1]
    assert torch.nn.Linear(2, 2).npu().weight.is_npu
    assert torch.ones(3).untyped_storage().npu().device.type == "npu"
    packed = torch.nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(2)])
    assert packed.npu().is_npu


def test_torch_accelerator_sees_the_npu(npu):
    assert torch.accelerator.current_accelerator() == torch.device("npu")
    assert torch.accelerator.device_count() == torch.npu.device_count()
    assert torch.get_device_module("npu") is torch.npu


def test_types_have_their_old_names(npu):
    x = torch.npu.FloatTensor(2, 3)
    assert x.shape == (2, 3) and x.dtype == torch.float32 and x.is_npu
    assert x.type() == "torch.npu.FloatTensor"
    assert torch.npu.LongTensor([4, 5]).cpu().tolist() == [4, 5]
    assert isinstance(x, torch.npu.FloatTensor)
    assert not isinstance(x, torch.npu.HalfTensor)
    assert not isinstance(x.cpu(), torch.npu.FloatTensor)
    for target in ("torch.npu.HalfTensor", torch.npu.HalfTensor):
        assert torch.ones(2).type(target).type() == "torch.npu.HalfTensor"
    with pytest.raises(AttributeError, match="NoTensor"):
        torch.npu.NoTensor  # noqa: B018


def test_process_exits_cleanly_with_live_tensors_streams_and_events(run_code):
    code = """
import torch, torchtitan_npu
kept = torch.ones(1000, device="npu"), torch.npu.Stream(), torch.npu.Event()
kept[2].record()
pinned = torch.ones(3).pin_memory()
print("done")
"""
    assert run_code(code) == "done\n"


def test_nccl_is_answered_with_hccl(npu):
    if torch.cuda.is_available():
        pytest.skip("nccl is right where there is a GPU")
    with pytest.raises(RuntimeError, match="hccl"):
        torch.distributed.init_process_group(
            "nccl", rank=0, world_size=1, store=torch.distributed.HashStore()
        )
    assert not torch.distributed.is_initialized()
