# SPDX-License-Identifier: Apache-2.0
"""Arguments for every row of the operator table, by full name.

A sample is a function of a ``Maker`` that returns the operator's arguments on the CPU. Rows that
have none here fail a test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

NAN, INF = float("nan"), float("inf")


class Maker:
    """Random CPU tensors of one element type, the same ones for the same seed."""

    def __init__(self, dtype: torch.dtype, seed: int = 0) -> None:
        self.dtype = dtype
        self._generator = torch.Generator().manual_seed(seed)

    def __call__(self, *shape: int, low: float = -3, high: float = 3) -> torch.Tensor:
        if self.dtype == torch.bool:
            return torch.rand(shape, generator=self._generator) < 0.5
        if not self.dtype.is_floating_point:
            low = max(low, 0) if self.dtype == torch.uint8 else low
            return self.ints(*shape, low=int(low), high=int(high) + 1).to(self.dtype)
        values = torch.rand(shape, generator=self._generator) * (high - low) + low
        return values.to(self.dtype)

    def ints(self, *shape: int, low: int = 0, high: int = 4) -> torch.Tensor:
        return torch.randint(low, high, shape, generator=self._generator)

    def mask(self, *shape: int) -> torch.Tensor:
        return torch.rand(shape, generator=self._generator) < 0.5

    def nonzero(self, *shape: int) -> torch.Tensor:
        """Positive, away from zero: divisors, and arguments of logarithms."""
        return self(*shape, low=1, high=4)

    def distinct(self, *shape: int) -> torch.Tensor:
        """No two alike, so that a maximum has one place."""
        count = torch.Size(shape).numel()
        order = torch.randperm(count, generator=self._generator).reshape(shape)
        if not self.dtype.is_floating_point:
            return (order % 100).to(self.dtype)
        return ((order - count // 2) / 8).to(self.dtype)

    @property
    def edges(self) -> torch.Tensor:
        """Zeros, infinities and NaN where the type has them."""
        if self.dtype.is_floating_point:
            return torch.tensor([0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 0.5], dtype=self.dtype)
        return torch.tensor([0, 1, 0, 1], dtype=self.dtype)


@dataclass(frozen=True)
class Arguments:
    args: tuple
    kwargs: dict


def call(*args: Any, **kwargs: Any) -> Arguments:
    return Arguments(args, kwargs)


def number(value: float) -> torch.Tensor:
    """A tensor that stays on the CPU beside npu tensors, as `x * 2` passes one."""
    tensor = torch.tensor(value)
    tensor.is_number = True
    return tensor


Sample = Callable[[Maker], Arguments]
SAMPLES: dict[str, list[Sample]] = {}
# Relative and absolute tolerance in float32, where PyTorch's defaults for one rounding do not fit:
# long sums, and functions that CPU libraries themselves compute to a few units only.
TOLERANCE: dict[str, tuple[float, float]] = {}


def sample(*names: str, tolerance: tuple[float, float] | None = None):
    def register(function: Sample) -> Sample:
        for name in names:
            SAMPLES.setdefault(name, []).append(function)
            if tolerance is not None:
                TOLERANCE[name] = tolerance
        return function

    return register


def unary(low: float, high: float, names: str, tolerance=(5e-6, 2e-6), edges: bool = True) -> None:
    for name in names.split():
        sample(name, tolerance=tolerance)(lambda m: call(m(3, 5, low=low, high=high)))
        sample(name)(lambda m: call(m(low=low, high=high)))
        sample(name)(lambda m: call(m(0, 3)))
        sample(name)(lambda m: call(m(2, 3, 4, 5, low=low, high=high).transpose(1, 3)))
        if not name.endswith("_"):
            sample(name)(lambda m: call(m(3, 1, low=low, high=high).expand(3, 4)))
        sample(name)(lambda m: call(m(3000, low=low, high=high)))
        if edges:
            sample(name)(lambda m: call(m.edges))


unary(
    -3, 3, "sgn isnan atan asinh ceil cos erf erfc exp exp2 expm1 floor frac neg round sigmoid sign"
)
unary(-3, 3, "signbit sin sinc sinh cosh tanh trunc silu mish isposinf isneginf bitwise_not")
unary(-3, 3, "hardsigmoid hardswish relu relu_ hardswish_")
unary(-1.2, 1.2, "tan")
unary(-0.9, 0.9, "acos asin atanh erfinv", tolerance=(2e-5, 2e-6))
unary(1, 4, "acosh log log10 log1p log2 reciprocal rsqrt sqrt")
unary(-8, 8, "gelu", edges=False)


def binary(names: str, second: Callable[[Maker, tuple], torch.Tensor], numbers=(2, 1.5)) -> None:
    for name in names.split():
        for left, right in [((3, 5), (3, 5)), ((3, 1), (1, 5)), ((2, 3, 4), (4,)), ((), (3,))]:
            sample(name, tolerance=(5e-6, 2e-6))(
                lambda m, a=left, b=right: call(m(*a), second(m, b))
            )
        sample(name)(lambda m: call(m(0, 3), second(m, (3,))))
        sample(name)(lambda m: call(m(4, 3).t(), second(m, (3, 4))))
        for value in numbers:
            sample(name)(lambda m, n=value: call(m(3, 5), number(n)))


def anything(m: Maker, shape: tuple) -> torch.Tensor:
    return m(*shape)


def divisor(m: Maker, shape: tuple) -> torch.Tensor:
    return m.nonzero(*shape)


binary("add.Tensor sub.Tensor mul.Tensor maximum minimum rsub.Tensor", anything)
binary("eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor", anything)
binary("div.Tensor floor_divide floor_divide_.Tensor fmod.Tensor remainder.Tensor", divisor, (2,))
binary("logaddexp", anything, ())
binary("atan2", divisor, ())
binary("xlogy.Tensor", divisor)
binary("gcd", anything, ())
binary("bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor", anything, (1,))
SAMPLES["floor_divide_.Tensor"] = [
    lambda m: call(m(3, 5), m.nonzero(3, 5)),
    lambda m: call(m(2, 3, 4), m.nonzero(4)),
    lambda m: call(m(3, 5), number(2)),
]


@sample("bitwise_left_shift.Tensor", "bitwise_right_shift.Tensor")
def shifts(m):
    return call(m.nonzero(3, 5), m.ints(3, 5, low=0, high=3).to(m.dtype))


@sample("add.Tensor", "sub.Tensor", "rsub.Tensor")
def with_alpha(m):
    return call(m(3, 5), m(3, 5), alpha=2)


for mode in (None, "trunc", "floor"):
    sample("div.Tensor_mode")(lambda m, r=mode: call(m(3, 5), m.nonzero(3, 5), rounding_mode=r))
    sample("div.Tensor_mode")(lambda m, r=mode: call(m(3, 5), number(2), rounding_mode=r))
for compared in ["eq", "ne", "lt", "le", "gt", "ge"]:
    sample(f"{compared}.Scalar")(lambda m: call(m(3, 5), 1))
    sample(f"{compared}.Scalar")(lambda m: call(m.edges, 1))
    sample(f"{compared}.Tensor")(lambda m: call(m.edges, m.edges.flip(0)))

for low, high in [(1, 2), (None, 1), (0, None)]:
    sample("clamp")(lambda m, a=low, b=high: call(m(3, 5), a, b))
    sample("clamp.Tensor")(
        lambda m, a=low, b=high: call(
            m(3, 5), None if a is None else m(5), None if b is None else m(3, 1)
        )
    )
sample("clamp_max", "clamp_min")(lambda m: call(m(3, 5), 1))
sample("clamp_max.Tensor", "clamp_min.Tensor")(lambda m: call(m(3, 5), m(5)))
sample("addcmul")(lambda m: call(m(3, 5), m(3, 5), m(5), value=2))
sample("addcdiv", tolerance=(5e-6, 2e-6))(lambda m: call(m(3, 5), m(3, 5), m.nonzero(5), value=0.5))
sample("lerp.Scalar")(lambda m: call(m(3, 5), m(3, 5), 0.3))
sample("lerp.Scalar")(lambda m: call(m(3, 5), m(5), 0.8))
sample("lerp.Tensor")(lambda m: call(m(3, 5), m(3, 5), m(3, 5, low=0, high=1)))
sample("pow.Tensor_Tensor", tolerance=(1e-5, 1e-6))(
    lambda m: call(m.nonzero(3, 5), m(3, 5, low=0, high=3))
)
for power in (2, 3, 0.5, -1, 0):
    sample("pow.Tensor_Scalar", tolerance=(1e-5, 1e-6))(
        lambda m, p=power: call(m.nonzero(3, 5), p if m.dtype.is_floating_point or p >= 0 else -p)
    )
sample("pow.Scalar", tolerance=(1e-5, 1e-6))(lambda m: call(2, m(3, 5, low=0, high=3)))
sample("remainder.Scalar_Tensor")(lambda m: call(7, m.nonzero(3, 5)))
sample("round.decimals")(lambda m: call(m(3, 5), decimals=1))
sample("nan_to_num.out")(lambda m: call(m.edges, out=torch.empty(0, dtype=m.dtype)))
sample("nan_to_num.out")(lambda m: call(m.edges, 1.0, 2.0, 3.0, out=torch.empty(0, dtype=m.dtype)))
sample("abs.out")(lambda m: call(m(3, 5), out=torch.empty(0, dtype=m.dtype)))
sample("logit", tolerance=(1e-5, 2e-6))(lambda m: call(m(3, 5, low=0.1, high=0.9)))
sample("logit")(lambda m: call(m(3, 5, low=0, high=1), 0.1))
sample("logit_", tolerance=(1e-5, 2e-6))(lambda m: call(m(3, 5, low=0.1, high=0.9)))
sample("logit_backward", tolerance=(1e-5, 2e-6))(
    lambda m: call(m(3, 5), m(3, 5, low=0.1, high=0.9), 0.2)
)
sample("logit.out", tolerance=(1e-5, 2e-6))(
    lambda m: call(m(3, 5, low=0, high=1), 0.1, out=torch.empty(0, dtype=m.dtype))
)
sample("floor_divide.out")(lambda m: call(m(3, 5), m.nonzero(5), out=torch.empty(0, dtype=m.dtype)))
sample("where.self")(lambda m: call(m.mask(3, 5), m(3, 5), m(5)))
sample("where.self")(lambda m: call(m.mask(3, 1), m(5), number(1)))
sample("where.self")(lambda m: call(m.mask(4, 3).t(), m(3, 4), m(3, 4)))
sample("where.self_out")(
    lambda m: call(m.mask(3, 5), m(3, 5), m(5), out=torch.empty(0, dtype=m.dtype))
)
sample("equal")(lambda m: call(m(3, 5), m(3, 5)))
sample("equal")(lambda m: call(m(3, 5).fill_(1), m(3, 5).fill_(1)))
sample("equal")(lambda m: call(m(3, 5), m(3)))
sample("logical_not.out")(lambda m: call(m(3, 5), out=torch.empty(0, dtype=torch.bool)))
sample("logical_and.out", "logical_or.out", "logical_xor.out")(
    lambda m: call(m(3, 5), m(5), out=torch.empty(0, dtype=torch.bool))
)

# Activations with parameters, and gradients
sample("gelu", tolerance=(5e-6, 1e-6))(lambda m: call(m(3, 5), approximate="tanh"))
sample("gelu_backward", tolerance=(1e-5, 2e-6))(lambda m: call(m(3, 5), m(3, 5)))
sample("gelu_backward")(lambda m: call(m(3, 5), m(3, 5), approximate="tanh"))
sample("threshold")(lambda m: call(m(3, 5), 1, 2))
sample("threshold_backward")(lambda m: call(m(3, 5), m(3, 5), 0))
sample("sigmoid_backward", "tanh_backward")(lambda m: call(m(3, 5), m(3, 5, low=0, high=1)))
sample("silu_backward", "mish_backward", tolerance=(1e-5, 2e-6))(lambda m: call(m(3, 5), m(3, 5)))
sample("hardsigmoid_backward", "hardswish_backward")(
    lambda m: call(m(3, 5), m(3, 5, low=-5, high=5))
)
sample("elu")(lambda m: call(m(3, 5), 1.5, 1.1, 0.9))
sample("elu_backward")(lambda m: call(m(3, 5), 1.5, 1.1, 0.9, False, m(3, 5)))
sample("elu_backward")(lambda m: call(m(3, 5), 1.5, 1.1, 0.9, True, m(3, 5, low=-1)))
sample("leaky_relu")(lambda m: call(m(3, 5), 0.2))
sample("leaky_relu_backward")(lambda m: call(m(3, 5), m(3, 5), 0.2, False))
sample("softplus", tolerance=(5e-6, 1e-6))(lambda m: call(m(3, 5), 2, 4))
sample("softplus_backward", tolerance=(5e-6, 1e-6))(lambda m: call(m(3, 5), m(3, 5), 2, 4))
sample("hardshrink", "softshrink")(lambda m: call(m(3, 5), 0.6))
sample("hardshrink_backward", "softshrink_backward")(lambda m: call(m(3, 5), m(3, 5), 0.6))
sample("hardtanh", "hardtanh_")(
    lambda m: call(m(3, 5), -1, 2) if m.dtype != torch.uint8 else call(m(3, 5), 0, 2)
)
sample("hardtanh_backward")(lambda m: call(m(3, 5), m(3, 5), -1, 2))
sample("log_sigmoid_forward", tolerance=(5e-6, 2e-6))(lambda m: call(m(3, 5, low=-8, high=8)))


@sample("log_sigmoid_backward", tolerance=(5e-6, 2e-6))
def log_sigmoid_backward(m: Maker):
    x = m(3, 5)
    return call(m(3, 5), x, torch.exp(-x.float().abs()))  # what a CPU's forward kept


sample("glu", tolerance=(5e-6, 1e-6))(lambda m: call(m(3, 6), 1))
sample("glu_backward", tolerance=(1e-5, 1e-6))(lambda m: call(m(3, 3), m(3, 6), 1))
sample("_prelu_kernel")(lambda m: call(m(2, 3, 4), m(1, 3, 1)))
sample("_prelu_kernel_backward")(lambda m: call(m(2, 3, 4), m(2, 3, 4), m(1, 3, 1)))
for dim in (-1, 0, 1):
    sample("_softmax", "_log_softmax", tolerance=(1e-5, 2e-6))(
        lambda m, d=dim: call(m(3, 4, 5), d, False)
    )
    sample("_softmax_backward_data", "_log_softmax_backward_data", tolerance=(1e-5, 2e-6))(
        lambda m, d=dim: call(
            m(3, 4, 5), torch.softmax(m(3, 4, 5).float(), d).to(m.dtype), d, m.dtype
        )
    )
sample("_softmax", "_log_softmax")(lambda m: call(m(2, 700), 1, False))
