# SPDX-License-Identifier: Apache-2.0
"""Samples of reductions, products, convolutions, pools, losses and whatever moves elements."""

import torch

from tests.python.ops.samples import Maker, call, sample

SUM = (2e-5, 1e-5)

# Reductions
for dims in ([1], [0, 2], [-1], [], None):
    for keepdim in (False, True):
        sample("sum.dim_IntList", "mean.dim", tolerance=SUM)(
            lambda m, d=dims, k=keepdim: call(m(3, 4, 5), d, k)
        )
        if dims is not None:
            sample("amax", "amin")(lambda m, d=dims, k=keepdim: call(m(3, 4, 5), d, k))
        sample("any.dims", "all.dims")(lambda m, d=dims, k=keepdim: call(m(3, 4, 5, low=0), d, k))
        sample("linalg_vector_norm", tolerance=SUM)(
            lambda m, d=dims or None, k=keepdim: call(m(3, 4, 5), 2, d, k)
        )
        for name in ("var", "std", "var_mean", "std_mean"):
            sample(f"{name}.correction", tolerance=SUM)(
                lambda m, d=dims or None, k=keepdim: call(m(3, 4, 5), d, correction=1, keepdim=k)
            )
sample("sum.dim_IntList", "mean.dim", tolerance=SUM)(lambda m: call(m(7, 1000), [1]))
sample("sum.dim_IntList", "mean.dim")(lambda m: call(m(4, 3, 5).transpose(0, 2), [1]))
sample("sum.dim_IntList")(lambda m: call(m(0, 3), [0]))
sample("sum.dim_IntList", "amax", "amin")(lambda m: call(m(), []))
sample("sum.dim_IntList")(lambda m: call(m(3, 4), [1], dtype=torch.float32))
for order in (0, 1, float("inf"), -float("inf"), 3):
    sample("linalg_vector_norm", tolerance=SUM)(lambda m, o=order: call(m.nonzero(3, 40), o, [1]))
sample("norm.ScalarOpt_dim", tolerance=SUM)(lambda m: call(m(3, 4), 2, [1]))
sample("var.correction", "std.correction", tolerance=SUM)(
    lambda m: call(m(3, 5), [1], correction=1.3)
)
sample("var_mean.correction", "std_mean.correction", tolerance=SUM)(
    lambda m: call(m(3, 5), None, correction=0.5)
)
sample("var.correction", "std.correction", tolerance=SUM)(
    lambda m: call(m(3, 40), [1], correction=0)
)
sample("prod.dim_int", tolerance=SUM)(lambda m: call(m(3, 4), 1))
sample("prod", tolerance=SUM)(lambda m: call(m(3, 2)))
sample("max", "min", "argmax", "argmin")(lambda m: call(m.distinct(3, 4, 5)))
for dim, keepdim in [(1, False), (-1, True), (0, False)]:
    sample("max.dim", "min.dim", "argmax", "argmin")(
        lambda m, d=dim, k=keepdim: call(m.distinct(3, 4, 5), d, k)
    )
    sample("any.dim", "all.dim")(lambda m, d=dim, k=keepdim: call(m(3, 4, 5, low=0), d, k))
sample("max.dim", "min.dim", "argmax")(lambda m: call(m(4, 6), 1))  # ties: the first
sample("any", "all")(lambda m: call(m(3, 4)))
sample("any", "all")(lambda m: call(m(0)))
sample("count_nonzero.dim_IntList")(lambda m: call(m(3, 4), [1]))
for dim in (0, -1):
    sample("cumsum", tolerance=SUM)(lambda m, d=dim: call(m(3, 5), d))
sample("cumsum")(lambda m: call(m(), 0))

# Products
PRODUCT = (1e-5, 1e-5)
sample("mm", tolerance=PRODUCT)(lambda m: call(m(3, 4), m(4, 5)))
sample("mm")(lambda m: call(m(4, 3).t(), m(5, 4).t()))
sample("mm")(lambda m: call(m(3, 0), m(0, 5)))
sample("mm")(lambda m: call(m(0, 4), m(4, 5)))
sample("mm")(lambda m: call(m(65, 130), m(130, 33)))
for shape in [(3, 5), (5,), (3, 1), ()]:
    sample("addmm", tolerance=PRODUCT)(lambda m, s=shape: call(m(*s), m(3, 4), m(4, 5)))
