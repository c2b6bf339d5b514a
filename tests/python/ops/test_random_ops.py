# SPDX-License-Identifier: Apache-2.0
"""Random operators: distributions, repeatability, independence of successive draws."""

import pytest
import torch

COUNT = 40_000


@pytest.fixture(autouse=True)
def seeded(npu):
    torch.manual_seed(7)


def test_normal_has_its_moments(npu):
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x = torch.empty(COUNT, dtype=dtype, device=npu).normal_(2, 3).float().cpu()
        assert abs(x.mean() - 2) < 0.08 and abs(x.std() - 3) < 0.08
        assert abs(((x - 2) / 3).pow(3).mean()) < 0.1 and abs(((x - 2) / 3).pow(4).mean() - 3) < 0.2


def test_uniform_fills_its_range(npu):
    x = torch.empty(COUNT, device=npu).uniform_(-1, 3).cpu()
    assert x.min() >= -1 and x.max() < 3 and abs(x.mean() - 1) < 0.03
    histogram = torch.histc(x, 20, -1, 3)
    assert (histogram - COUNT / 20).abs().max() < 6 * (COUNT / 20) ** 0.5


def test_exponential_has_its_mean(npu):
    x = torch.empty(COUNT, device=npu).exponential_(0.5).cpu()
    assert x.min() >= 0 and torch.isfinite(x).all()
    assert abs(x.mean() - 2) < 0.06 and abs(x.std() - 2) < 0.1


def test_distributions_made_of_others_have_their_quantiles(npu):
    def quartiles(x):
        return torch.quantile(x.float().cpu(), torch.tensor([0.25, 0.5, 0.75])).tolist()

    x = torch.empty(COUNT, device=npu)
    assert quartiles(x.log_normal_(0, 0.5)) == pytest.approx([0.7137, 1, 1.4011], rel=0.03)
    assert quartiles(x.cauchy_(1, 2)) == pytest.approx([-1, 1, 3], abs=0.15)
    for dtype in (torch.float32, torch.int64):
        tries = torch.empty(COUNT, dtype=dtype, device=npu).geometric_(0.2).cpu()
        assert tries.min() == 1 and abs(tries.float().mean() - 5) < 0.12
        assert abs((tries == 1).float().mean() - 0.2) < 0.015


def test_normal_takes_tensors_of_means_and_deviations(npu):
    mean = torch.tensor([-2.0, 5.0], device=npu).repeat(COUNT, 1)
    std = torch.tensor([0.5, 3.0], device=npu)
    for drawn, deviations in (
        (torch.normal(mean, std), (0.5, 3)),
        (torch.normal(mean, 2.0), (2, 2)),
        (torch.normal(1.0, std.repeat(COUNT, 1)), (0.5, 3)),
    ):
        found = drawn.cpu().std(0)
        assert found.tolist() == pytest.approx(deviations, rel=0.03)
    assert torch.normal(mean, std).cpu().mean(0).tolist() == pytest.approx([-2, 5], abs=0.06)


def test_multinomial_follows_its_weights(npu):
    weights = torch.tensor([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]], device=npu)
    drawn = torch.multinomial(weights, COUNT, replacement=True).cpu()
    assert abs((drawn[0] == 2).float().mean() - 0.75) < 0.015
    assert not (drawn[0] == 1).any() and (drawn[1] == 1).all()
    firsts = torch.stack([torch.multinomial(weights[0], 2) for _ in range(300)]).cpu()
    assert sorted(firsts.unique().tolist()) == [0, 2]
    assert (firsts[:, 0] != firsts[:, 1]).all()
    assert abs((firsts[:, 0] == 2).float().mean() - 0.75) < 0.12


def test_multinomial_repeats_for_a_seed_and_goes_on_after(npu):
    weights = torch.rand(3, 50, device=npu)
    for replacement in (True, False):
        torch.manual_seed(4)
        first, second = (torch.multinomial(weights, 40, replacement).cpu() for _ in range(2))
        torch.manual_seed(4)
        assert torch.equal(torch.multinomial(weights, 40, replacement).cpu(), first)
        assert not torch.equal(first, second)


def test_multinomial_without_replacement_draws_everything(npu):
    order = torch.multinomial(torch.rand(65, 33, device=npu), 33).cpu()
    assert torch.equal(order.sort(1).values, torch.arange(33).expand(65, 33))


@pytest.mark.parametrize("weights", [[1.0, -1.0], [0.0, 0.0], [1.0, float("nan")]])
def test_multinomial_refuses_bad_weights(npu, weights):
    with pytest.raises(RuntimeError, match="aclnnMultinomial.* of self has"):
        torch.multinomial(torch.tensor(weights, device=npu), 1).cpu()


def test_rrelu_draws_a_slope_for_each_negative_element(npu):
    x = torch.randn(COUNT, device=npu)
    noise = torch.empty_like(x)
    out = torch.ops.aten.rrelu_with_noise(x, noise, 0.1, 0.3, True).cpu()
    slopes, x = noise.cpu(), x.cpu()
    torch.testing.assert_close(out, x * slopes)
    assert (slopes[x > 0] == 1).all()
    assert abs(slopes[x <= 0].mean() - 0.2) < 0.01
    assert slopes[x <= 0].min() >= 0.1 and slopes[x <= 0].max() <= 0.3


