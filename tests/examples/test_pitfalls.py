# SPDX-License-Identifier: Apache-2.0
"""The four pitfalls of the article: what went wrong there works here, or says what to do."""

import pytest
import torch

pytestmark = pytest.mark.npu

NO_DEVICE = {"SOFTNPU_DEVICES": "0"}


def test_importing_the_adapter_after_the_model_is_defined_works(run_code):
    code = """
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)
    def forward(self, x):
        return self.linear(x)
model = Net()
before = model.linear.weight.clone()
import torchtitan_npu
model = model.to("npu")
assert torch.equal(model.linear.weight.cpu(), before)
print(model.linear.weight.device.type, model(torch.ones(3, 4, device="npu")).shape)
"""
    for autoload in ("0", "1"):
        printed = run_code(code, TORCH_DEVICE_BACKEND_AUTOLOAD=autoload)
        assert printed.split() == ["npu", "torch.Size([3,", "2])"]


def test_the_device_works_without_any_import_of_ours(run_code):
    code = "import torch; print(torch.ones(2, device='npu').device, torch.npu.is_available())"
    assert run_code(code).split() == ["npu:0", "True"]


def test_nccl_on_npu_says_hccl(run_python):
    code = """
import torch, torchtitan_npu
import torch.distributed as dist
dist.init_process_group("nccl", init_method="tcp://127.0.0.1:0", rank=0, world_size=1)
dist.all_reduce(torch.ones(1, device="npu"))
"""
    done = run_python("-c", code)
    assert done.returncode != 0
    assert "hccl" in done.stderr.splitlines()[-1], done.stderr


def test_the_device_may_carry_its_index(npu_model):
    device = torch.device("npu:0")
    model = npu_model.to(device)
    assert {parameter.device for parameter in model.parameters()} == {device}
    assert model(torch.ones(1, 4, device="npu:0")).device == device


@pytest.fixture
def npu_model():
    import torchtitan_npu  # noqa: F401

    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))


@pytest.fixture
def checkpoint(npu_model, tmp_path):
    torch.save(npu_model.to("npu").state_dict(), tmp_path / "model.pth")
    torch.save(npu_model.to("cpu").state_dict(), tmp_path / "model_cpu.pth")
    return npu_model.state_dict()


def test_a_checkpoint_of_the_npu_without_map_location_says_what_to_do(run_python, checkpoint):
    code = "import torch, torchtitan_npu; torch.load('model.pth')"
    done = run_python("-c", code, **NO_DEVICE)
    assert done.returncode != 0
    assert "map_location" in done.stderr, done.stderr


@pytest.mark.parametrize("load", ["'model.pth', map_location='cpu'", "'model_cpu.pth'"])
@pytest.mark.parametrize("without", [NO_DEVICE, {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}])
def test_the_right_ways_load_where_there_is_no_npu(run_code, checkpoint, load, without):
    code = f"""
import torch
state = torch.load({load})
print(*(value.device.type for value in state.values()), state["0.weight"].sum().item())
"""
    printed = run_code(code, **without).split()
    assert printed[:4] == ["cpu"] * 4
    assert float(printed[4]) == pytest.approx(checkpoint["0.weight"].sum().item(), rel=1e-6)


def test_a_checkpoint_of_the_npu_loads_back_onto_it(checkpoint, tmp_path):
    state = torch.load(tmp_path / "model.pth")
    for name, value in state.items():
        assert value.device == torch.device("npu:0")
        assert torch.equal(value.cpu(), checkpoint[name])
