# SPDX-License-Identifier: Apache-2.0
"""Samples of order statistics, sets, histograms, searching, scattering and rare matrix products."""

import torch

from tests.python.ops.samples import NAN, call, sample

LONG = torch.int64


def found(m, *shape):
    """Given outputs of a search along a dimension."""
    return {
        "values": torch.empty(shape, dtype=m.dtype),
        "indices": torch.empty(shape, dtype=LONG),
    }


def whole(values: torch.Tensor) -> torch.Tensor:
    """Few different values."""
    return values.round() if values.is_floating_point() else values


def with_nan(values: torch.Tensor) -> torch.Tensor:
    if values.is_floating_point():
        values[..., 1] = NAN
    return values


sample("median", "nanmedian")(lambda m: call(m.distinct(3, 5)))
sample("median", "nanmedian")(lambda m: call(with_nan(m.distinct(3, 4))))
sample("median.dim_values", "nanmedian.dim_values")(
    lambda m: call(m.distinct(3, 5), 1, False, **found(m, 3))
)
sample("median.dim_values", "nanmedian.dim_values")(
    lambda m: call(m.distinct(3, 5), -2, True, **found(m, 1, 5))
)
sample("kthvalue.values")(lambda m: call(m.distinct(3, 5), 2, 1, False, **found(m, 3)))
sample("_cummax_helper", "_cummin_helper")(
    lambda m: call(m(3, 5), torch.empty(3, 5, dtype=m.dtype), torch.empty(3, 5, dtype=LONG), 1)
)
sample("cumprod", tolerance=(1e-5, 1e-6))(lambda m: call(m(3, 5, low=-2, high=2), 1))
# Ties, no numbers, lines that lie apart, and lines long enough to be searched in passes.
for name in ("median.dim_values", "nanmedian.dim_values"):
    sample(name)(lambda m: call(with_nan(m(70, 5)).t(), 1, False, **found(m, 5)))
    sample(name)(lambda m: call(whole(m(3, 33, 5)), 1, True, **found(m, 3, 1, 5)))
    sample(name)(lambda m: call(whole(m(2, 5001)), -1, False, **found(m, 2)))
    sample(name)(lambda m: call(m(), 0, False, **found(m)))
sample("median", "nanmedian")(lambda m: call(whole(m(70, 67).t())))
sample("kthvalue.values")(lambda m: call(whole(m(3, 33, 5)), 17, 1, True, **found(m, 3, 1, 5)))
sample("kthvalue.values")(lambda m: call(with_nan(whole(m(4, 67))), 60, 1, False, **found(m, 4)))
sample("kthvalue.values")(lambda m: call(whole(m(5001)), 2000, 0, False, **found(m)))
for shape, dim in (((33, 5), 0), ((5, 70), 1), ((2, 3, 65), 1)):
    sample("_cummax_helper", "_cummin_helper")(
        lambda m, s=shape, d=dim: call(
            with_nan(whole(m(*s))),
            torch.empty(s, dtype=m.dtype),
            torch.empty(s, dtype=LONG),
            d,
        )
    )
    sample("cumprod")(lambda m, s=shape, d=dim: call(m(*s, low=-1, high=1), d))
sample("cumprod")(lambda m: call(m(0, 3), 1))
sample("cumprod")(lambda m: call(m(), 0))
sample("cumprod")(lambda m: call(m(70, 5, low=-1, high=1).t(), 0))
sample("aminmax")(lambda m: call(m(3, 5)))
sample("aminmax")(lambda m: call(m(3, 5), dim=1, keepdim=True))
sample("nansum", tolerance=(1e-5, 1e-6))(lambda m: call(with_nan(m(3, 5)), [1]))
sample("histc")(lambda m: call(m(40), 8, -3, 3))
sample("histc")(lambda m: call(m(33, 5).t(), 100))
sample("histc")(lambda m: call(torch.full((5,), 2.0), 3))
sample("bincount")(lambda m: call(m(20, low=0), None, 6))
sample("bincount")(lambda m: call(m(9000, low=0), m.ints(9000)))
sample("bincount")(lambda m: call(m(20, low=0), torch.rand(20)))
sample("searchsorted.Tensor")(lambda m: call(m(3, 6).sort(1).values, m(3, 4)))
sample("searchsorted.Tensor")(lambda m: call(m(6).sort().values, m(2, 4), side="right"))
sample("searchsorted.Tensor")(
    lambda m: call(m(2, 3, 33), m(2, 3, 5), sorter=torch.argsort(m.distinct(2, 3, 33)))
)
sample("searchsorted.Tensor")(
    lambda m: call(m(65, 3).sort(0).values.t(), with_nan(m(90, 3)).t(), out_int32=True, right=True)
)
sample("bucketize.Tensor")(lambda m: call(with_nan(m(33, 70)).t(), m(0)))
sample("searchsorted.Scalar")(lambda m: call(m(6).sort().values, 1))
sample("bucketize.Tensor")(lambda m: call(m(3, 4), m(6).sort().values, right=True))
sample("bucketize.Scalar")(lambda m: call(1, m(6).sort().values, out_int32=True))
sample("isin.Tensor_Tensor")(lambda m: call(m.distinct(3, 4), m.distinct(5)))
sample("isin.Tensor_Tensor")(lambda m: call(m.distinct(3, 4), m.distinct(5), invert=True))
sample("isin.Tensor_Tensor")(lambda m: call(m(3, 4), m(0)))
sample("isin.Tensor_Scalar")(lambda m: call(m.distinct(3, 4), 1))
sample("isin.Scalar_Tensor")(lambda m: call(1, m.distinct(3, 4)))
for flags in ((True, True, True), (True, False, False)):
    sample("_unique2")(lambda m, f=flags: call(whole(m(4, 6)), *f))
    sample("_unique2")(lambda m, f=flags: call(whole(m(300, 33).t()), *f))
    sample("_unique2")(lambda m, f=flags: call(m(), *f))
    sample("unique_dim")(lambda m, f=flags: call(whole(m(6, 1)), 0, *f))
    sample("unique_dim")(lambda m, f=flags: call(whole(m(2, 65, 1)).transpose(0, 2), 1, *f))
    sample("unique_dim")(lambda m, f=flags: call(whole(m(300, 2)).t(), -1, *f))
