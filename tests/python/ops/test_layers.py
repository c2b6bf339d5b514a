# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers, attention, transformers and optimisers on npu compute what the CPU does."""

import copy
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def assert_same(mine, theirs, rtol=1e-4, atol=2e-5):
    for left, right in zip(mine, theirs, strict=True):
        torch.testing.assert_close(left.detach().cpu(), right.detach(), rtol=rtol, atol=atol)


RECURRENT = [
    {},
    {"num_layers": 2, "bidirectional": True},
    {"batch_first": True, "bias": False},
    {"num_layers": 3, "batch_first": True},
]


@pytest.mark.parametrize("packed", [False, True], ids=["whole", "packed"])
@pytest.mark.parametrize("options", RECURRENT, ids=str)
@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_layers_and_their_gradients(npu, kind, options, packed):
    torch.manual_seed(0)
    layer = kind(5, 7, **options)
    first = options.get("batch_first", False)
    shape = (4, 6, 5) if first else (6, 4, 5)
    x = torch.randn(shape)

    def run(device):
        mine, leaf = copy.deepcopy(layer).to(device), x.clone().to(device).requires_grad_()
        given = leaf
        if packed:
            given = pack_padded_sequence(leaf, torch.tensor([6, 4, 4, 1]), batch_first=first)
        out, states = mine(given)
        if packed:
            out, _ = pad_packed_sequence(out, batch_first=first)
        states = states if isinstance(states, tuple) else (states,)
        loss = out.square().sum() + sum((i + 2) * s.sin().sum() for i, s in enumerate(states))
        return [out, *states, *torch.autograd.grad(loss, [leaf, *mine.parameters()])]

    assert_same(run(npu), run("cpu"))


def test_lstm_with_projections(npu):
    torch.manual_seed(0)
    layer, x = nn.LSTM(5, 7, proj_size=3, bidirectional=True), torch.randn(6, 4, 5)
    assert_same([copy.deepcopy(layer).to(npu)(x.to(npu))[0]], [layer(x)[0]])


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_gradients_of_recurrent_gradients(npu, kind):
    torch.manual_seed(0)
    layer, x = kind(3, 4), torch.randn(3, 2, 3)

    def run(device):
        mine, leaf = copy.deepcopy(layer).to(device), x.clone().to(device).requires_grad_()
        (grad,) = torch.autograd.grad(mine(leaf)[0].square().sum(), leaf, create_graph=True)
        return [grad, *torch.autograd.grad(grad.square().sum(), [leaf, *mine.parameters()])]

    assert_same(run(npu), run("cpu"))


def test_recurrent_dropout_lies_between_layers(npu):
    layer = nn.LSTM(4, 64, 2, dropout=0.5).to(npu).train()
    x = torch.randn(3, 2, 4, device=npu)
    assert not torch.equal(layer(x)[0].cpu(), layer(x)[0].cpu())
    layer.eval()
    assert torch.equal(layer(x)[0].cpu(), layer(x)[0].cpu())


