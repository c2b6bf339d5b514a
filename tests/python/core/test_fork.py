# SPDX-License-Identifier: Apache-2.0
"""Processes forked after the NPU was used: a clear refusal there, and no harm to the parent."""

import pytest
import torch
from torch.utils.data import DataLoader, Dataset

USES = (
    "torch.empty(3, device='npu')",
    "x + 1",
    "x.cpu()",
    "torch.npu.synchronize()",
    "stream.synchronize()",
    "event.synchronize()",
    "torch.npu.set_device(0)",
    "torch.ones(3).pin_memory()",
    "torch.npu.Stream()",
)

FORK = """
import os, sys, torch, torchtitan_npu
x = torch.ones(1000, device="npu")
event = torch.npu.Event(); event.record()
pinned = torch.ones(10).pin_memory()
stream = torch.npu.Stream(); stream.synchronize()
child = os.fork()
if child == 0:
    for use in USES:
        try:
            eval(use)
            print(use, "raised nothing")
        except RuntimeError as error:
            if "spawn" not in str(error):
                print(use, error)
    print(torch.npu._is_in_bad_fork())
    del x, event, pinned, stream      # destructors must do nothing
    torch.manual_seed(3)              # what DataLoader workers do
    print(torch.ones(3).sum().item())
    sys.exit(0)
_, status = os.waitpid(child, 0)
print(status, x.sum().item(), torch.npu._is_in_bad_fork())
"""


def test_every_use_in_a_forked_child_says_spawn(run_code):
    assert run_code(f"USES = {USES}\n{FORK}") == "True\n3.0\n0 1000.0 False\n"


def test_a_child_forked_before_the_first_use_works(run_code):
    code = """
import os, torch, torchtitan_npu
torch.npu.device_count()
child = os.fork()
if child == 0:
    ok = torch.ones(5, device="npu").sum().item() == 5
    os._exit(0 if ok else 1)
print(os.waitpid(child, 0)[1], torch.ones(5, device="npu").sum().item())
"""
    assert run_code(code) == "0 5.0\n"


class OnDevice(Dataset):
    """A mistake that people make: touching the device in a worker."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.ones(2).to("npu")


def test_a_dataloader_worker_that_uses_npu_says_spawn(npu):
    torch.ones(1, device="npu")
    with pytest.raises(RuntimeError, match="spawn"):
        next(iter(DataLoader(OnDevice(), num_workers=1, multiprocessing_context="fork")))
    assert torch.ones(3, device="npu").sum().item() == 3
