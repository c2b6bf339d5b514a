# SPDX-License-Identifier: Apache-2.0
"""Samples of layers: recurrent, resampling, padding, pools, losses and norms beyond the basics."""

import torch

from tests.python.ops.samples import Maker, call, number, sample

aten = torch.ops.aten
SUM = (2e-5, 1e-5)
LONG = (1e-4, 2e-5)

# Interpolation: (dimensions, has corners, names)
SIZES = {1: (2, 3, 5), 2: (2, 3, 5, 4), 3: (1, 2, 3, 4, 5)}
MODES = [
    (1, False, "upsample_nearest1d _upsample_nearest_exact1d"),
    (2, False, "upsample_nearest2d _upsample_nearest_exact2d"),
    (3, False, "upsample_nearest3d _upsample_nearest_exact3d"),
    (1, True, "upsample_linear1d"),
    (2, True, "upsample_bilinear2d upsample_bicubic2d"),
    (2, True, "_upsample_bilinear2d_aa _upsample_bicubic2d_aa"),
    (3, True, "upsample_trilinear3d"),
]


def resize(dims: int, corners: tuple, grow: bool, scaled: bool):
    shape = SIZES[dims]
    size = [n * 2 + 1 if grow else max(1, n // 2) for n in shape[2:]]
    scales = [out / n for out, n in zip(size, shape[2:], strict=True)] if scaled else [None] * dims
    forward = lambda m: call(m(*shape), size, *corners, *scales)  # noqa: E731
    backward = lambda m: call(m(*shape[:2], *size), size, shape, *corners, *scales)  # noqa: E731
    return forward, backward


for dims, has_corners, names in MODES:
    for name in names.split():
        for corners in [(False,), (True,)] if has_corners else [()]:
            for grow in (True, False):
                forward, backward = resize(dims, corners, grow, scaled=grow)
                sample(name, tolerance=SUM)(forward)
                sample(f"{name}_backward", tolerance=LONG)(backward)


def grid(m: Maker, *shape: int) -> torch.Tensor:
    return m(*shape, low=-1.2, high=1.2)


for mode in (0, 1, 2):  # bilinear, nearest, bicubic
    for padding in (0, 1, 2):  # zeros, border, reflection
        for align in (True, False):
            rest = (mode, padding, align)
            if mode != 1:  # half precision grids name other pixels than their float32 reference
                sample("grid_sampler_2d", tolerance=LONG)(
                    lambda m, r=rest: call(m(2, 3, 5, 4), grid(m, 2, 3, 3, 2), *r)
                )
            sample("grid_sampler_2d_backward", tolerance=LONG)(
                lambda m, r=rest: call(
                    m(2, 3, 3, 3), m(2, 3, 5, 4), grid(m, 2, 3, 3, 2), *r, [True, True]
                )
            )
            if mode != 2:
                sample("grid_sampler_3d", tolerance=LONG)(
                    lambda m, r=rest: call(m(1, 2, 3, 4, 5), grid(m, 1, 2, 3, 2, 3), *r)
                )
                sample("grid_sampler_3d_backward", tolerance=LONG)(
                    lambda m, r=rest: call(
                        m(1, 2, 2, 3, 2),
                        m(1, 2, 3, 4, 5),
                        grid(m, 1, 2, 3, 2, 3),
                        *r,
                        [True, True],
                    )
                )

# Padding
PADS = {1: [2, 1], 2: [2, 1, 0, 3], 3: [1, 2, 0, 1, 2, 1]}
for dims, pad in PADS.items():
    shape = SIZES[dims]
    padded = list(shape)
    for i in range(dims):
        padded[-1 - i] += pad[2 * i] + pad[2 * i + 1]
    for kind in ("reflection", "replication"):
        name = f"{kind}_pad{dims}d"
        sample(name)(lambda m, s=shape, p=pad: call(m(*s), p))
        sample(name)(lambda m, s=shape, p=pad: call(m(*s[1:]), p))
        sample(f"{name}_backward", tolerance=SUM)(
            lambda m, s=shape, p=pad, o=padded: call(m(*o), m(*s), p)
        )
sample("reflection_pad2d")(
    lambda m: call(m(2, 3, 5, 4).contiguous(memory_format=torch.channels_last), [1, 1, 1, 1])
)
sample("reflection_pad2d.out")(
    lambda m: call(m(2, 3, 5, 4), [1, 2, 0, 1], out=torch.empty(0, dtype=m.dtype))
)
WINDOWS = ([2, 3], [1, 2], [1, 0], [2, 1])  # kernel, dilation, padding, stride
sample("im2col")(lambda m: call(m(2, 3, 6, 7), *WINDOWS))
sample("im2col")(lambda m: call(m(3, 6, 7), *WINDOWS))


@sample("col2im", tolerance=SUM)
def columns(m: Maker):
    shape = aten.im2col(torch.empty(2, 3, 6, 7), *WINDOWS).shape
    return call(m(*shape), [6, 7], *WINDOWS)


sample("channel_shuffle")(lambda m: call(m(2, 6, 3), 3))
sample("channel_shuffle")(lambda m: call(m(2, 4, 3, 5), 2))

# Pools in three dimensions, adaptive ones, and back
POOLS = [
    ([2, 2, 2], [2, 1, 2], [0, 1, 0], False),
    ([3], [2], [1], True),
    ([2, 3, 2], [], [0, 0, 1], False),
]
for kernel, stride, padding, ceil in POOLS:
    sample("max_pool3d_with_indices")(
        lambda m, k=kernel, s=stride, p=padding, c=ceil: call(
            m.distinct(2, 2, 4, 5, 6), k, s, p, 1, c
        )
    )

    def max_backward(m: Maker, k=kernel, s=stride, p=padding, c=ceil):
        x = m.distinct(2, 2, 4, 5, 6)
        out, indices = aten.max_pool3d_with_indices(x.float(), k, s, p, 1, c)
        return call(m(*out.shape), x, k, s, p, 1, c, indices)

    sample("max_pool3d_with_indices_backward", tolerance=SUM)(max_backward)
    for include, divisor in [(True, None), (False, None), (True, 3)]:
        rest = (kernel, stride, padding, ceil, include, divisor)
        sample("avg_pool3d", tolerance=SUM)(lambda m, r=rest: call(m(2, 2, 4, 5, 6), *r))

        def average_backward(m: Maker, r=rest):
            x = m(2, 2, 4, 5, 6)
            return call(m(*aten.avg_pool3d(x.float(), *r).shape), x, *r)

        sample("avg_pool3d_backward", tolerance=SUM)(average_backward)
for size in ([2, 3, 2], [4, 5, 6], [1, 1, 1]):
    sample("_adaptive_avg_pool3d", tolerance=SUM)(lambda m, s=size: call(m(2, 2, 4, 5, 6), s))
    sample("adaptive_avg_pool3d.out", tolerance=SUM)(
        lambda m, s=size: call(m(2, 2, 4, 5, 6), s, out=torch.empty(0, dtype=m.dtype))
    )
    sample("_adaptive_avg_pool3d_backward", tolerance=SUM)(
        lambda m, s=size: call(m(2, 2, *s), m(2, 2, 4, 5, 6))
    )
    for dims, shape in [(2, (2, 3, 5, 6)), (3, (2, 2, 4, 5, 6))]:
        sizes = size[-dims:]
        pool = f"adaptive_max_pool{dims}d"
        sample(pool)(lambda m, s=sizes, x=shape: call(m.distinct(*x), s))

        def adaptive_backward(m: Maker, s=sizes, x=shape, p=pool):
            given = m.distinct(*x)
            out, indices = getattr(aten, p)(given.float(), s)
            return call(m(*out.shape), given, indices)

        sample(f"{pool}_backward", tolerance=SUM)(adaptive_backward)


def places(m: Maker, count: int, *shape: int) -> torch.Tensor:
    """Distinct positions in planes of `count` elements."""
    each = torch.Size(shape[2:]).numel()
    order = [
        torch.randperm(count, generator=m._generator)[:each] for _ in range(shape[0] * shape[1])
    ]
    return torch.stack(order).reshape(shape)


sample("max_unpool2d")(lambda m: call(m(2, 3, 2, 3), places(m, 30, 2, 3, 2, 3), [5, 6]))
sample("max_unpool3d")(
    lambda m: call(m(1, 2, 2, 2, 2), places(m, 64, 1, 2, 2, 2, 2), [4, 4, 4], [2, 2, 2], [0, 0, 0])
)

# Losses
for reduction in (0, 1, 2):
    loss = lambda m, r=reduction: call(m(4, 5), m(4, 5), r, 0.7)  # noqa: E731
    sample("huber_loss", tolerance=SUM)(loss)
    sample("huber_loss.out", tolerance=SUM)(
        lambda m, r=reduction: call(m(4, 5), m(4, 5), r, 0.7, out=torch.empty(0, dtype=m.dtype))
    )
    sample("huber_loss_backward.out", tolerance=SUM)(
        lambda m, r=reduction: call(
            m(4, 5) if r == 0 else m(),
            m(4, 5),
            m(4, 5),
            r,
            0.7,
            grad_input=torch.empty(0, dtype=m.dtype),
        )
    )
    for shape in [(4, 5), (5,), (65, 5), (1, 1), ()]:
        labels = lambda m, s=shape: m.ints(*s, low=-1, high=s[-1] if s else 1)  # noqa: E731
        sample("multilabel_margin_loss_forward", tolerance=SUM)(
            lambda m, s=shape, t=labels, r=reduction: call(m(*s), t(m), r)
        )

        def multilabel_backward(m: Maker, s=shape, t=labels, r=reduction):
            x, target = m(*s), t(m)
            out, is_target = aten.multilabel_margin_loss_forward(x.float(), target, r)
            return call(m(*out.shape), x, target, r, is_target.to(m.dtype))

        sample("multilabel_margin_loss_backward", tolerance=SUM)(multilabel_backward)
    sample("multi_margin_loss", tolerance=SUM)(
        lambda m, r=reduction: call(m(4, 5), m.ints(4, high=5), 1, 0.5, m.nonzero(5), r)
    )
    sample("multi_margin_loss_backward", tolerance=SUM)(
        lambda m, r=reduction: call(
            m(4) if r == 0 else m(), m(4, 5), m.ints(4, high=5), 2, 0.5, None, r
        )
    )


def alignment(m: Maker, batched: bool):
    log_probs = torch.log_softmax(m(8, 3, 5), 2)
    lengths = [3, 2, 4]
    targets = m.ints(3, 4, low=1, high=5)
    if not batched:
        targets = torch.cat([row[:n] for row, n in zip(targets, lengths, strict=True)])
    return log_probs, targets, [8, 6, 8], lengths


for batched in (True, False):
    sample("_ctc_loss", tolerance=SUM)(lambda m, b=batched: call(*alignment(m, b), 0, False))

    def ctc_backward(m: Maker, b=batched):
        given = alignment(m, b)
        loss, log_alpha = aten._ctc_loss(*given, 0, False)
        return call(m(3), *given, loss, log_alpha, 0, False)

    sample("_ctc_loss_backward", tolerance=LONG)(ctc_backward)

# Norms
for shape, groups in [((2, 6, 4, 3), 3), ((3, 4), 2), ((2, 6, 5), 6)]:
    count = torch.Size(shape[2:]).numel()
    rest = (shape[0], shape[1], count, groups)
    sample("native_group_norm", tolerance=SUM)(
        lambda m, s=shape, r=rest: call(m(*s), m(s[1]), m(s[1]), *r, 1e-5)
    )
    sample("native_group_norm", tolerance=SUM)(
        lambda m, s=shape, r=rest: call(m(*s), None, None, *r, 1e-5)
    )

    def group_backward(m: Maker, s=shape, r=rest):
        x, weight = m(*s), m(s[1])
        # Statistics in the input's type: what half precision loses there is not the gradient's
        _, mean, rstd = aten.native_group_norm(x.float(), weight.float(), None, *r, 1e-5)
        return call(m(*s), x, mean.to(m.dtype), rstd.to(m.dtype), weight, *r, [True] * 3)

    sample("native_group_norm_backward", tolerance=LONG)(group_backward)

# Activations that draw numbers: in evaluation they do not
sample("rrelu_with_noise", "rrelu_with_noise_")(
    lambda m: call(m(3, 5), m.nonzero(3, 5), 0.1, 0.3, False)
)


# Bags of embeddings
for index in (torch.int64, torch.int32):

    def many_bags(m: Maker, mode: int, index=index):
        offsets = torch.tensor([0, 0, 4, 33, 33, 90], dtype=index)
        return call(m(70, 9).t()[:, 1:], m.ints(90, high=9).to(index), offsets, False, mode)

    for mode in range(3):
        sample("_embedding_bag")(lambda m, f=many_bags, b=mode: f(m, b))


def bags(m: Maker, mode: int, weighted: bool, last: bool, padding: int):
    offsets = [0, 3, 3, 5] + ([7] if last else [])
    weights = m.nonzero(7) if weighted else None
    return (m.ints(7, high=6), torch.tensor(offsets), False, mode, False, weights, last, padding)


for mode, weighted, last, padding in [
    (0, False, False, -1),
    (0, True, True, -1),
    (1, False, False, -1),
    (1, False, True, 2),
    (2, False, False, -1),
]:
    given = lambda m, a=(mode, weighted, last, padding): call(m(6, 4), *bags(m, *a))  # noqa: E731
    sample("_embedding_bag", "_embedding_bag_forward_only", tolerance=SUM)(given)

    def bag_backward(m: Maker, a=(mode, weighted, last, padding), dense=False):
        weight = m(6, 4)
        indices, offsets, by_freq, mode, sparse, weights, last, padding = bags(m, *a)
        out, _, size, most = aten._embedding_bag(
            weight.float(),
            indices,
            offsets,
            by_freq,
            mode,
            sparse,
            None if weights is None else weights.float(),
            last,
            padding,
        )
        bag = torch.bucketize(torch.arange(7), offsets, right=True) - 1
        grad = m(*out.shape)
        if dense:
            return call(grad, indices, bag, size, most, 6, False, mode, weights, padding)
        return call(
            grad, indices, offsets, bag, size, most, 6, False, mode, sparse, weights, padding
        )

    sample("_embedding_bag_backward", tolerance=SUM)(bag_backward)
    sample("_embedding_bag_dense_backward", tolerance=SUM)(
        lambda m, f=bag_backward: f(m, dense=True)
    )


@sample("_embedding_bag_per_sample_weights_backward", tolerance=SUM)
def bag_weights(m: Maker):
    offsets = torch.tensor([0, 3, 3, 5])
    bag = torch.bucketize(torch.arange(7), offsets, right=True) - 1
    return call(m(4, 4), m(6, 4), m.ints(7, high=6), offsets, bag, 0, 2)


for p in (1.0, 3.5, float("inf")):
    sample("embedding_renorm_")(lambda m, p=p: call(m(70, 33).t(), m.ints(50, high=33), 1.5, p))
sample("embedding_renorm_", tolerance=SUM)(lambda m: call(m(6, 4), m.ints(3, 2, high=6), 1.5, 2.0))

# Recurrent layers
GATES = (3e-5, 1e-5)


def cell(m: Maker, gates: int, biases: bool):
    bias = [m(gates * 6), m(gates * 6)] if biases else [None, None]
    return call(m(4, gates * 6), m(4, gates * 6), m(4, 6), *bias)


for biases in (True, False):
    sample("_thnn_fused_gru_cell", tolerance=GATES)(lambda m, b=biases: cell(m, 3, b))
    sample("_thnn_fused_lstm_cell", tolerance=GATES)(lambda m, b=biases: cell(m, 4, b))
    for missing in (None, 0, 1):

        def lstm_backward(m: Maker, b=biases, none=missing):
            grads = [m(4, 6), m(4, 6)]
            if none is not None:
                grads[none] = None
            gates = m(4, 24, low=0.1, high=0.9)
            return call(*grads, m(4, 6), m(4, 6), gates, b)

        sample("_thnn_fused_lstm_cell_backward_impl", tolerance=GATES)(lstm_backward)
    sample("_thnn_fused_gru_cell_backward", tolerance=GATES)(
        lambda m, b=biases: call(m(4, 6), m(4, 30, low=0.1, high=0.9), b)
    )


def layers(m: Maker, gates: int, biases: bool, count: int, both: bool, batch_first: bool):
    params, width = [], 5
    for _ in range(count):
        for _ in range(2 if both else 1):
            params += [m(gates * 3, width, low=-1, high=1), m(gates * 3, 3, low=-1, high=1)]
            params += [m(gates * 3), m(gates * 3)] if biases else []
        width = 6 if both else 3
    states = [m(count * (2 if both else 1), 2, 3, low=-1, high=1) for _ in range(gates - 2)]
    x = m(2, 4, 5) if batch_first else m(4, 2, 5)
    hx = states if gates == 4 else states[0]
    return call(x, hx, params, biases, count, 0.0, True, both, batch_first)


for biases, count, both, batch_first in [
    (True, 1, False, False),
    (False, 1, False, True),
    (True, 2, True, True),
]:
    shape = (biases, count, both, batch_first)
    sample("lstm.input", tolerance=GATES)(lambda m, s=shape: layers(m, 4, *s))
    sample("gru.input", tolerance=GATES)(lambda m, s=shape: layers(m, 3, *s))

# What the CPU computes
sample("_pdist_forward", tolerance=SUM)(lambda m: call(m(5, 4), 2.0))
sample("_pdist_backward", tolerance=SUM)(lambda m: call(m(10), m(5, 4), 1.0, m.nonzero(10)))
for dims, shape in [(2, (2, 3, 6, 7)), (3, (1, 2, 5, 6, 7))]:
    size = [2, 3, 3][:dims]
    pool = f"fractional_max_pool{dims}d"
    random = lambda m, s=shape, d=dims: m(s[0], s[1], d, low=0, high=1)  # noqa: E731
    sample(pool)(lambda m, x=shape, s=size, r=random: call(m.distinct(*x), [2] * len(s), s, r(m)))

    def fractional_backward(m: Maker, x=shape, s=size, r=random, p=pool):
        given = m.distinct(*x)
        out, indices = getattr(aten, p)(given, [2] * len(s), s, r(m))
        return call(m(*out.shape), given, [2] * len(s), s, indices)

    sample(f"{pool}_backward")(fractional_backward)

# Attention: causal, masks of booleans and of numbers, fewer heads of keys than of queries
ATTENTION = (2e-5, 1e-5)


def attention(m: Maker, heads: int = 2, queries: int = 5, keys: int = 7) -> list[torch.Tensor]:
    return [m(2, 4, queries, 8), m(2, heads, keys, 8), m(2, heads, keys, 6)]


sample("scaled_dot_product_attention", tolerance=ATTENTION)(lambda m: call(*attention(m, 4)))
sample("scaled_dot_product_attention")(lambda m: call(*attention(m), enable_gqa=True, scale=0.2))
for queries, keys in [(5, 5), (3, 7), (7, 3)]:
    sample("scaled_dot_product_attention")(
        lambda m, q=queries, k=keys: call(*attention(m, 4, q, k), is_causal=True)
    )
sample("scaled_dot_product_attention")(lambda m: call(*attention(m, 4), attn_mask=m.mask(5, 7)))


@sample("scaled_dot_product_attention")
def masked_rows(m: Maker):
    mask = m.mask(2, 1, 5, 7)
    mask[0, 0, 2] = False  # a query that sees nothing
    return call(*attention(m, 4), attn_mask=mask)


# What nn.TransformerEncoderLayer and nn.MultiheadAttention call in evaluation
WHOLE = (5e-5, 2e-5)


def encoder(m: Maker, norm_first: bool, use_gelu: bool, *mask):
    def weight(*shape: int) -> torch.Tensor:
        return m(*shape, low=-0.3, high=0.3)

    qkv = [weight(24, 8), weight(24), weight(8, 8), weight(8)]
    norms = [m.nonzero(8), weight(8), m.nonzero(8), weight(8)]
    inner = [weight(16, 8), weight(16), weight(8, 16), weight(8)]
    return call(m(2, 5, 8), 8, 2, *qkv, use_gelu, norm_first, 1e-5, *norms, *inner, *mask)


def padding(m: Maker) -> torch.Tensor:
    return torch.arange(5) >= torch.tensor([[5], [3]])


for norm_first in (False, True):
    sample("_transformer_encoder_layer_fwd", tolerance=WHOLE)(
        lambda m, n=norm_first: encoder(m, n, not n)
    )
sample("_transformer_encoder_layer_fwd")(lambda m: encoder(m, True, False, padding(m), 1))
sample("_transformer_encoder_layer_fwd")(
    lambda m: encoder(m, False, False, torch.ones(5, 5, dtype=torch.bool).triu(1), 0)
)


def heads(m: Maker, need_weights: bool, average: bool, *mask):
    x = m(2, 5, 8, low=-1, high=1)
    weights = [m(24, 8, low=-1, high=1), m(24), m(8, 8, low=-1, high=1), m(8)]
    return call(x, x, x, 8, 2, *weights, *(mask or (None,))[:1], need_weights, average, *mask[1:])


for need_weights, average in [(False, True), (True, True), (True, False)]:
    sample("_native_multi_head_attention", tolerance=WHOLE)(
        lambda m, n=need_weights, a=average: heads(m, n, a)
    )
sample("_native_multi_head_attention")(lambda m: heads(m, True, True, padding(m), 1))


# Optimiser steps
def adam(m: Maker, amsgrad: bool, maximize: bool, scaled: bool, tensor_lr: bool = False, found=0.0):
    shapes = [(3, 5), (700,), (2, 2)]
    lists = [[m(*s) for s in shapes] for _ in range(3)]
    squares = [[m.nonzero(*s) for s in shapes] for _ in range(2)]
    steps = [torch.tensor(float(n)) for n in (1, 2, 7)]
    lr = number(0.01) if tensor_lr else 0.01
    extra = {"grad_scale": torch.tensor(2.0), "found_inf": torch.tensor(found)} if scaled else {}
    return call(
        *lists,
        squares[0],
        squares[1] if amsgrad else [],
        steps,
        lr=lr,
        beta1=0.9,
        beta2=0.99,
        weight_decay=0.1,
        eps=1e-6,
        amsgrad=amsgrad,
        maximize=maximize,
        **extra,
    )


STEP = (2e-5, 2e-6)
for name in ("_fused_adam_", "_fused_adamw_"):
    for amsgrad, maximize, scaled in [
        (False, False, False),
        (True, False, True),
        (False, True, True),
    ]:
        sample(name, tolerance=STEP)(lambda m, a=(amsgrad, maximize, scaled): adam(m, *a))
        sample(f"{name}.tensor_lr", tolerance=STEP)(
            lambda m, a=(amsgrad, maximize, scaled): adam(m, *a, tensor_lr=True)
        )
    sample(name)(lambda m: adam(m, False, False, True, found=1.0))


def sgd(m: Maker, momentum: float, nesterov: bool, maximize: bool, first: bool, tensor_lr=False):
    shapes = [(3, 5), (700,), (2, 2)]
    return call(
        [m(*s) for s in shapes],
        [m(*s) for s in shapes],
        [m(*s) for s in shapes] if momentum else [],
        weight_decay=0.1,
        momentum=momentum,
        lr=number(0.1) if tensor_lr else 0.1,
        dampening=0.0 if nesterov else 0.2,
        nesterov=nesterov,
        maximize=maximize,
        is_first_step=first,
    )


for momentum, nesterov, maximize, first in [
    (0.0, False, False, False),
    (0.9, False, True, False),
    (0.9, True, False, False),
    (0.9, False, False, True),
]:
    options = (momentum, nesterov, maximize, first)
    sample("_fused_sgd_", tolerance=STEP)(lambda m, o=options: sgd(m, *o))
    sample("_fused_sgd_.tensor_lr", tolerance=STEP)(lambda m, o=options: sgd(m, *o, tensor_lr=True))


@sample("_fused_adagrad_", tolerance=STEP)
def adagrad(m: Maker):
    steps = [torch.tensor(3.0)]
    options = {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "eps": 1e-6, "maximize": False}
    return call([m(3, 5)], [m(3, 5)], [m.nonzero(3, 5)], steps, **options)


# Root-mean-square norm, with and without a weight, over one dimension and two
for shape, weighted in [((5,), True), ((3, 5), True), ((5,), False)]:
    sample("rms_norm", tolerance=SUM)(
        lambda m, s=shape, w=weighted: call(m(4, 3, 5), list(s), m(*s) if w else None, 1e-5)
    )
sample("rms_norm", tolerance=SUM)(lambda m: call(m(7, 1300), [1300], m(1300)))
