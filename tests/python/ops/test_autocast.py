# SPDX-License-Identifier: Apache-2.0
"""torch.autocast("npu"): types as PyTorch's lists say, a step with GradScaler, refusals."""

import pytest
import torch
from torch.nn import functional


@pytest.fixture(params=[torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
def dtype(request, npu):
    return request.param


def test_matrix_products_compute_in_the_lower_precision(dtype):
    a, b = torch.randn(8, 8, device="npu"), torch.randn(8, 8, device="npu")
    with torch.autocast("npu", dtype=dtype):
        product = a @ b
        convolved = functional.conv2d(a.view(1, 1, 8, 8), b.view(1, 1, 8, 8))
        assert product.dtype == convolved.dtype == dtype
        assert (a + b).dtype == torch.float32
    assert (a @ b).dtype == torch.float32
    tolerance = {"rtol": 4 * torch.finfo(dtype).eps, "atol": 8 * torch.finfo(dtype).eps}
    torch.testing.assert_close(product.float().cpu(), a.cpu() @ b.cpu(), **tolerance)


def test_sums_and_losses_compute_in_float32(dtype):
    x = torch.randn(4, 5, device="npu", dtype=dtype)
    with torch.autocast("npu", dtype=dtype):
        assert x.softmax(1).dtype == torch.float32
        assert x.sum().dtype == torch.float32
        assert x.norm().dtype == torch.float32
        assert functional.cross_entropy(x, torch.arange(4, device="npu")).dtype == torch.float32


def test_mixed_inputs_take_the_widest_type(dtype):
    x = torch.ones(3, device="npu")
    with torch.autocast("npu", dtype=dtype):
        assert torch.dot(x.to(dtype), x).dtype == torch.float32
        assert torch.cat([x.to(dtype), x]).dtype == torch.float32


def test_nested_regions_switch_it_off(dtype):
    x = torch.ones(2, 2, device="npu")
    with torch.autocast("npu", dtype=dtype):
        with torch.autocast("npu", enabled=False):
            assert (x @ x).dtype == torch.float32
        assert (x @ x).dtype == dtype


def test_binary_cross_entropy_is_refused_with_ways_on(dtype):
    x = torch.rand(3, device="npu")
    with (
        torch.autocast("npu", dtype=dtype),
        pytest.raises(RuntimeError, match="binary_cross_entropy_with_logits"),
    ):
        functional.binary_cross_entropy(x, x)


def test_a_training_step_matches_autocast_on_the_cpu(npu):
    def losses(device):
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.ReLU(), torch.nn.Linear(32, 4)
        ).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.randn(64, 16).to(device)
        y = torch.arange(64).remainder(4).to(device)
        for _ in range(5):
            with torch.autocast(device, dtype=torch.bfloat16):
                loss = functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item()

    for ours, cpu in zip(losses("npu"), losses("cpu"), strict=True):
        assert ours == pytest.approx(cpu, rel=torch.finfo(torch.bfloat16).eps)


def test_grad_scaler_skips_steps_with_infinite_gradients(npu):
    weight = torch.nn.Parameter(torch.ones(3, device="npu"))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("npu", init_scale=4.0, growth_interval=1)
    for factor, expected, scale in ((1.0, 0.0, 8.0), (float("inf"), 0.0, 4.0), (2.0, -2.0, 8.0)):
        optimizer.zero_grad()
        scaler.scale((weight * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        assert weight.tolist() == [expected] * 3
        assert scaler.get_scale() == scale