sample("_unique")(lambda m: call(whole(m(4, 6)), True, True))
sample("_unique2", "unique_consecutive")(lambda m: call(m(0)))
sample("unique_consecutive")(lambda m: call(whole(m(12)), True, True))
sample("unique_consecutive")(lambda m: call(whole(m(6, 1)), True, True, 0))
sample("unique_consecutive")(lambda m: call(whole(m(90, 70)).t(), True, True))
sample("unique_consecutive")(lambda m: call(with_nan(whole(m(3, 9))), True, True))
sample("unique_consecutive")(lambda m: call(whole(m(1, 90, 2)), True, True, 1))
sample("unique_dim_consecutive")(lambda m: call(whole(m(6, 1)), 0, True, True))
sample("trace")(lambda m: call(m(3, 5)))
sample("renorm", tolerance=(1e-5, 1e-6))(lambda m: call(m(4, 3, 5), 2, 1, 1.5))
for p in (1, 3.5, float("inf")):
    sample("renorm")(lambda m, p=p: call(m(3, 4, 33).transpose(0, 2), p, 0, 1.5))
sample("logspace.out", tolerance=(1e-5, 1e-6))(
    lambda m: call(-1, 2, 7, 10.0, out=torch.empty(0, dtype=m.dtype))
)
sample("logaddexp2", tolerance=(1e-6, 1e-6))(lambda m: call(m(3, 5), m(5)))
sample("complex.out")(lambda m: call(m(3, 1), m(5), out=torch.empty(0, dtype=torch.complex64)))
sample("polar.out", tolerance=(1e-5, 1e-6))(
    lambda m: call(m(3, 1), m(5), out=torch.empty(0, dtype=torch.complex64))
)

sample("index_copy")(lambda m: call(m(4, 3), 0, torch.tensor([2, 0]), m(2, 3)))
sample("index_fill_.int_Scalar")(lambda m: call(m(4, 3), 1, torch.tensor([2, 0]), 1))
sample("index_fill_.int_Tensor")(lambda m: call(m(4, 3), 1, torch.tensor([2, 0]), m()))
sample("masked_scatter_")(lambda m: call(m(3, 4), m.mask(3, 4), m(12)))
sample("masked_scatter_")(lambda m: call(m(3, 4), m.mask(4), m(3, 4)))
sample("masked_scatter_")(lambda m: call(m(7, 65).t(), m.mask(65, 7), m(65, 9).t()))
sample("take")(lambda m: call(m(3, 4), torch.tensor([[0, -1], [11, 5]])))
sample("put_")(lambda m: call(m(3, 4), torch.tensor([0, -1, 5]), m(3)))
sample("put_")(lambda m: call(m(3, 4).t(), m.ints(50, low=-12, high=12), m(50), True))
sample("put_")(lambda m: call(m(3, 4), torch.tensor([[0, -1], [5, 5]]), m(2, 2).t(), True))
sample("repeat_interleave.Tensor")(lambda m: call(m(9000, low=0).to(m.dtype)))
sample("repeat_interleave.Tensor")(lambda m: call(m(5, low=0).to(m.dtype)))
for word in ("sum", "prod", "mean", "amax", "amin"):
    for include_self in (True, False):
        sample("scatter_reduce.two", tolerance=(1e-5, 1e-6))(
            lambda m, w=word, i=include_self: call(
                m(4, 3), 0, m.ints(5, 3), m(5, 3), w, include_self=i
            )
        )
        sample("scatter_reduce.two")(
            lambda m, w=word, i=include_self: call(
                with_nan(m(33, 5)).t(), -1, m.ints(70, 4, high=33).t(), m(4, 70), w, include_self=i
            )
        )
        sample("scatter_reduce.two")(
            lambda m, w=word, i=include_self: call(
                m(), 0, m.ints(6, high=1), m(6), w, include_self=i
            )
        )
sample("unfold_backward", tolerance=(1e-5, 1e-6))(lambda m: call(m(3, 2, 4), [3, 7], 1, 4, 3))

for name in ("addbmm", "addbmm_"):
    sample(name, tolerance=(1e-5, 1e-5))(
        lambda m: call(m(3, 5), m(4, 3, 2), m(4, 2, 5), beta=0.5, alpha=2)
    )
sample("addbmm.out", tolerance=(1e-5, 1e-5))(
    lambda m: call(m(3, 5), m(4, 3, 2), m(4, 2, 5), out=torch.empty(0, dtype=m.dtype))
)
sample("vdot", tolerance=(1e-5, 1e-5))(lambda m: call(m(7), m(7)))
sample("linalg_cross", tolerance=(1e-5, 1e-5))(lambda m: call(m(4, 3), m(4, 3)))
sample("_cdist_forward", tolerance=(1e-5, 1e-5))(lambda m: call(m(2, 5, 3), m(2, 4, 3), 2.0, None))
sample("_cdist_backward", tolerance=(1e-5, 1e-5))(
    lambda m: call(m(5, 4), m(5, 3), m(4, 3), 2.0, m(5, 4, low=1))
)