sample("addmm")(lambda m: call(m(5), m(3, 4), m(4, 5), beta=0.5, alpha=2))
sample("addmm")(lambda m: call(m(5), m(3, 0), m(0, 5)))
sample("bmm", tolerance=PRODUCT)(lambda m: call(m(2, 3, 4), m(2, 4, 5)))
sample("bmm")(lambda m: call(m(2, 4, 3).transpose(1, 2), m(1, 4, 5).expand(2, 4, 5)))
sample("baddbmm", tolerance=PRODUCT)(lambda m: call(m(2, 3, 5), m(2, 3, 4), m(2, 4, 5), beta=0.5))
sample("addmv", tolerance=PRODUCT)(lambda m: call(m(3), m(3, 4), m(4), beta=0.5, alpha=2))
sample("dot", tolerance=PRODUCT)(lambda m: call(m(40), m(40)))


# Convolutions: (input, weight, stride, padding, dilation, transposed, output padding, groups)
CONVOLUTIONS = [
    ((2, 3, 8, 8), (4, 3, 3, 3), [1, 1], [1, 1], [1, 1], False, [0, 0], 1),
    ((2, 4, 9, 7), (6, 2, 3, 2), [2, 1], [1, 0], [1, 2], False, [0, 0], 2),
    ((1, 3, 5, 5), (4, 3, 1, 1), [1, 1], [0, 0], [1, 1], False, [0, 0], 1),
    ((2, 3, 1, 9), (4, 3, 1, 3), [1, 2], [0, 1], [1, 1], False, [0, 0], 1),
    ((2, 4, 5, 5), (4, 3, 3, 3), [2, 2], [1, 1], [1, 1], True, [1, 1], 1),
    ((1, 2, 4, 5, 6), (3, 2, 3, 3, 3), [1, 1, 1], [1, 1, 1], [1, 1, 1], False, [0, 0, 0], 1),
]
LONG = (2e-5, 2e-5)
for shape, kernel, *rest in CONVOLUTIONS:
    outputs = kernel[1] * rest[5] if rest[3] else kernel[0]
    sample("convolution_overrideable", tolerance=LONG)(
        lambda m, s=shape, w=kernel, r=rest, o=outputs: call(m(*s), m(*w), m(o), *r)
    )
    sample("convolution_overrideable")(
        lambda m, s=shape, w=kernel, r=rest: call(m(*s), m(*w), None, *r)
    )

    def backward(m: Maker, s=shape, w=kernel, r=rest):
        x, weight = m(*s), m(*w)
        out = torch.ops.aten.convolution(x.float(), weight.float(), None, *r)
        return call(m(*out.shape), x, weight, *r, [True, True, True])

    sample("convolution_backward_overrideable", tolerance=(5e-5, 5e-5))(backward)

# Normalisation
NORM = (2e-5, 1e-5)


def channels(m: Maker, count: int) -> list[torch.Tensor]:
    return [m(count), m(count), m(count), m.nonzero(count)]  # weight, bias, mean, variance


for shape in [(4, 3, 5, 5), (6, 3), (4, 3, 7)]:
    for training in (True, False):
        sample("native_batch_norm", "_native_batch_norm_legit", tolerance=NORM)(
            lambda m, s=shape, t=training: call(m(*s), *channels(m, 3), t, 0.1, 1e-5)
        )

    def batch_backward(m: Maker, s=shape):
        x = m(*s)
        weight, _, mean, variance = channels(m, 3)
        dims = [i for i in range(x.dim()) if i != 1]
        save_mean = x.float().mean(dims)
        save_invstd = (x.float().var(dims, correction=0) + 1e-5).rsqrt()
        return call(
            m(*s), x, weight, mean, variance, save_mean, save_invstd, True, 1e-5, [True] * 3
        )

    sample("native_batch_norm_backward", tolerance=(1e-4, 2e-5))(batch_backward)
sample("_native_batch_norm_legit.no_stats", tolerance=NORM)(
    lambda m: call(m(4, 3, 5), m(3), m(3), True, 0.1, 1e-5)
)
sample("native_layer_norm", tolerance=NORM)(
    lambda m: call(m(4, 3, 5), [3, 5], m(3, 5), m(3, 5), 1e-5)
)
sample("native_layer_norm", tolerance=NORM)(lambda m: call(m(4, 30), [30], None, None, 1e-5))


@sample("native_layer_norm_backward", tolerance=(1e-4, 2e-5))
def layer_backward(m: Maker):
    x = m(4, 3, 5)
    mean = x.float().mean(-1, keepdim=True)
    rstd = (x.float().var(-1, correction=0, keepdim=True) + 1e-5).rsqrt()
    return call(m(4, 3, 5), x, [5], mean, rstd, m(5), m(5), [True] * 3)


