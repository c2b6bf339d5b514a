# SPDX-License-Identifier: Apache-2.0
"""Time of single operators on a million float32 elements, npu at level 0 against PyTorch CPU eager.

The operators are those that the training steps of bench.models call most (python -m bench.routes
--calls lists them), forward and backward, with shapes as such models have them.
"""

import argparse
import math
from collections.abc import Callable

import torch
from torch.nn import functional

from bench.interleave import interleave
from bench.result import Result

ROUNDS, CALLS = 7, 5
aten = torch.ops.aten
Call = Callable[[], object]


def vectors(device: str) -> dict[str, Call]:
    """Element by element: [1000, 1000]."""
    a, b = torch.randn(1000, 1000), torch.rand(1000, 1000) + 0.5
    a, b = a.to(device), b.to(device)
    out, row, mask = torch.empty_like(a), b[0].clone(), a > 0
    half = a.half()
    index = torch.randint(0, 1000, (1000,)).to(device)
    wide = torch.randint(0, 1000, (1000, 1000)).to(device)
    return {
        "add": lambda: a + b,
        "add_": lambda: out.add_(a),
        "add row": lambda: a + row,
        "add number": lambda: a + 2.0,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "mul_ number": lambda: out.mul_(0.5),
        "div": lambda: a / b,
        "pow 2": lambda: a**2,
        "sqrt": lambda: b.sqrt(),
        "rsqrt": lambda: b.rsqrt(),
        "exp": lambda: a.exp(),
        "log": lambda: b.log(),
        "sin": lambda: a.sin(),
        "tanh": lambda: a.tanh(),
        "sigmoid": lambda: a.sigmoid(),
        "relu": lambda: a.relu(),
        "relu backward": lambda: aten.threshold_backward(a, b, 0),
        "gelu": lambda: functional.gelu(a),
        "gelu backward": lambda: aten.gelu_backward(a, b),
        "silu": lambda: functional.silu(a),
        "silu backward": lambda: aten.silu_backward(a, b),
        "hardtanh": lambda: functional.hardtanh(a),
        "clamp": lambda: a.clamp(-1, 1),
        "where": lambda: torch.where(mask, a, b),
        "masked_fill": lambda: a.masked_fill(mask, 0.0),
        "greater": lambda: a > b,
        "addcmul_": lambda: out.addcmul_(a, b, value=0.1),
        "addcdiv_": lambda: out.addcdiv_(a, b, value=0.1),
        "lerp_": lambda: out.lerp_(a, 0.1),
        "copy": lambda: a.clone(),
        "copy transposed": lambda: a.t().contiguous(),
        "to half": lambda: a.half(),
        "from half": lambda: half.float(),
        "zeros": lambda: torch.zeros_like(a),
        "cat": lambda: torch.cat([a[:500], b[:500]], 1),
        "index_select": lambda: a.index_select(0, index),
        "gather": lambda: a.gather(1, wide),
        "index": lambda: a[index],
        "index_put accumulate": lambda: out.index_put_((index,), a, accumulate=True),
        "dropout": lambda: functional.dropout(a, 0.5),
        "randn": lambda: torch.randn_like(a),
    }


def reductions(device: str) -> dict[str, Call]:
    """Along rows or over everything: [1000, 1000]."""
    a = torch.randn(1000, 1000).to(device)
    weight, bias = torch.randn(1000).to(device), torch.randn(1000).to(device)
    target = torch.randint(0, 1000, (1000,)).to(device)
    soft, logs = a.softmax(1), a.log_softmax(1)
    normed = aten.native_layer_norm(a, [1000], weight, bias, 1e-5)
    return {
        "sum": lambda: a.sum(),
        "sum rows": lambda: a.sum(1),
        "sum columns": lambda: a.sum(0),
        "mean rows": lambda: a.mean(1),
        "amax rows": lambda: a.amax(1),
        "argmax rows": lambda: a.argmax(1),
        "norm": lambda: torch.linalg.vector_norm(a),
        "var rows": lambda: a.var(1),
        "cumsum": lambda: a.cumsum(1),
        "softmax": lambda: a.softmax(1),
        "softmax backward": lambda: aten._softmax_backward_data(a, soft, 1, torch.float32),
        "log_softmax": lambda: a.log_softmax(1),
        "log_softmax backward": lambda: aten._log_softmax_backward_data(a, logs, 1, torch.float32),
        "nll_loss": lambda: functional.nll_loss(logs, target),
        "layer_norm": lambda: functional.layer_norm(a, (1000,), weight, bias),
        "layer_norm backward": lambda: aten.native_layer_norm_backward(
            *(a, a, [1000], normed[1], normed[2], weight, bias, [True, True, True])
        ),
        "sort": lambda: a.sort(1),
        "topk": lambda: a.topk(10, 1),
    }


