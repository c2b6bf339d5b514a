# SPDX-License-Identifier: Apache-2.0
"""What a training loop leans on: layers, losses, optimisers, gradients of gradients."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    """Each kind of layer once; no bias where batch norm makes its gradient zero."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 8, 3, padding=1, groups=2),
            nn.GELU(),
            nn.AvgPool2d(2),
            nn.AdaptiveAvgPool2d(2),
        )
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.body(x).flatten(1)))


def data():
    generator = torch.Generator().manual_seed(3)
    return torch.randn(8, 3, 16, 16, generator=generator), torch.arange(8) % 5


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, weight_decay=1e-3, nesterov=True),
    "sgd, one by one": lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, foreach=False),
    "adam": lambda p: torch.optim.Adam(p, 1e-3),
    "adam, one by one": lambda p: torch.optim.Adam(p, 1e-3, foreach=False),
    "adamw": lambda p: torch.optim.AdamW(p, 1e-3, amsgrad=True),
    "rmsprop": lambda p: torch.optim.RMSprop(p, 1e-3, momentum=0.5),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_follows_the_cpu(npu, name):
    torch.manual_seed(0)
    model = Net()
    losses, last = [], []
    for device in ("cpu", npu):
        mine = copy.deepcopy(model).to(device)
        optimizer = OPTIMIZERS[name](mine.parameters())
        x, y = (t.to(device) for t in data())
        run = []
        for _ in range(4):
            optimizer.zero_grad()
            loss = F.cross_entropy(mine(x), y, label_smoothing=0.1)
            loss.backward()
            nn.utils.clip_grad_norm_(mine.parameters(), 1.0)
            optimizer.step()
            run.append(loss.item())
        losses.append(run)
        last.append([p.detach().cpu() for p in mine.parameters()])
        assert all(p.device.type == torch.device(device).type for p in mine.parameters())
    torch.testing.assert_close(losses[1], losses[0], rtol=2e-4, atol=1e-5)
    for mine, theirs in zip(last[1], last[0], strict=False):
        torch.testing.assert_close(mine, theirs, rtol=1e-2, atol=1e-3)


def test_default_optimizer_works_on_whole_lists(npu):
    from torch.optim.optimizer import _default_to_fused_or_foreach

    parameters = [torch.ones(2, device=npu)]
    assert _default_to_fused_or_foreach(parameters, False, False) == (False, True)


def test_grad_scaler(npu):
    model = nn.Linear(4, 2).to(npu)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("npu", init_scale=8.0, growth_interval=1)
    scaler.scale(model(torch.ones(3, 4, device=npu)).sum()).backward()
    scaler.unscale_(optimizer)
    torch.testing.assert_close(model.bias.grad.cpu(), torch.full((2,), 3.0))
    before = model.bias.detach().cpu().clone()
    scaler.step(optimizer)
    scaler.update()
    torch.testing.assert_close(model.bias.detach().cpu(), before - 0.3)
    assert scaler.get_scale() == 16
    model.bias.grad.fill_(float("inf"))
    before = model.bias.detach().cpu().clone()
    scaler.scale(torch.ones((), device=npu))
    scaler.step(optimizer)
    scaler.update()
    assert torch.equal(model.bias.detach().cpu(), before) and scaler.get_scale() == 8


def test_gradients_of_gradients_of_a_pool(npu):
    generator = torch.Generator().manual_seed(0)
    x = torch.randperm(2 * 6 * 6, generator=generator).reshape(1, 2, 6, 6) / 8
    results = []
    for device in ("cpu", npu):
        leaf = x.clone().to(device).requires_grad_()
        y = F.max_pool2d(leaf * leaf, 3, 2, padding=1)
        (first,) = torch.autograd.grad(y.pow(2).sum(), leaf, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), leaf)
        results.append((y.detach().cpu(), first.detach().cpu(), second.cpu()))
    for mine, theirs in zip(results[1], results[0], strict=False):
        torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-5)


