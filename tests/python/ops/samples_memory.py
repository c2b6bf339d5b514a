# SPDX-License-Identifier: Apache-2.0
"""Samples of indexing, sorting, joining, filling, lists of tensors and mixed precision."""

import torch

from tests.python.ops.samples import Maker, call, sample

# Indexing: x[indices]
INDICES = [
    lambda m: [m.ints(6, high=3)],
    lambda m: [None, m.ints(2, 3, high=4)],
    lambda m: [m.ints(6, high=3), m.ints(6, low=-4, high=4)],
    lambda m: [m.ints(2, 1, high=3), None, m.ints(3, high=5)],
    lambda m: [m.mask(3)],
    lambda m: [None, m.mask(4, 5)],
    lambda m: [m.ints(0, high=3)],
    lambda m: [m.ints(6, high=3).int()],
]
for indices in INDICES:
    sample("index.Tensor")(lambda m, i=indices: call(m(3, 4, 5), i(m)))

    def put(m: Maker, i=indices, **options):
        x, chosen = m(3, 4, 5), i(m)
        values = m(*torch.ops.aten.index(x, chosen).shape)
        if not options.get("accumulate"):  # with repeats, the last one wins or not: use one value
            values = m().expand(values.shape)
        return call(x, chosen, values, **options)

    sample("_index_put_impl_")(put)
    sample("_index_put_impl_", tolerance=(2e-5, 1e-5))(
        lambda m, f=put: f(m, accumulate=True) if m.dtype != torch.bool else f(m)
    )
sample("_index_put_impl_")(lambda m: call(m(3, 4), [m.mask(3, 4)], m()))
sample("_index_put_impl_")(lambda m: call(m(3, 4), [m.mask(3)], m()))
for dim in (0, 1, -1):
    sample("index_select")(lambda m, d=dim: call(m(3, 4, 5), d, m.ints(6, high=3)))
    sample("gather")(lambda m, d=dim: call(m(3, 4, 5), d, m.ints(3, 2, 3, high=3)))
    sample("scatter.value")(lambda m, d=dim: call(m(3, 4, 5), d, m.ints(3, 2, 3, high=3), 1))
    sample("scatter_add", tolerance=(2e-5, 1e-5))(
        lambda m, d=dim: call(m(3, 4, 5), d, m.ints(3, 2, 3, high=3), m(3, 2, 3))
    )
    sample("sort.stable")(lambda m, d=dim: call(m.distinct(3, 4, 5), stable=True, dim=d))
    sample("sort.stable")(lambda m, d=dim: call(m(3, 9, 5), stable=True, dim=d, descending=True))
    for largest in (True, False):
        sample("topk")(lambda m, d=dim, g=largest: call(m.distinct(3, 4, 5), 2, d, g, True))
    sample("cat")(lambda m, d=dim: call([m(3, 4), m(3, 4), m(4, 3).t()], d))
    sample("flip")(lambda m, d=dim: call(m(3, 4, 5), [d]))
    sample("roll")(lambda m, d=dim: call(m(3, 4, 5), [2], [d]))


@sample("scatter.src")
def scatter_rows(m: Maker):
    order = torch.stack([torch.randperm(5, generator=m._generator)[:3] for _ in range(4)])
    return call(m(4, 5), 1, order, m(4, 3))


for axis in (0, 1):
    sample("index_add", tolerance=(2e-5, 1e-5))(
        lambda m, d=axis: call(
            m(3, 3, 5), d, m.ints(6, high=3), m(6, 6, 5).narrow(1 - d, 0, 3), alpha=2
        )
    )


for reduce in ("add", "multiply"):
    sample("scatter.reduce", tolerance=(2e-5, 1e-5))(
        lambda m, r=reduce: call(m(3, 5), 1, m.ints(3, 4, high=5), m(3, 4), reduce=r)
    )
    sample("scatter.value_reduce")(
        lambda m, r=reduce: call(m(3, 5), 1, m.ints(3, 4, high=5), 2, reduce=r)
    )
sample("index_select")(lambda m: call(m(5, 3).t(), 1, torch.tensor(2)))
sample("gather")(lambda m: call(m(3, 4), 0, m.ints(0, 4, high=3)))
sample("sort.stable")(lambda m: call(m.edges, stable=True))
sample("topk")(lambda m: call(m.distinct(100), 7))
sample("masked_fill_.Scalar")(lambda m: call(m(3, 4), m.mask(3, 4), 1))
sample("masked_fill_.Scalar")(lambda m: call(m(3, 4), m.mask(4), 1))
sample("masked_fill_.Tensor")(lambda m: call(m(3, 4), m.mask(3, 1), m()))
sample("masked_select")(lambda m: call(m(3, 4), m.mask(3, 4)))
sample("masked_select")(lambda m: call(m(3, 4), m.mask(4)))
sample("masked_select")(lambda m: call(m(3, 4), torch.zeros(3, 4, dtype=torch.bool)))
sample("nonzero")(lambda m: call(m(3, 4, 5, low=0, high=1)))
sample("nonzero")(lambda m: call(m(0, 4)))
sample("nonzero")(lambda m: call(m()))
sample("embedding")(lambda m: call(m(7, 4), m.ints(2, 3, high=7)))
sample("embedding_dense_backward", tolerance=(2e-5, 1e-5))(
    lambda m: call(m(2, 5, 4), m.ints(2, 5, high=7), 7, 3, False)
)
sample("embedding_dense_backward", tolerance=(2e-5, 1e-5))(
    lambda m: call(m(6, 4), m.ints(6, high=3), 7, -1, True)
)

