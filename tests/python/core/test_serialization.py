# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: saved on npu, loaded there, on the CPU, and where there is no npu."""

import copy
import io
import pickle

import pytest
import torch


def saved(value) -> io.BytesIO:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return buffer


def test_a_state_dict_comes_back_on_npu(npu):
    model = torch.nn.Linear(3, 2).npu()
    loaded = torch.load(saved(model.state_dict()))
    assert all(value.device == npu for value in loaded.values())
    assert torch.equal(loaded["weight"].cpu(), model.weight.detach().cpu())


@pytest.mark.parametrize("target", ["cpu", torch.device("cpu"), {"npu:0": "cpu"}])
def test_map_location_brings_it_to_the_cpu(npu, target):
    x = torch.arange(6.0).npu()
    loaded = torch.load(saved({"x": x}), map_location=target)["x"]
    assert loaded.device.type == "cpu" and torch.equal(loaded, torch.arange(6.0))


def test_map_location_brings_a_cpu_checkpoint_to_npu(npu):
    loaded = torch.load(saved({"x": torch.arange(6.0)}), map_location="npu")["x"]
    assert loaded.device == npu and torch.equal(loaded.cpu(), torch.arange(6.0))


def test_shared_storage_and_strides_survive(npu):
    base = torch.arange(12.0).npu().view(3, 4)
    loaded, part = torch.load(saved((base.t(), base[1])))
    assert loaded.stride() == (1, 4) and torch.equal(loaded.cpu(), base.t().cpu())
    part.fill_(-1)
    assert loaded.cpu()[:, 1].eq(-1).all()


@pytest.fixture
def checkpoint(npu, tmp_path):
    file = tmp_path / "model.pth"
    torch.save(torch.nn.Linear(3, 2).npu().state_dict(), file)
    return str(file)


LOAD = """
import torch, torchtitan_npu
try:
    torch.load({file!r}{arguments})
    print("loaded")
except RuntimeError as error:
    print(error)
"""


def test_without_a_device_the_error_says_map_location(run_code, checkpoint):
    text = run_code(LOAD.format(file=checkpoint, arguments=""), SOFTNPU_DEVICES="0")
    assert "map_location" in text and "NPU" in text


def test_without_a_device_map_location_loads(run_code, checkpoint):
    code = LOAD.format(file=checkpoint, arguments=", map_location='cpu'")
    assert run_code(code, SOFTNPU_DEVICES="0") == "loaded\n"


def test_a_device_that_is_missing_here_says_map_location(npu, run_code, tmp_path):
    if torch.npu.device_count() < 2:
        pytest.skip("needs two devices")
    file = str(tmp_path / "second.pth")
    torch.save(torch.ones(3, device="npu:1"), file)
    text = run_code(LOAD.format(file=file, arguments=""), SOFTNPU_DEVICES="1")
    assert "map_location" in text and "device_count() is 1" in text


def test_without_our_package_map_location_loads(run_code, checkpoint):
    code = f"import torch; print(torch.load({checkpoint!r}, map_location='cpu')['weight'].shape)"
    assert "torch.Size([2, 3])" in run_code(code, TORCH_DEVICE_BACKEND_AUTOLOAD="0")


def test_tensors_can_be_copied_and_pickled(npu):
    x = torch.arange(4.0).npu()
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert other.device == npu and torch.equal(other.cpu(), x.cpu())
        assert other.data_ptr() != x.data_ptr()
