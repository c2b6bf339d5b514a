# SPDX-License-Identifier: Apache-2.0
"""Training steps of whole models: loss and gradients as exact as PyTorch CPU's, all on npu."""

import copy

import pytest
import torch

from bench.models import MODELS, Model
from bench.routes import routes

# An operator may run on the AI CPU in a training step only with a reason.
ON_AI_CPU: dict[str, set[str]] = {}
# Of what a gradient measures against all gradients together: below, it is rounding of the others.
FLOOR = 1e-6


def step(model: Model, network: torch.nn.Module, device: str, dtype=torch.float32):
    """Loss and the gradient of each parameter, in float64 on the CPU."""
    network = copy.deepcopy(network).to(device, dtype)
    torch.manual_seed(1)
    inputs, targets = model.batch(6)
    inputs = inputs.to(device, dtype) if inputs.is_floating_point() else inputs.to(device)
    loss = model.loss(network(inputs), targets.to(device))
    loss.backward()
    gradients = {name: p.grad.to("cpu", torch.float64) for name, p in network.named_parameters()}
    return loss.item(), gradients


@pytest.mark.parametrize("name", MODELS)
def test_loss_and_gradients_are_as_exact_as_the_cpus(npu, name):
    torch.manual_seed(0)
    network = MODELS[name].make(0.0)
    exact_loss, exact = step(MODELS[name], network, "cpu", torch.float64)
    cpu_loss, cpu = step(MODELS[name], network, "cpu")
    npu_loss, ours = step(MODELS[name], network, "npu")
    whole = torch.stack([g.norm() for g in exact.values()]).norm()
    assert abs(npu_loss - exact_loss) <= 2 * abs(cpu_loss - exact_loss) + 1e-6 * abs(exact_loss)
    for parameter, gradient in exact.items():
        distance = (ours[parameter] - gradient).norm()
        allowed = 2 * (cpu[parameter] - gradient).norm() + FLOOR * whole
        assert distance <= allowed, f"{parameter}: {distance:.2e} of {gradient.norm():.2e}"


@pytest.mark.parametrize("name", MODELS)
def test_every_operator_of_a_step_runs_on_the_npu(npu, name):
    found = routes(name)
    assert found.fell_back == []
    assert set(found.ai_cpu) <= ON_AI_CPU.get(name, set())
    assert found.native.total() > 0
