# SPDX-License-Identifier: Apache-2.0
"""Training steps of whole models: loss and gradients as exact as PyTorch CPU's, all on npu."""

import collections
import copy
import statistics

import pytest
import torch

from bench.models import MODELS, Model
from bench.routes import routes

# An operator may run on the AI CPU in a training step only with a reason.
ON_AI_CPU: dict[str, set[str]] = {
    # Once a step: interpolation by a factor is rare in training.
    "unet": {
        "aten::native_group_norm",
        "aten::native_group_norm_backward",
        "aten::upsample_bilinear2d.out",
        "aten::upsample_bilinear2d_backward.grad_input",
    },
}
# Of what a gradient measures against all gradients together: below, it is rounding of the others.
FLOOR = 1e-6


def step(model: Model, network: torch.nn.Module, batch, device: str, dtype=torch.float32):
    """Loss and the gradient of each parameter, in float64 on the CPU."""
    network = copy.deepcopy(network).to(device, dtype)
    inputs = batch[0].to(device, dtype if batch[0].is_floating_point() else None)
    loss = model.loss(network(inputs), batch[1].to(device))
    loss.backward()
    gradients = {name: p.grad.to("cpu", torch.float64) for name, p in network.named_parameters()}
    return loss.item(), gradients


@pytest.mark.parametrize("name", MODELS)
def test_loss_and_gradients_are_as_exact_as_the_cpus(npu, name):
    """Median of three batches: a value within rounding of a kink may fall on its other side."""
    torch.manual_seed(0)
    model = MODELS[name]
    network = model.make(0.0)
    excess = collections.defaultdict(list)
    for _ in range(3):
        batch = model.batch(6)
        exact_loss, exact = step(model, network, batch, "cpu", torch.float64)
        cpu_loss, cpu = step(model, network, batch, "cpu")
        npu_loss, ours = step(model, network, batch, "npu")
        assert abs(npu_loss - exact_loss) <= 2 * abs(cpu_loss - exact_loss) + 1e-6 * exact_loss
        whole = torch.stack([g.norm() for g in exact.values()]).norm()
        for parameter, gradient in exact.items():
            distance = (ours[parameter] - gradient).norm()
            allowed = 2 * (cpu[parameter] - gradient).norm() + FLOOR * whole
            excess[parameter].append((distance / allowed).item())
    worst = {parameter: statistics.median(values) for parameter, values in excess.items()}
    assert {parameter: ratio for parameter, ratio in worst.items() if not ratio <= 1} == {}


@pytest.mark.parametrize("name", MODELS)
def test_every_operator_of_a_step_runs_on_the_npu(npu, name):
    found = routes(name)
    assert found.fell_back == []
    assert set(found.ai_cpu) <= ON_AI_CPU.get(name, set())
    assert found.native.total() > 0