def test_pool_under_function_transforms(npu):
    x = torch.arange(2 * 36.0).reshape(2, 1, 6, 6)
    grad = torch.func.vmap(torch.func.grad(lambda t: F.max_pool2d(t, 2).sum()))
    torch.testing.assert_close(grad(x.to(npu)).cpu(), grad(x))


def test_pool_gives_true_indices(npu):
    x = torch.randn(2, 3, 9, 7)
    for wanted, got in zip(
        F.max_pool2d(x, 3, 2, 1, return_indices=True),
        F.max_pool2d(x.to(npu), 3, 2, 1, return_indices=True),
        strict=False,
    ):
        assert torch.equal(got.cpu(), wanted)


@pytest.mark.parametrize("masked", [False, True])
def test_attention(npu, masked):
    generator = torch.Generator().manual_seed(1)
    q, k, v = (torch.randn(2, 3, 7, 8, generator=generator) for _ in range(3))
    results = []
    for device in ("cpu", npu):
        leaves = [t.clone().to(device).requires_grad_() for t in (q, k, v)]
        out = F.scaled_dot_product_attention(*leaves, is_causal=masked)
        out.pow(2).sum().backward()
        results.append([out.detach().cpu()] + [t.grad.cpu() for t in leaves])
    for mine, theirs in zip(results[1], results[0], strict=False):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


def test_embedding_and_multihead_attention(npu):
    torch.manual_seed(0)
    table = nn.Embedding(11, 8, padding_idx=0)
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    words = torch.tensor([[1, 5, 0, 2], [3, 3, 7, 10]])
    results = []
    for device in ("cpu", npu):
        mine, attend = copy.deepcopy(table).to(device), copy.deepcopy(layer).to(device)
        x = mine(words.to(device))
        out, weights = attend(x, x, x)
        out.pow(2).sum().backward()
        results.append([out.detach().cpu(), weights.detach().cpu(), mine.weight.grad.cpu()])
    for mine, theirs in zip(results[1], results[0], strict=False):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "loss, target",
    [
        (nn.MSELoss(), torch.randn(6, 4)),
        (nn.L1Loss(), torch.randn(6, 4)),
        (nn.SmoothL1Loss(beta=0.5), torch.randn(6, 4)),
        (nn.BCEWithLogitsLoss(), torch.rand(6, 4)),
        (nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 1.0])), torch.arange(6) % 4),
        (nn.CrossEntropyLoss(ignore_index=1, reduction="sum"), torch.arange(6) % 4),
        (nn.KLDivLoss(reduction="batchmean"), torch.softmax(torch.randn(6, 4), 1)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_losses(npu, loss, target):
    x = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    results = []
    for device in ("cpu", npu):
        leaf = x.clone().to(device).requires_grad_()
        value = copy.deepcopy(loss).to(device)(leaf, target.to(device))
        value.backward()
        results.append((value.detach().cpu(), leaf.grad.cpu()))
    for mine, theirs in zip(results[1], results[0], strict=False):
        torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-6)


def test_one_dimensional_layers(npu):
    torch.manual_seed(0)
    layers = [nn.Conv1d(3, 4, 3, padding=1), nn.MaxPool1d(2), nn.AvgPool1d(2), nn.BatchNorm1d(4)]
    model = nn.Sequential(*layers)
    x = torch.randn(2, 3, 16)
    mine = copy.deepcopy(model).to(npu)(x.to(npu))
    torch.testing.assert_close(mine.cpu(), model(x), rtol=1e-4, atol=1e-5)


def test_out_of_range_target_names_the_operator(npu):
    with pytest.raises(RuntimeError, match=r"(?i)nll|target"):
        F.cross_entropy(torch.randn(2, 3, device=npu), torch.tensor([1, 9], device=npu)).item()
    assert torch.ones(2, device=npu).sum().item() == 2