# Pools
POOLS = [
    ([2, 2], [2, 2], [0, 0], False),
    ([3, 3], [2, 2], [1, 1], True),
    ([3], [], [1], False),
    ([2, 3], [1, 2], [0, 1], False),
]
for kernel, stride, padding, ceil in POOLS:
    sample("max_pool2d_with_indices")(
        lambda m, k=kernel, s=stride, p=padding, c=ceil: call(m.distinct(2, 3, 8, 9), k, s, p, 1, c)
    )
    sample("max_pool2d")(
        lambda m, k=kernel, s=stride, p=padding, c=ceil: call(m.distinct(2, 3, 8, 9), k, s, p, 1, c)
    )

    def max_backward(m: Maker, k=kernel, s=stride, p=padding, c=ceil):
        x = m.distinct(2, 3, 8, 9)
        out, indices = torch.ops.aten.max_pool2d_with_indices(x.float(), k, s, p, 1, c)
        return call(m(*out.shape), x, k, s, p, 1, c, indices)

    sample("max_pool2d_with_indices_backward", tolerance=SUM)(max_backward)
    for include in (True, False):
        sample("avg_pool2d", tolerance=SUM)(
            lambda m, k=kernel, s=stride, p=padding, c=ceil, i=include: call(
                m(2, 3, 8, 9), k, s, p, c, i
            )
        )

    def average_backward(m: Maker, k=kernel, s=stride, p=padding, c=ceil):
        x = m(2, 3, 8, 9)
        out = torch.ops.aten.avg_pool2d(x.float(), k, s, p, c)
        return call(m(*out.shape), x, k, s, p, c, True, None)

    sample("avg_pool2d_backward", tolerance=SUM)(average_backward)
sample("max_pool2d_with_indices", "max_pool2d")(lambda m: call(m.distinct(3, 8, 9), [2, 2]))
sample("avg_pool2d")(lambda m: call(m(2, 3, 8, 8), [2, 2], divisor_override=3))
for size in ([1, 1], [3, 4], [7, 7]):
    sample("_adaptive_avg_pool2d", tolerance=SUM)(lambda m, o=size: call(m(2, 3, 7, 8), o))
    sample("_adaptive_avg_pool2d_backward", tolerance=SUM)(
        lambda m, o=size: call(m(2, 3, *o), m(2, 3, 7, 8))
    )
sample("adaptive_avg_pool2d.out", tolerance=SUM)(
    lambda m: call(m(2, 3, 7, 8), [3, 4], out=torch.empty(0, dtype=m.dtype))
)

# Losses
for reduction in (0, 1, 2):

    def outer(m: Maker, r=reduction):
        return m(3, 5) if r == 0 else m()

    sample("mse_loss", "smooth_l1_loss", tolerance=SUM)(
        lambda m, r=reduction: call(m(3, 5), m(3, 5), r)
    )
    sample("mse_loss_backward")(lambda m, r=reduction, g=outer: call(g(m), m(3, 5), m(3, 5), r))
    sample("smooth_l1_loss_backward.grad_input")(
        lambda m, r=reduction, g=outer: call(
            g(m), m(3, 5), m(3, 5), r, 0.7, grad_input=torch.empty(0, dtype=m.dtype)
        )
    )
    for weighted in (False, True):
        sample("binary_cross_entropy", tolerance=SUM)(
            lambda m, r=reduction, w=weighted: call(
                m(3, 5, low=0.1, high=0.9),
                m(3, 5, low=0.1, high=0.9),
                m.nonzero(3, 5) if w else None,
                r,
            )
        )
        sample("binary_cross_entropy_backward", tolerance=SUM)(
            lambda m, r=reduction, w=weighted, g=outer: call(
                g(m),
                m(3, 5, low=0.1, high=0.9),
                m(3, 5, low=0.1, high=0.9),
                m.nonzero(3, 5) if w else None,
                r,
            )
        )
        sample("nll_loss_forward", tolerance=SUM)(
            lambda m, r=reduction, w=weighted: call(
                m(6, 5), m.ints(6, high=5), m.nonzero(5) if w else None, r, 2
            )
        )
        sample("nll_loss_backward", tolerance=SUM)(
            lambda m, r=reduction, w=weighted: call(
                m(6) if r == 0 else m(),
                m(6, 5),
                m.ints(6, high=5),
                m.nonzero(5) if w else None,
                r,
                -100,
                torch.tensor(6.0, dtype=m.dtype),
            )
        )
        sample("nll_loss2d_forward", tolerance=SUM)(
            lambda m, r=reduction, w=weighted: call(
                m(2, 5, 3, 3), m.ints(2, 3, 3, high=5), m.nonzero(5) if w else None, r, -100
            )
        )
    sample("nll_loss2d_backward", tolerance=SUM)(
        lambda m, r=reduction: call(
            m(2, 3, 3) if r == 0 else m(),
            m(2, 5, 3, 3),
            m.ints(2, 3, 3, high=5),
            None,
            r,
            -100,
            torch.tensor(18.0, dtype=m.dtype),
        )
    )
