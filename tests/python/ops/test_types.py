# SPDX-License-Identifier: Apache-2.0
"""Complex numbers, and integers where floats are the rule: npu computes what the CPU does."""

import pytest
import torch

import torchtitan_npu  # noqa: F401


def compare(function, *tensors: torch.Tensor) -> None:
    wanted = function(*tensors)
    got = function(*[tensor.to("npu") for tensor in tensors])
    for left, right in zip(
        *(torch.utils._pytree.tree_leaves(r) for r in (got, wanted)), strict=True
    ):
        assert left.device.type == "npu"
        torch.testing.assert_close(left.cpu(), right, equal_nan=True, rtol=1e-5, atol=1e-5)


def complex_numbers(*shape: int) -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(*shape, dtype=torch.complex64)


# PyTorch hands these their operands with the conjugation still to be done.
CONJUGATED = {
    "mm": lambda x: x @ x.mH,
    "addmm": lambda x: torch.addmm(x[:3, :3].conj(), x.conj(), x.mT),
    "bmm": lambda x: torch.bmm(x[None].conj(), x[None].mT),
    "baddbmm": lambda x: torch.baddbmm(x[None, :, :3].conj(), x[None].conj(), x[None].mT),
    "mv": lambda x: x.conj() @ x[0].conj(),
    "dot": lambda x: torch.dot(x[0].conj(), x[1]),
    "vdot": lambda x: torch.vdot(x[0], x[1]),
    "cov": torch.cov,
    "corrcoef": torch.corrcoef,
}


@pytest.mark.parametrize("name", CONJUGATED)
def test_products_conjugate_what_is_lazily_conjugated(name):
    compare(CONJUGATED[name], complex_numbers(3, 5))


UNARY = (
    "acos acosh asin asinh atan atanh cosh sinh tan exp2 expm1 log1p log2 log10 sinc logical_not"
)


@pytest.mark.parametrize("name", UNARY.split())
def test_functions_of_complex_numbers(name):
    compare(getattr(torch, name), complex_numbers(3, 5))


COMPLEX = {
    "vector norm": lambda x: torch.linalg.vector_norm(x, ord=1, dim=1),
    "var": lambda x: x.var(1),
    "std": lambda x: x.std(),
    "var_mean": lambda x: torch.var_mean(x, 1),
    "std_mean": lambda x: torch.std_mean(x, 1, keepdim=True),
    "logical": lambda x: (x.logical_and(x), x.logical_or(x), x.logical_xor(x)),
    "masked_fill": lambda x: x.masked_fill(x.real > 0, 1 - 2j),
    "index_fill": lambda x: x.index_fill(0, torch.tensor([1], device=x.device), 2j),
    "index_add": lambda x: x.index_add(0, torch.tensor([2], device=x.device), x[:1]),
    "index_copy": lambda x: x.index_copy(0, torch.tensor([2], device=x.device), x[:1]),
    "lerp": lambda x: torch.lerp(x, x.conj(), 0.25),
    "silu": torch.nn.functional.silu,
    "trace": torch.trace,
}


@pytest.mark.parametrize("name", COMPLEX)
def test_operators_on_complex_numbers(name):
    compare(COMPLEX[name], complex_numbers(3, 5))


@pytest.mark.parametrize("correction", [0.5, 1.3, 3, 3.5])
@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
def test_corrections_need_not_be_whole(name, correction):
    compare(lambda x: getattr(torch, name)(x, 0, correction=correction), complex_numbers(3, 5).real)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
@pytest.mark.parametrize(
    "start, end, steps", [(0, 10, 5), (1, 50, 7), (7, 3, 6), (2, 9, 1), (0, 1, 0)]
)
def test_integers_between_two_numbers(dtype, start, end, steps):
    options = {"steps": steps, "dtype": dtype}
    got = torch.linspace(start, end, device="npu", **options)
    assert torch.equal(got.cpu(), torch.linspace(start, end, **options))
    got = torch.logspace(start / 8, end / 8, device="npu", **options)
    assert torch.equal(got.cpu(), torch.logspace(start / 8, end / 8, **options))


def test_logit_of_integers_is_floating_point():
    compare(torch.logit, torch.tensor([0, 1, 2]))
    compare(torch.logit, torch.tensor([True, False]))


@pytest.mark.parametrize("name", ["tril_indices", "triu_indices"])
def test_indices_of_triangles(name):
    function = getattr(torch, name)
    assert torch.equal(function(4, 5, 1, device="npu").cpu(), function(4, 5, 1))


def test_least_common_multiple():
    compare(torch.lcm, torch.tensor([4, -6, 0]), torch.tensor([6, 9, 3]))


def test_an_operator_of_memory_refuses_a_lazy_conjugate_as_output():
    x = complex_numbers(3, 3).to("npu")
    out = torch.empty_like(x).conj()
    with pytest.raises(RuntimeError, match="conj"):
        torch.mm(x, x, out=out)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_images_of_bytes_change_their_size_in_any_layout(mode, layout):
    image = torch.randint(0, 255, (2, 3, 27, 27), dtype=torch.uint8).contiguous(
        memory_format=layout
    )
    compare(lambda x: torch.nn.functional.interpolate(x, size=(13, 40), mode=mode), image)


def mask_of(x: torch.Tensor) -> torch.Tensor:
    return torch.ones_like(x, dtype=torch.bool)


# What the CPU refuses, npu refuses before it runs anything.
REFUSED = {
    "complex of two types": lambda x: torch.complex(x, x.double()),
    "complex of integers": lambda x: torch.complex(x.int(), x.int()),
    "polar into floats": lambda x: torch.polar(x, x, out=torch.empty_like(x)),
    "complex into floats": lambda x: x.masked_fill(mask_of(x), 1 + 2j),
    "roll by nothing": lambda x: torch.roll(x, (), (0,)),
    "roll by too much": lambda x: torch.roll(x, (1, 2), (0,)),
    "roll of no dimension": lambda x: torch.roll(x, 1, 5),
    "unknown gelu": lambda x: torch.nn.functional.gelu(x, approximate="erf"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_cpu_refuses_npu_refuses_at_once(name):
    x = torch.randn(3, 4)
    with pytest.raises((RuntimeError, IndexError)) as wanted:
        REFUSED[name](x)
    with pytest.raises(wanted.type) as got:
        REFUSED[name](x.to("npu"))
    first, second = (str(error.value).splitlines()[0].lower() for error in (got, wanted))
    assert first == second
    torch.npu.synchronize()


def test_a_complex_number_on_the_real_axis_fills_real_tensors():
    compare(lambda x: x.masked_fill(mask_of(x), 2 + 0j), torch.randn(3))