def padding_mask(keys: int) -> torch.Tensor:
    return torch.zeros(2, 1, 1, keys).masked_fill_(torch.arange(keys) >= keys // 2, -math.inf)


@pytest.mark.parametrize(
    "mask", [torch.randn(40, 50), padding_mask(50)], ids=["numbers", "padding"]
)
def test_attention_with_a_floating_mask(npu, mask):
    torch.manual_seed(0)
    inputs = [torch.randn(2, 3, n, 8) for n in (40, 50, 50)]

    def run(device):
        leaves = [t.clone().to(device).requires_grad_() for t in inputs]
        out = F.scaled_dot_product_attention(*leaves, attn_mask=mask.to(device))
        return [out, *torch.autograd.grad(out.square().sum(), leaves)]

    assert_same(run(npu), run("cpu"))


def test_attention_is_exact_over_many_blocks(npu):
    torch.manual_seed(0)
    inputs = [torch.randn(1, 2, n, 16) for n in (300, 3000, 3000)]

    def run(device):
        leaves = [t.clone().to(device).requires_grad_() for t in inputs]
        out = F.scaled_dot_product_attention(*leaves, is_causal=True)
        return [out, *torch.autograd.grad(out.square().sum(), leaves)]

    assert_same(run(npu), run("cpu"), rtol=1e-3)


def test_attention_keeps_no_matrix_of_scores(npu):
    length = 1024
    leaves = [torch.randn(1, 4, length, 32, device=npu, requires_grad=True) for _ in range(3)]
    torch.npu.synchronize()
    torch.npu.reset_peak_memory_stats()
    before = torch.npu.memory_allocated()
    F.scaled_dot_product_attention(*leaves, is_causal=True).sum().backward()
    torch.npu.synchronize()
    assert torch.npu.max_memory_allocated() - before < 4 * length * length * 4 / 2


def test_attention_drops_scores_and_its_gradient_the_same_ones(npu):
    torch.manual_seed(0)
    q, k = (torch.randn(2, 4, 64, 32, device=npu) for _ in range(2))
    v = torch.eye(64, device=npu).expand(2, 4, 64, 64)  # the result is the matrix of weights
    weights = F.scaled_dot_product_attention(q, k, v)
    dropped = F.scaled_dot_product_attention(q, k, v, dropout_p=0.3)
    kept = dropped != 0
    assert abs(kept.float().mean().item() - 0.7) < 0.02
    assert_same([dropped], [(weights / 0.7 * kept).cpu()])
    leaves = [torch.randn(1, 2, 5, 4, device=npu, requires_grad=True) for _ in range(3)]

    def gradients(create_graph):
        torch.npu.manual_seed(3)
        out = F.scaled_dot_product_attention(*leaves, dropout_p=0.4)
        return torch.autograd.grad(out.square().sum(), leaves, create_graph=create_graph)

    with pytest.warns(UserWarning, match="Dropout mask"):  # PyTorch's general way, with this mask
        general = gradients(True)
    assert_same(gradients(False), [g.cpu() for g in general])


@pytest.mark.parametrize("grad", [False, True], ids=["evaluation", "gradients"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_transformer_layers(npu, grad, norm_first):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=norm_first)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=not norm_first).eval()
    x = torch.randn(3, 7, 16)
    pad = torch.arange(7) >= torch.tensor([[7], [5], [3]])
    mine = copy.deepcopy(model).to(npu)
    with torch.set_grad_enabled(grad):
        assert_same([mine(x.to(npu))], [model(x)])
        out = mine(x.to(npu), src_key_padding_mask=pad.to(npu))
        # Where nothing but padding is, PyTorch's CPU path writes zeros
        assert_same([out.cpu()[~pad]], [model(x, src_key_padding_mask=pad)[~pad]])


def test_a_transformer_trains(npu):
    torch.manual_seed(0)
    model = nn.Transformer(16, 4, 1, 1, 32, dropout=0.0, batch_first=True)
    source, target = torch.randn(3, 7, 16), torch.randn(3, 5, 16)
    causal = nn.Transformer.generate_square_subsequent_mask(5)

    def run(device):
        mine = copy.deepcopy(model).to(device)
        out = mine(source.to(device), target.to(device), tgt_mask=causal.to(device))
        return [out, *torch.autograd.grad(out.square().sum(), mine.parameters())]

    assert_same(run(npu), run("cpu"), rtol=1e-3, atol=1e-4)


def test_gradients_of_rms_norm_gradients(npu):
    torch.manual_seed(0)
    x, weight = torch.randn(3, 4), torch.randn(4)

    def run(device):
        leaves = [t.clone().to(device).requires_grad_() for t in (x, weight)]
        out = F.rms_norm(leaves[0], [4], leaves[1])
        grads = torch.autograd.grad(out.square().sum(), leaves, create_graph=True)
        return [*grads, *torch.autograd.grad(sum(g.square().sum() for g in grads), leaves)]

    assert_same(run(npu), run("cpu"), atol=1e-4)


def test_rms_norm_refuses_other_shapes(npu):
    with pytest.raises(RuntimeError, match="normalized_shape"):
        F.rms_norm(torch.randn(3, 4, device=npu), [5])


OPTIMIZERS = [
    (torch.optim.SGD, {"lr": 0.1}),
    (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    (torch.optim.Adam, {"lr": 0.01, "amsgrad": True, "weight_decay": 0.1}),
    (torch.optim.AdamW, {"lr": 0.01}),
    (torch.optim.RMSprop, {"lr": 0.01, "centered": True, "momentum": 0.5}),
    (torch.optim.Adagrad, {"lr": 0.01, "lr_decay": 0.1}),
]
FUSED = (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.Adagrad)


def small_model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))


def loss_of(model: nn.Module, device) -> torch.Tensor:
    x = torch.randn(5, 6, generator=torch.Generator().manual_seed(1))
    return model(x.to(device)).square().mean()


@pytest.mark.parametrize("form", ["for-loop", "foreach", "fused"])
@pytest.mark.parametrize("kind, options", OPTIMIZERS, ids=lambda v: getattr(v, "__name__", ""))
def test_optimizers(npu, kind, options, form):
    if form == "fused" and kind not in FUSED:
        pytest.skip("PyTorch has no fused form")

    def train(device, **form):
        model = small_model().to(device)
        optimizer = kind(model.parameters(), **options, **form)
        for _ in range(4):
            optimizer.zero_grad()
            loss_of(model, device).backward()
            optimizer.step()
        return list(model.parameters())

    chosen = {
        "for-loop": {"foreach": False},
        "foreach": {"foreach": True},
        "fused": {"fused": True},
    }
    assert_same(train(npu, **chosen[form]), train("cpu", foreach=False))


@pytest.mark.parametrize("fused", [False, True])
def test_gradient_scaler_skips_infinite_steps(npu, fused):
    def train(device, **form):
        model = small_model().to(device)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, **form)
        scaler = torch.amp.GradScaler(device, init_scale=8.0)
        for step in range(4):
            optimizer.zero_grad()
            scaler.scale(loss_of(model, device) * (math.inf if step == 1 else 1)).backward()
            scaler.step(optimizer)
            scaler.update()
        return [torch.tensor(scaler.get_scale()), *model.parameters()]

    assert_same(train("npu", fused=fused), train("cpu"))


@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_clipping_gradients(npu, order):
    def clip(device):
        model = small_model().to(device)
        loss_of(model, device).backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1, order)
        nn.utils.clip_grad_value_(model.parameters(), 0.01)
        return [norm, *(p.grad for p in model.parameters())]

    assert_same(clip(npu), clip("cpu"))


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_autocast_computes_recurrent_layers_in_the_lower_precision(npu, kind):
    torch.manual_seed(0)
    layer, x = kind(5, 7), torch.randn(6, 4, 5)
    mine = copy.deepcopy(layer).to(npu)
    with torch.autocast("npu", dtype=torch.bfloat16):
        out, _ = mine(x.to(npu))
        assert torch.is_autocast_enabled("npu")
    assert out.dtype == torch.bfloat16
    out.float().square().sum().backward()
    assert mine.weight_ih_l0.grad.dtype == torch.float32
    torch.testing.assert_close(out.float().cpu(), layer(x)[0], rtol=0.05, atol=0.05)