def test_bernoulli_counts(npu):
    for dtype in (torch.float32, torch.bool, torch.int32):
        x = torch.empty(COUNT, dtype=dtype, device=npu).bernoulli_(0.3).cpu()
        assert set(x.unique().tolist()) == {0, 1}
        assert abs(x.float().mean() - 0.3) < 0.015
    p = torch.tensor([0.0, 0.2, 1.0], device=npu).repeat(COUNT // 3, 1)
    for drawn in (torch.bernoulli(p), torch.empty_like(p).bernoulli_(p)):
        means = drawn.cpu().mean(0)
        assert means[0] == 0 and abs(means[1] - 0.2) < 0.02 and means[2] == 1


def test_random_integers_cover_their_range(npu):
    x = torch.randint(-3, 5, (COUNT,), device=npu).cpu()
    assert x.unique().tolist() == list(range(-3, 5))
    assert (torch.bincount(x + 3) - COUNT / 8).abs().max() < 6 * (COUNT / 8) ** 0.5
    assert torch.empty(COUNT, dtype=torch.int64, device=npu).random_(7).max().item() == 6
    bytes_ = torch.empty(COUNT, dtype=torch.uint8, device=npu).random_().cpu()
    assert bytes_.min() == 0 and bytes_.max() == 255


def test_randperm_is_a_permutation(npu):
    for dtype in (torch.int64, torch.int32):
        x = torch.randperm(1000, dtype=dtype, device=npu).cpu()
        assert x.sort().values.tolist() == list(range(1000))
        assert x.tolist() != list(range(1000))
    assert torch.randperm(0, device=npu).numel() == 0


def test_seed_repeats_and_generators_are_independent(npu):
    def draw(generator=None):
        return torch.randn(1000, device=npu, generator=generator).cpu()

    torch.manual_seed(1)
    first, second = draw(), draw()
    torch.manual_seed(1)
    assert torch.equal(draw(), first) and torch.equal(draw(), second)
    assert not torch.equal(first, second)
    mine = torch.Generator(device=npu).manual_seed(1)
    assert torch.equal(draw(mine), first)
    state = mine.get_state()
    again = draw(mine)
    mine.set_state(state)
    assert torch.equal(draw(mine), again)


def test_successive_draws_do_not_overlap(npu):
    draws = torch.stack([torch.rand(512, device=npu).cpu() for _ in range(8)])
    assert draws.flatten().unique().numel() > 8 * 512 - 8
    correlation = torch.corrcoef(draws) - torch.eye(8)
    assert correlation.abs().max() < 0.25


def test_wrong_ranges_are_refused(npu):
    x = torch.empty(3, device=npu)
    for function in (
        lambda: x.normal_(0, -1),
        lambda: x.uniform_(1, 0),
        lambda: x.bernoulli_(1.5),
        lambda: x.random_(5, 5),
        lambda: x.exponential_(0),
        lambda: torch.randperm(-1, device=npu),
        lambda: torch.rand(3, device=npu, generator=torch.Generator()),
    ):
        with pytest.raises(RuntimeError):
            function()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("p", [0.2, 0.5])
def test_dropout_drops_and_scales(npu, dtype, p):
    x = torch.full((200, 200), 3.0, dtype=dtype, device=npu, requires_grad=True)
    y = torch.nn.functional.dropout(x, p)
    kept = y.detach().cpu() != 0
    assert abs(kept.float().mean() - (1 - p)) < 0.01
    torch.testing.assert_close(
        y.detach().cpu()[kept].float(),
        torch.full((int(kept.sum()),), 3 / (1 - p)),
        rtol=1e-2,
        atol=0,
    )
    (grad,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal(grad.cpu() != 0, kept), "the gradient has another mask"


def test_dropout_edges(npu):
    x = torch.ones(5, device=npu)
    assert torch.nn.functional.dropout(x, 0.0).cpu().tolist() == [1] * 5
    assert torch.nn.functional.dropout(x, 1.0).cpu().tolist() == [0] * 5
    assert torch.nn.functional.dropout(x, 0.5, training=False).cpu().tolist() == [1] * 5
    assert torch.nn.functional.dropout(torch.ones(0, device=npu)).numel() == 0
    x.requires_grad_()
    y = torch.nn.functional.dropout(x * x, 0.5)
    (grad,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(grad.sum(), x)
    assert torch.equal(second.cpu() != 0, y.detach().cpu() != 0)


def test_native_dropout_has_pytorchs_mask(npu):
    x = torch.ones(1000, device=npu)
    y, mask = torch.native_dropout(x, 0.25, True)
    assert mask.dtype == torch.bool and mask.shape == x.shape
    torch.testing.assert_close(y.cpu(), mask.cpu().float() / 0.75)


def test_dropout_under_function_transforms(npu):
    x = torch.randn(4, 100, device=npu)
    grad = torch.func.grad(lambda t: torch.nn.functional.dropout(t, 0.5).sum())(x)
    assert set(grad.cpu().unique().tolist()) == {0.0, 2.0}
