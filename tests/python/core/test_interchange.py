# SPDX-License-Identifier: Apache-2.0
"""Tensors that leave for another library or another process."""

import numpy as np
import pytest
import torch
from torch.utils.dlpack import DLDeviceType


def test_dlpack_shares_the_memory(npu):
    x = torch.arange(6.0, device="npu").view(2, 3)
    assert x.__dlpack_device__() == (DLDeviceType.kDLExtDev, 0)
    y = torch.from_dlpack(x.t())
    assert y.device == x.device and y.stride() == (1, 3)
    y.add_(1)
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_dlpack_of_the_cpu_is_as_before(npu):
    assert torch.ones(2).__dlpack_device__() == (DLDeviceType.kDLCPU, 0)
    assert torch.from_dlpack(np.ones(2)).tolist() == [1, 1]


def test_numpy_asks_for_a_copy_on_the_cpu(npu):
    with pytest.raises(TypeError, match=r"npu:0 .* Use Tensor.cpu\(\)"):
        np.asarray(torch.ones(2, device="npu"))


QUEUE = """
import torch, torchtitan_npu
import torch.multiprocessing as mp

def child(here, back):
    back.put(here.get() + 1)
    here.get()  # PyTorch's rule: who sends lives until the other has received

if __name__ == "__main__":
    context = mp.get_context("spawn")
    there, back = context.SimpleQueue(), context.SimpleQueue()
    for sent in (torch.ones(2, device="npu"), torch.nn.Parameter(torch.ones(2, device="npu"))):
        try:
            there.put(sent)
        except NotImplementedError as error:
            print(error)
    process = context.Process(target=child, args=(there, back))
    process.start()
    there.put(torch.ones(2, device="npu").cpu())
    print(back.get().to("npu").tolist())
    there.put(None)
    process.join()
"""


def test_another_process_gets_a_copy_from_the_cpu_or_a_reason(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(QUEUE)
    done = run_python(str(script))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and lines[2] == "[2.0, 2.0]"
    for line in lines[:2]:
        assert "npu:0 cannot be sent to another process" in line and "tensor.cpu()" in line
