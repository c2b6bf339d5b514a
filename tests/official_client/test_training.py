# SPDX-License-Identifier: Apache-2.0
"""The official torch_npu wheel, unmodified, trains on softnpu and agrees with PyTorch CPU."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from torchtitan_npu import cann

HERE = Path(__file__).parent
STEPS = str(HERE / "simple_cnn_steps.py")


def _client():
    spec = importlib.util.spec_from_file_location("official_client", HERE / "client.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


client = _client()


@pytest.fixture(scope="module")
def official():
    """The official environment's interpreter."""
    return client.python()


def _losses(completed) -> list[float]:
    assert completed.returncode == 0, completed.stderr[-3000:]
    return json.loads(completed.stdout.splitlines()[-1])


def _relative_difference(ours: list[float], reference: list[float]) -> float:
    assert len(ours) == len(reference) == 5
    return max(abs(a - b) / abs(b) for a, b in zip(ours, reference, strict=True))


@pytest.fixture(scope="module")
def cpu_losses(official):
    """PyTorch CPU in the official environment, torch_npu not imported."""
    return _losses(
        client.run([STEPS, "-", "cpu"], interpreter=official, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    )


@pytest.mark.parametrize("queue", ["0", "1", "2"])
def test_official_wheel_trains_like_cpu(official, cpu_losses, queue):
    completed = client.run(
        [STEPS, "torch_npu", "npu"],
        interpreter=official,
        cann=cann.home(),
        TASK_QUEUE_ENABLE=queue,
    )
    assert _relative_difference(_losses(completed), cpu_losses) <= 1e-3


def test_official_wheel_is_imported_unmodified_and_sees_the_chip(official):
    program = (
        "import torch, torch_npu, json;"
        "print(json.dumps([torch_npu.__file__, torch.npu.device_count(),"
        " torch.npu.get_device_name(0)]))"
    )
    completed = client.run(
        ["-c", program], interpreter=official, cann=cann.home(), SOFTNPU_DEVICES="3"
    )
    assert completed.returncode == 0, completed.stderr[-3000:]
    path, count, name = json.loads(completed.stdout.splitlines()[-1])
    assert str(official.parent.parent) in path
    assert count == 3
    assert name.startswith("Ascend910B1")


def test_official_wheel_computes_layers_like_cpu(official):
    program = str(HERE / "layer_parity.py")
    completed = client.run([program], interpreter=official, cann=cann.home())
    assert completed.returncode == 0, completed.stderr[-3000:]
    assert json.loads(completed.stdout.splitlines()[-1]) == {}


# What the two adapters ask of CANN for one training step may differ only as listed, with why.
ONLY_OFFICIAL = {
    "aclnnInplaceAdds": "num_batches_tracked.add_(1): ours is the out form on the same tensor",
    "aclnnInplaceOne": "the loss's own gradient: ours fills with the scalar 1 like any other fill",
}
ONLY_OURS = {"aclnnAdds": "see aclnnInplaceAdds: PyTorch's structured add_ calls add.out"}


def _operators(trace: Path) -> set[str]:
    """Names of the aclnn operators in a SOFTNPU_TRACE file, without the phase-one suffix."""
    calls = (json.loads(line)["call"] for line in trace.read_text().splitlines())
    return {c.removesuffix("GetWorkspaceSize") for c in calls if c.startswith("aclnn")}


def test_both_adapters_ask_cann_for_the_same_operators(official, tmp_path):
    traces = {"torch_npu": tmp_path / "official.jsonl", "torchtitan_npu": tmp_path / "ours.jsonl"}
    _losses(
        client.run(
            [STEPS, "torch_npu", "npu"],
            interpreter=official,
            cann=cann.home(),
            SOFTNPU_TRACE=str(traces["torch_npu"]),
        )
    )
    _losses(
        client.run(
            [STEPS, "torchtitan_npu", "npu"],
            interpreter=sys.executable,
            PYTHONPATH=":".join(sys.path),
            SOFTNPU_TRACE=str(traces["torchtitan_npu"]),
        )
    )
    theirs, ours = (_operators(path) for path in traces.values())
    assert theirs - ours == set(ONLY_OFFICIAL)
    assert ours - theirs == set(ONLY_OURS)