def networks(device: str) -> dict[str, Call]:
    """Layers: images of [16, 64, 32, 32], matrices of [1000, 1000]."""
    x = torch.randn(16, 64, 32, 32).to(device)
    filters = (torch.randn(64, 64, 3, 3) / 24).to(device)
    points = (torch.randn(64, 64, 1, 1) / 8).to(device)
    depth = torch.randn(64, 1, 3, 3).to(device)
    ones, zeros = torch.ones(64).to(device), torch.zeros(64).to(device)
    a, b = torch.randn(1000, 1000).to(device), torch.randn(1000, 1000).to(device)
    batch = torch.randn(61, 128, 128).to(device)
    q = torch.randn(8, 8, 256, 64).to(device)
    table, tokens = torch.randn(1000, 64).to(device), torch.randint(0, 1000, (16, 1000)).to(device)
    pooled, places = aten.max_pool2d_with_indices(x, [2, 2], [2, 2])
    stats = aten.native_batch_norm(x, ones, zeros, zeros, ones, True, 0.1, 1e-5)
    convolve = [1, 1], [1, 1], [1, 1], False, [0, 0]
    everything = [True, True, False]
    return {
        "mm": lambda: a @ b,
        "addmm": lambda: torch.addmm(a[0], a, b),
        "bmm": lambda: batch @ batch,
        "attention": lambda: functional.scaled_dot_product_attention(q, q, q),
        "embedding": lambda: functional.embedding(tokens, table),
        "conv 3x3": lambda: functional.conv2d(x, filters, padding=1),
        "conv 3x3 backward": lambda: aten.convolution_backward(
            *(x, x, filters, [0], *convolve, 1, everything)
        ),
        "conv 1x1": lambda: functional.conv2d(x, points),
        "conv depthwise": lambda: functional.conv2d(x, depth, padding=1, groups=64),
        "conv depthwise backward": lambda: aten.convolution_backward(
            *(x, x, depth, [0], *convolve, 64, everything)
        ),
        "batch_norm": lambda: aten.native_batch_norm(
            *(x, ones, zeros, None, None, True, 0.1, 1e-5)
        ),
        "batch_norm backward": lambda: aten.native_batch_norm_backward(
            *(x, x, ones, None, None, stats[1], stats[2], True, 1e-5, [True, True, True])
        ),
        "group_norm": lambda: functional.group_norm(x, 8, ones, zeros),
        "max_pool": lambda: aten.max_pool2d_with_indices(x, [2, 2], [2, 2]),
        "max_pool backward": lambda: aten.max_pool2d_with_indices_backward(
            *(pooled, x, [2, 2], [2, 2], [0, 0], [1, 1], False, places)
        ),
        "avg_pool": lambda: functional.avg_pool2d(x, 2),
        "adaptive_avg_pool": lambda: functional.adaptive_avg_pool2d(x, 1),
    }


def repeated(call: Call, device: str) -> Call:
    def run() -> None:
        for _ in range(CALLS):
            call()
        if device != "cpu":
            torch.get_device_module(device).synchronize()

    return run


def run(options: argparse.Namespace) -> Result:
    torch.manual_seed(0)
    ratios, milliseconds = {}, {}
    print(f"{'':26}{'cpu ms':>9}{'npu ms':>9}   npu over cpu")
    for make in (vectors, reductions, networks):
        calls = {device: make(device) for device in ("cpu", options.device)}
        for name in calls["cpu"]:
            times = interleave(
                {device: repeated(each[name], device) for device, each in calls.items()}, ROUNDS
            )
            cpu, npu = (times[device].median / CALLS for device in calls)
            ratios[name] = npu / cpu
            milliseconds[name] = {"cpu": cpu, "npu": npu}
            print(f"{name:26}{cpu:9.3f}{npu:9.3f}{ratios[name]:8.2f}", flush=True)
    figures = {
        "slowest operator, npu over cpu": max(ratios.values()),
        "geometric mean, npu over cpu": math.exp(sum(map(math.log, ratios.values())) / len(ratios)),
    }
    return Result(figures, {"milliseconds": milliseconds})
