# SPDX-License-Identifier: Apache-2.0
"""Bad input is refused with PyTorch's words, and the device is usable afterwards."""

import os
import subprocess
import sys

import pytest
import torch

import torchtitan_npu.ops


@pytest.fixture(autouse=True)
def device_still_works(npu):
    yield
    assert (torch.ones(3, device=npu) + 1).cpu().tolist() == [2, 2, 2]


def on_npu(*shape, **options):
    return torch.ones(*shape, device="npu", **options)


@pytest.mark.parametrize(
    "function",
    [
        lambda: on_npu(3) + torch.ones(3),
        lambda: torch.mm(on_npu(2, 2), torch.ones(2, 2)),
        lambda: torch.nn.functional.linear(torch.ones(2, 2), on_npu(2, 2)),
        lambda: torch.cat([on_npu(2), torch.ones(2)]),
        lambda: torch.nn.functional.conv2d(on_npu(1, 1, 3, 3), torch.ones(1, 1, 3, 3)),
        lambda: torch.where(on_npu(3) > 0, on_npu(3), torch.ones(3)),
        lambda: torch.nn.functional.embedding(torch.tensor([1]), on_npu(3, 2)),
        lambda: torch.ones(3).add_(on_npu(3)),
    ],
)
def test_tensors_on_two_devices(function):
    with pytest.raises(RuntimeError, match=r"(?s)(same device|on npu).*cpu|cpu.*npu|npu.*cpu"):
        function()


@pytest.mark.parametrize(
    "function",
    [
        lambda d: torch.ones(2, 3, device=d) @ torch.ones(2, 3, device=d),
        lambda d: torch.ones(2, device=d) + torch.ones(3, device=d),
        lambda d: torch.ones(2, 3, device=d).sum(2),
        lambda d: torch.cat([torch.ones(2, 3, device=d), torch.ones(3, 2, device=d)]),
        lambda d: torch.ones(2, device=d).add_(torch.ones(2, 2, device=d)),
        lambda d: torch.ones(2, dtype=torch.int32, device=d).add_(1.5),
        lambda d: torch.softmax(torch.ones(2, 3, device=d), 2),
        lambda d: torch.ones(3, device=d) - (torch.ones(3, device=d) > 0),
        lambda d: torch.ones(2, 3, device=d).gather(0, torch.ones(2, device=d, dtype=torch.int64)),
        lambda d: torch.nn.functional.max_pool2d(torch.ones(1, 1, 2, 2, device=d), 5),
        lambda d: torch.mean(torch.ones(3, dtype=torch.int64, device=d)),
        lambda d: torch.ones(2, 3, device=d).view(4),
        lambda d: torch.ones(3, device=d)[torch.ones(2, device=d) > 0],
        lambda d: torch.add(torch.ones(3, device=d), 1, out=torch.ones(3, device=d).int()),
    ],
)
def test_refusals_are_those_of_the_cpu(function):
    with pytest.raises((RuntimeError, IndexError)) as wanted:
        function("cpu")
    with pytest.raises(type(wanted.value)) as got:
        function("npu")
    words = str(wanted.value).split("\n")[0].replace("cpu", "npu")
    assert str(got.value).split("\n")[0].replace(":0", "")[:60] == words[:60]


def test_operator_without_a_row_names_itself_and_the_ways_out(npu):
    with pytest.raises(
        RuntimeError, match="operator aten::_to_sparse not implemented for NPU"
    ) as error:
        torch.eye(3, device=npu).to_sparse()
    for way in ("CPU", "torchtitan_npu.ops", "TORCHTITAN_NPU_FALLBACK=warn"):
        assert way in str(error.value)


def run(code: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


FALLS_BACK = """
import torch, torchtitan_npu
x = torch.arange(24.0, device="npu").view(2, 3, 4)
def normed(x):
    weight, variance = torch.ones(2, 3, device=x.device)
    bias, mean = torch.zeros(2, 3, device=x.device)
    normed = torch.ops.aten._batch_norm_with_update
    return normed(x, weight, bias, mean, variance, 0.1, 1e-5)[0]
for _ in range(3):
    values = normed(x)
assert values.device.type == "npu", values.device
assert torch.allclose(values.cpu(), normed(x.cpu()))
"""
ON_THE_HOST = """
import torch, torchtitan_npu
x = torch.tensor([[2.0, 1.0], [1.0, 3.0]], device="npu")
for _ in range(3):
    values = torch.linalg.eigvalsh(x)
assert values.device.type == "npu", values.device
assert torch.allclose(values.cpu(), torch.linalg.eigvalsh(x.cpu()))
"""


def test_fallback_warns_once_an_operator():
    result = run(FALLS_BACK, TORCHTITAN_NPU_FALLBACK="warn")
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("operator aten::_batch_norm_with_update is not implemented") == 1
    assert "runs on the CPU" in result.stderr


def test_an_operator_without_a_cann_function_runs_on_the_host_and_says_so_once():
    result = run(ON_THE_HOST)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("operator aten::_linalg_eigh.eigenvalues has no CANN function") == 1
    quiet = run(ON_THE_HOST, TORCHTITAN_NPU_FALLBACK="silent")
    assert quiet.returncode == 0 and "runs on the CPU" not in quiet.stderr


def test_silent_fallback_says_nothing():
    result = run(FALLS_BACK, TORCHTITAN_NPU_FALLBACK="silent")
    assert result.returncode == 0, result.stderr
    assert "runs on the CPU" not in result.stderr


def test_ops_functions_call_the_operator(npu):
    x = torch.randn(100, 100)
    torch.testing.assert_close(
        torchtitan_npu.ops.gelu(x.to(npu)).cpu(), torch.nn.functional.gelu(x), rtol=1e-5, atol=1e-6
    )
    with pytest.raises(RuntimeError, match="takes tensors on npu"):
        torchtitan_npu.ops.gelu(x)
    with pytest.raises(AttributeError, match="table"):
        torchtitan_npu.ops.not_an_operator  # noqa: B018
    assert "gelu" in dir(torchtitan_npu.ops)


def test_table_names_both_halves():
    row = next(r for r in torchtitan_npu.ops.table() if r.full_name == "add.Tensor")
    assert (row.aclnn, row.family) == ("aclnnAdd", "elementwise")
    assert torch.float32 in row.dtypes and torch.int64 in row.dtypes


def test_types_that_an_npu_does_not_have_are_named(npu):
    with pytest.raises((RuntimeError, TypeError), match=r"(?i)float8|Float8"):
        torch.zeros(3, device=npu).to(torch.float8_e4m3fn) + 1


def test_indices_out_of_range_are_reported(npu):
    with pytest.raises((RuntimeError, IndexError), match=r"(?i)index"):
        torch.ones(3, device=npu)[torch.tensor([5], device=npu)].cpu()