# Joining and filling
sample("cat")(lambda m: call([torch.empty(0, dtype=m.dtype), m(3, 4), m(2, 4)]))
sample("cat")(lambda m: call([m(3), torch.tensor([1.5, 2.5])]))
sample("flip")(lambda m: call(m(3, 4), [0, 1]))
sample("roll")(lambda m: call(m(3, 4), [5]))
for diagonal in (-1, 0, 2):
    sample("tril", "triu")(lambda m, d=diagonal: call(m(2, 4, 5), d))
sample("conj_physical_")(lambda m: call(m(3, 4)))
sample("conj_physical.out")(lambda m: call(m(3, 4), out=torch.empty(0, dtype=m.dtype)))
sample("fill_.Scalar")(lambda m: call(m(3, 4), 1))
sample("fill_.Scalar")(lambda m: call(m(4, 3).t(), True))
sample("fill_.Tensor")(lambda m: call(m(3, 4), m()))
sample("zero_")(lambda m: call(m(3, 4)))
sample("zero_")(lambda m: call(m(0)))
sample("arange.start_out")(lambda m: call(1, 9, 2, out=torch.empty(0, dtype=m.dtype)))
sample("arange.start_out")(lambda m: call(2, 2, 1, out=torch.empty(0, dtype=m.dtype)))
sample("linspace.out", tolerance=(5e-6, 1e-6))(
    lambda m: call(1, 9, 5, out=torch.empty(0, dtype=m.dtype))
)
sample("linspace.out")(lambda m: call(1, 2, 1, out=torch.empty(0, dtype=m.dtype)))
sample("eye.out")(lambda m: call(4, out=torch.empty(0, dtype=m.dtype)))
sample("eye.m_out")(lambda m: call(3, 5, out=torch.empty(0, dtype=m.dtype)))


# Lists of tensors
def tensors(m: Maker) -> list[torch.Tensor]:
    return [m.nonzero(3, 4), m.nonzero(5), m.nonzero(2, 2).t(), m.nonzero()]


FEW = (5e-6, 1e-6)
sample("_foreach_sqrt", "_foreach_sqrt_", "_foreach_neg", "_foreach_zero_", tolerance=FEW)(
    lambda m: call(tensors(m))
)
for name in ("add", "mul", "div"):
    sample(f"_foreach_{name}_.Scalar", f"_foreach_{name}.Scalar", tolerance=FEW)(
        lambda m: call(tensors(m), 1.5)
    )
    sample(f"_foreach_{name}_.List", f"_foreach_{name}.List", tolerance=FEW)(
        lambda m: call(tensors(m), tensors(m))
    )
    sample(f"_foreach_{name}_.ScalarList", tolerance=FEW)(
        lambda m: call(tensors(m), [1.5, 2.5, 3.5, 0.5])
    )
sample("_foreach_sub_.List", "_foreach_add_.List", "_foreach_add.List")(
    lambda m: call(tensors(m), tensors(m), alpha=2)
)
# Lists that one call does not take: other shapes, integers among them
sample("_foreach_add.List", "_foreach_mul.List")(lambda m: call([m(3, 4), m(2)], [m(4), m()]))
sample("_foreach_add_.Scalar", "_foreach_mul_.Scalar")(
    lambda m: call([m(3), torch.tensor([1.0, 2.0])], 2)
)
sample("_foreach_lerp_.Scalar", tolerance=FEW)(lambda m: call(tensors(m), tensors(m), 0.3))
sample("_foreach_addcmul_.Scalar", "_foreach_addcdiv_.Scalar", tolerance=FEW)(
    lambda m: call(tensors(m), tensors(m), tensors(m), 0.3)
)
for order in (1, 2, float("inf")):
    sample("_foreach_norm.Scalar", tolerance=(1e-5, 1e-6))(lambda m, o=order: call(tensors(m), o))

# Mixed precision
sample("native_dropout_backward")(lambda m: call(m(3, 4), m.mask(3, 4), 2.0))
sample("_amp_foreach_non_finite_check_and_unscale_")(
    lambda m: call(tensors(m), torch.tensor([0.0]), torch.tensor([0.5]))
)
sample("_amp_foreach_non_finite_check_and_unscale_")(
    lambda m: call([m(3), m.edges], torch.tensor([0.0]), torch.tensor([0.5]))
)
for found in (0.0, 1.0):
    for tracked in (0, 4):
        sample("_amp_update_scale_")(
            lambda m, f=found, t=tracked: call(
                torch.tensor([8.0]),
                torch.tensor([t], dtype=torch.int32),
                torch.tensor([f]),
                2.0,
                0.5,
                5,
            )
        )
