# SPDX-License-Identifier: Apache-2.0
"""Every row of the operator table computes what PyTorch's CPU computes: values, and gradients.

The table drives it: a new row without a sample fails. Half precision is compared with the CPU's
float32 result for the same inputs, rounded once.
"""

import copy

import pytest
import torch

import torchtitan_npu
import torchtitan_npu.ops
from tests.python.ops import (  # noqa: F401
    samples_layers,
    samples_memory,
    samples_statistics,
    samples_tensors,
)
from tests.python.ops.samples import SAMPLES, TOLERANCE, Arguments, Maker

# Rows of the family "host" are PyTorch's own CPU kernels; PyTorch's operator database judges them.
ROWS = [row for row in torchtitan_npu.ops.table() if row.family != "host"]
# Random by nature: test_random_ops.py looks at their distributions.
RANDOM = {
    "bernoulli.out",
    "bernoulli_.Tensor",
    "bernoulli_.float",
    "cauchy_",
    "dropout",
    "exponential_",
    "geometric_",
    "log_normal_",
    "multinomial",
    "native_dropout",
    "normal.Tensor_Tensor",
    "normal.Tensor_float",
    "normal.float_Tensor",
    "normal_",
    "random_",
    "random_.from",
    "random_.to",
    "randperm.generator_out",
    "uniform_",
}
HALVES = (torch.float16, torch.bfloat16)
# What depends on the type itself is compared in that type.
IN_TYPE = {"nan_to_num.out"}
# CPU keeps for the gradient what npu does not.
BUFFERS = {
    "log_sigmoid_forward": 1,
    "_ctc_loss": 1,
    "_embedding_bag": 1,
    "_embedding_bag_forward_only": 1,
}


def overload(name: str):
    base, _, suffix = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), suffix or "default")


def mapped(value, function):
    """`value` with `function` applied to its tensors."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(item, function) for item in value)
    if isinstance(value, dict):
        return {key: mapped(item, function) for key, item in value.items()}
    if isinstance(value, Arguments):
        return Arguments(mapped(value.args, function), mapped(value.kwargs, function))
    return value


def tensors_of(value) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    mapped(value, lambda tensor: found.append(tensor) or tensor)
    return found


def to_npu(tensor: torch.Tensor) -> torch.Tensor:
    """A copy on npu with the same strides; numbers stay where they are."""
    if getattr(tensor, "is_number", False):
        return tensor
    moved = tensor.contiguous().to("npu")
    if tensor.numel() == 0 or tensor.is_contiguous():
        return moved
    laid_out = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="npu")
    if 0 in tensor.stride():  # expanded: a copy of what is behind it
        index = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in tensor.stride())
        return moved[index].contiguous().expand(tensor.size())
    return laid_out.copy_(moved)


def gapped(tensor: torch.Tensor) -> torch.Tensor:
    """The same values with memory between them."""
    if tensor.dim() < 1:
        return tensor
    wide = torch.empty(*tensor.shape, 2, dtype=tensor.dtype, device=tensor.device)
    return wide.select(-1, 1).copy_(tensor)


def is_out_or_inplace(name: str) -> bool:
    base, _, suffix = name.partition(".")
    return base.endswith("_") or any(word in suffix for word in ("out", "grad_input", "values"))


def reference(operator, given: Arguments, in_type: bool = False):
    """CPU results; half precision is computed in float32."""
    if in_type:
        return operator(*given.args, **given.kwargs), given
    wide = mapped(given, lambda t: t.float() if t.dtype in HALVES else t.clone())
    wide = Arguments(
        tuple(torch.float32 if a in HALVES else a for a in wide.args),
        {k: torch.float32 if v in HALVES else v for k, v in wide.kwargs.items()},
    )
    return operator(*wide.args, **wide.kwargs), wide


def check(got, wanted, name: str, dtype: torch.dtype) -> None:
    got, wanted = tensors_of([got]), tensors_of([wanted])
    assert len(got) == len(wanted)
    pairs = [pair for pair in zip(got, wanted, strict=True) if not hasattr(pair[0], "is_number")]
    for left, right in pairs:
        assert left.device.type == "npu", "a result is not on npu"
        assert left.shape == right.shape
        options = {}
        if right.dtype == torch.float32 and left.dtype == torch.float32 and name in TOLERANCE:
            options = dict(zip(("rtol", "atol"), TOLERANCE[name], strict=False))
        if left.dtype in HALVES:
            assert right.dtype in (torch.float32, left.dtype)
            unit = torch.finfo(left.dtype).eps
            options = {"rtol": 2 * unit, "atol": 4 * unit}
            right = right.to(left.dtype)
        torch.testing.assert_close(left.cpu(), right, equal_nan=True, check_stride=False, **options)


def cases():
    for row in ROWS:
        for dtype in row.dtypes:
            if row.full_name not in RANDOM:
                yield pytest.param(
                    row.full_name, dtype, id=f"{row.full_name}-{str(dtype).removeprefix('torch.')}"
                )


def test_every_row_has_a_sample():
    missing = {row.full_name for row in ROWS} - set(SAMPLES) - RANDOM
    assert not missing, f"rows without a sample in tests/python/ops: {sorted(missing)}"


def test_every_sample_has_a_row():
    assert not set(SAMPLES) - {row.full_name for row in torchtitan_npu.ops.table()}


def convolution_backward(grad, x, weight, *rest):
    *parameters, mask = rest
    channels = weight.size(1) * parameters[-1] if parameters[3] else weight.size(0)
    return torch.ops.aten.convolution_backward(grad, x, weight, [channels], *parameters, mask)


def prelu_backward(grad, x, weight):
    grad_x, grad_weight = torch.ops.aten._prelu_kernel_backward(grad, x, weight)
    return grad_x, grad_weight.sum_to_size(weight.shape)


def cat(*parts):
    return torch.cat(parts, 1)


def lstm_cell(gates, hidden_gates, cx, bias=None, hidden_bias=None):
    gates = gates + hidden_gates + (0 if bias is None else bias + hidden_bias)
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, cat(i, f, g, o)


def lstm_cell_backward(grad_hy, grad_cy, cx, cy, storage, has_bias):
    i, f, g, o = storage.chunk(4, 1)
    grad_hy = torch.zeros_like(cx) if grad_hy is None else grad_hy
    grad_c = grad_hy * o * (1 - cy.tanh() ** 2) + (0 if grad_cy is None else grad_cy)
    grads = cat(
        grad_c * g * i * (1 - i),
        grad_c * cx * f * (1 - f),
        grad_c * i * (1 - g**2),
        grad_hy * cy.tanh() * o * (1 - o),
    )
    return grads, grad_c * f, grads.sum(0) if has_bias else None


def gru_cell(gates, hidden_gates, hx, bias=None, hidden_bias=None):
    if bias is not None:
        gates, hidden_gates = gates + bias, hidden_gates + hidden_bias
    (r, z, n), (hr, hz, hn) = gates.chunk(3, 1), hidden_gates.chunk(3, 1)
    r, z = (r + hr).sigmoid(), (z + hz).sigmoid()
    n = (n + r * hn).tanh()
    return n + z * (hx - n), cat(r, z, n, hx, hn)


def gru_cell_backward(grad, workspace, has_bias):
    r, z, n, hx, hn = workspace.chunk(5, 1)
    grad_z = grad * (hx - n) * z * (1 - z)
    grad_n = grad * (1 - z) * (1 - n**2)
    grad_r = grad_n * hn * r * (1 - r)
    gates, hidden_gates = cat(grad_r, grad_z, grad_n), cat(grad_r, grad_z, grad_n * r)
    sums = (gates.sum(0), hidden_gates.sum(0)) if has_bias else (None, None)
    return gates, hidden_gates, grad * z, *sums


# Hooks for devices: on the CPU the general form computes the same.
GENERAL = {
    "convolution_overrideable": torch.ops.aten.convolution,
    "convolution_backward_overrideable": convolution_backward,
    "_prelu_kernel_backward": prelu_backward,  # npu sums the weight's gradient itself
    "_thnn_fused_gru_cell": gru_cell,
    "_thnn_fused_gru_cell_backward": gru_cell_backward,
    "_thnn_fused_lstm_cell": lstm_cell,
    "_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
}


@pytest.mark.parametrize("layout", ["as given", "gapped"])
@pytest.mark.parametrize("name, dtype", list(cases()))
def test_values(name, dtype, layout):
    operator = overload(name)
    for seed, make in enumerate(SAMPLES[name]):
        given = make(Maker(dtype, seed))
        if layout == "gapped":
            given = mapped(given, gapped)
        wanted, after = reference(
            GENERAL.get(name, operator), copy.deepcopy(given), name in IN_TYPE
        )
        moved = mapped(given, to_npu)
        got = operator(*moved.args, **moved.kwargs)
        if is_out_or_inplace(name):
            check(list(moved.args), list(after.args), name, dtype)
            check(moved.kwargs.get("out"), after.kwargs.get("out"), name, dtype)
        if name in BUFFERS:
            got, wanted = got[: BUFFERS[name]], wanted[: BUFFERS[name]]
        if got is not None and not isinstance(got, bool):
            check(got, wanted, name, dtype)
        else:
            assert got == wanted


# Operators and arguments (by place) that PyTorch has no gradient for.
NOT_DIFFERENTIABLE = {
    "_unique",
    "_unique2",
    "unique_consecutive",
    "unique_dim",
    "unique_dim_consecutive",
    "_native_multi_head_attention",
    "_transformer_encoder_layer_fwd",
    "_embedding_bag_forward_only",
    "_native_batch_norm_legit",
    "any",
    "all",
    "_thnn_fused_gru_cell",  # what they keep has no gradient; test_layers.py has the layers
    "_thnn_fused_lstm_cell",
    "convolution_overrideable",
    "floor_divide",
    "remainder.Scalar_Tensor",
    "scatter.reduce",
    "scatter.value_reduce",
}
CONSTANT_ARGUMENTS = {
    "binary_cross_entropy": {2},
    "fractional_max_pool2d": {1},
    "fractional_max_pool3d": {1},
    "multi_margin_loss": {2},
    "native_batch_norm": {3, 4},
    "nll_loss_forward": {2},
    "nll_loss2d_forward": {2},
    "rrelu_with_noise": {1},
}


GRADIENTS = sorted(
    {
        row.full_name
        for row in ROWS
        if torch.float32 in row.dtypes
        and row.full_name not in RANDOM
        and not is_out_or_inplace(row.full_name)
        and "backward" not in row.name
        and "foreach" not in row.name
        and row.full_name not in NOT_DIFFERENTIABLE
    }
)


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    operator = overload(name)
    for seed, make in enumerate(SAMPLES[name]):
        given = make(Maker(torch.float32, seed))
        if any(
            not bool(torch.isfinite(t).all()) for t in tensors_of(given) if t.is_floating_point()
        ):
            continue
        results = []
        for function, move in ((GENERAL.get(name, operator), torch.clone), (operator, to_npu)):
            moved = mapped(given, move)
            constant = CONSTANT_ARGUMENTS.get(name, set())
            leaves = [
                t.detach().requires_grad_(t.is_floating_point() and i not in constant)
                for i, t in enumerate(tensors_of(moved))
            ]
            moved = mapped(moved, lambda _, left=iter(leaves): next(left))  # noqa: B008
            outputs = [
                out
                for out in tensors_of([function(*moved.args, **moved.kwargs)])
                if out.requires_grad
            ]
            if not outputs:
                results.append(None)
                continue
            cotangents = [
                Maker(torch.float32, 99 + i)(*out.shape).to(out.device)
                for i, out in enumerate(outputs)
            ]
            wanted = [leaf for leaf in leaves if leaf.requires_grad]
            results.append(torch.autograd.grad(outputs, wanted, cotangents, allow_unused=True))
        expected, got = results
        assert (expected is None) == (got is None)
        for left, right in zip(got or (), expected or (), strict=False):
            assert (left is None) == (right is None)
            if left is not None:
                torch.testing.assert_close(left.cpu(), right, rtol=1e-4, atol=2e-5, equal_nan=True)


INPLACE = sorted(
    row.full_name
    for row in ROWS
    if row.full_name not in RANDOM
    and not is_out_or_inplace(row.full_name)
    and "foreach" not in row.name
    and row.full_name != "pow.Scalar"
    and hasattr(torch.ops.aten, f"{row.name}_")
    and (row.overload or "default") in getattr(torch.ops.aten, f"{row.name}_").overloads()
)


@pytest.mark.parametrize("name", INPLACE)
def test_inplace_form(name):
    base, _, suffix = name.partition(".")
    operator = overload(f"{base}_.{suffix}" if suffix else f"{base}_")
    compared = 0
    for seed, make in enumerate(SAMPLES[name]):
        dtype = torch.float32 if "bitwise" not in name and name != "gcd" else torch.int32
        given = make(Maker(dtype, seed))
        mine, theirs = mapped(given, to_npu), copy.deepcopy(given)
        try:
            operator(*theirs.args, **theirs.kwargs)
        except RuntimeError:  # this sample broadcasts its first argument
            with pytest.raises(RuntimeError):
                operator(*mine.args, **mine.kwargs)
            continue
        compared += 1
        got = operator(*mine.args, **mine.kwargs)
        assert got is mine.args[0]
        check(got, theirs.args[0], name, dtype)
    assert compared
